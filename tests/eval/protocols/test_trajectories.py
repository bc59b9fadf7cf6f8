"""OfflineProcedural from trajectories that were stored earlier: the same memory as from playing them, and every doubt."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from levers import config

from memgym.eval.bench import run_bench
from memgym.eval.config import plan_of
from memgym.eval.protocols.protocol import make_protocol
from memgym.eval.protocols.trajectories import stored_trajectories
from memgym.operations import WRITES
from memgym.registry import UnknownName

OFF = "offline-procedural"


def phase(records, wanted):
    return [record for record in records if record.episode.tags.get("phase", "test") == wanted]


def lived(folder, **changes):
    """Write what was lived in a run to a file of experiences, and give its path."""
    stored = stored_trajectories(str(folder), "Levers")
    path = folder.parent / "lived.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for one, sample in zip(stored.experiences, stored.samples, strict=True):
            said = {"task": one.task, "steps": one.steps, "success": one.success, "task_type": one.task_type}
            file.write(json.dumps({**said, "sample": sample, "benchmark": "Levers", **changes}) + "\n")
    return path


def test_memory_formed_from_a_stored_run_is_that_of_the_run_in_which_it_was_played(bench, played):
    """The first run plays its tasks of training itself; the second is given them. Its tests are the same, and frozen."""
    folder = bench(OFF, episodes=6)
    _, whole = played(OFF, episodes=6)
    alone = folder.parent / "alone"
    alone.mkdir()
    for name in ("config.yaml", "records.jsonl"):
        (alone / name).write_bytes((folder / name).read_bytes())
    trained = [line for line in (folder / "records.jsonl").read_text().splitlines() if '"phase":"train"' in line]
    (alone / "records.jsonl").write_text("".join(f"{line}\n" for line in trained))
    _, given = played(OFF, episodes=6, knobs={"trajectories": str(alone)})
    assert phase(given, "train") == []
    assert phase(given, "form")[0].line() == phase(whole, "form")[0].line()
    assert [one.outcome for one in phase(given, "test")] == [one.outcome for one in phase(whole, "test")]
    assert all(one.episode.frozen for one in phase(given, "test"))


def test_the_checksum_of_the_trajectories_is_in_the_setting_of_the_record(bench, played):
    folder = bench("isolated", agents=["reader"], episodes=6)
    _, [form, *_] = played(OFF, episodes=2, knobs={"trajectories": str(folder)})
    assert form.setting["benchmark"]["checksum"].startswith("sha256:")
    assert form.setting["benchmark"]["experiences"] == 6
    _, [fewer, *_] = played(OFF, episodes=2, knobs={"trajectories": str(folder), "train": 5})
    assert fewer.setting["benchmark"]["experiences"] == 5
    assert fewer.setting["benchmark"]["checksum"] != form.setting["benchmark"]["checksum"]


def test_a_file_of_experiences_is_as_good_as_the_run_that_they_are_of(bench, played):
    folder = bench("isolated", agents=["reader"], episodes=8)
    runs = [played(OFF, episodes=4, knobs={"trajectories": str(path)})[1] for path in (folder, lived(folder))]
    assert [one.line() for one in runs[0]] == [one.line() for one in runs[1]]


@pytest.mark.slow
def test_stored_trajectories_are_worth_as_much_as_those_that_are_played(bench, played):
    folder = bench("isolated", agents=["reader"], episodes=40, seed=9)
    rewards = [
        sum(one.outcome.reward for one in phase(played(protocol, episodes=24, knobs=knobs)[1], "test")) / 24
        for protocol, knobs in (("isolated", {}), (OFF, {"trajectories": str(folder)}))
    ]
    assert rewards[1] > rewards[0] + 0.4


def test_a_test_cannot_change_the_memory_formed_from_trajectories(bench, played):
    folder = bench("isolated", agents=["reader"], episodes=4)
    _, records = played(OFF, agents=["scribbler"], episodes=4, knobs={"trajectories": str(folder)})
    tests = phase(records, "test")
    statuses = {r.status for one in tests for step in one.steps for r in step.results if r.operation in WRITES}
    assert statuses == {"frozen"}
    assert len({one.memory for one in tests}) == 1


def test_only_the_row_that_is_named_is_learned_from(bench, played):
    folder = bench("isolated", agents=["reader", "apprentice"], episodes=3)
    _, [form, *_] = played(OFF, episodes=2, knobs={"trajectories": str(folder), "whose": "reader"})
    assert form.setting["benchmark"]["experiences"] == 3
    made = config(OFF, episodes=2, knobs={"trajectories": str(folder), "whose": "raeder"})
    with pytest.raises(UnknownName, match="'reader'"):
        plan_of(made)


def test_tests_that_were_lived_before_are_measured(bench, played):
    folder = bench("isolated", agents=["reader"], episodes=4)
    made, records = played(OFF, episodes=8, knobs={"trajectories": str(folder)})
    [seen] = [one for one in made.scheduler.measures(records) if one.name == "tests that were lived before"]
    assert (seen.value.mean, seen.value.n) == (0.5, 8)


def test_the_run_that_forms_from_trajectories_is_resumed_to_the_same_bytes(bench):
    stored = bench("isolated", agents=["reader"], episodes=4, name="stored")
    folder = bench(OFF, episodes=4, knobs={"trajectories": str(stored)})
    whole = (folder / "records.jsonl").read_bytes()
    (folder / "records.jsonl").write_bytes(whole[: len(whole) // 2])
    run_bench(None, resume=folder)
    assert (folder / "records.jsonl").read_bytes() == whole


@pytest.mark.parametrize("name", ["absent", "empty"])
def test_what_is_not_there_is_named_before_anything_is_played(name, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=name):
        plan_of(config(OFF, knobs={"trajectories": str(tmp_path / name)}))


def test_a_run_that_was_cut_off_is_an_error_that_says_how_to_go_on(bench):
    folder = bench("isolated", agents=["reader"], episodes=4)
    records = folder / "records.jsonl"
    records.write_bytes(records.read_bytes()[:-60])
    with pytest.raises(ValueError, match=r"Line 4 of records.jsonl was cut off.*the 3 records.*--resume"):
        plan_of(config(OFF, knobs={"trajectories": str(folder)}))


def test_a_run_that_is_broken_in_the_middle_is_named_by_its_line(bench):
    folder = bench("isolated", agents=["reader"], episodes=4)
    lines = (folder / "records.jsonl").read_text().splitlines(keepends=True)
    (folder / "records.jsonl").write_text("".join([lines[0], lines[1][:50] + "\n", *lines[2:]]))
    with pytest.raises(ValueError, match="line 2 is not a record"):
        plan_of(config(OFF, knobs={"trajectories": str(folder)}))


def test_a_file_that_was_cut_off_is_named_by_its_line(bench):
    path = lived(bench("isolated", agents=["reader"], episodes=3))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ValueError, match=r"line 3 is not an experience \(the file seems to be cut off there\)"):
        plan_of(config(OFF, knobs={"trajectories": str(path)}))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[1]", "but a list"),
        ('{"task": "t", "steps": [], "success": true, "sucess": 1}', "'success'"),
        ('{"task": "t", "steps": [["a"]], "success": true}', "steps"),
        ('{"task": "t", "steps": []}', "success"),
    ],
)
def test_a_line_that_is_no_experience_is_told(line, told, tmp_path):
    (tmp_path / "lived.jsonl").write_text(line + "\n")
    with pytest.raises(ValueError, match=r"line 1.*" + told):
        plan_of(config(OFF, knobs={"trajectories": str(tmp_path / "lived.jsonl")}))


def test_what_was_lived_in_another_benchmark_is_refused(bench):
    folder = bench("isolated", agents=["reader"], episodes=2)
    generated = "MemGym/ALFWorld-generated"
    if find_spec("textworld") is not None:
        with pytest.raises(ValueError, match="was lived in Levers"):
            plan_of(config(OFF, generated, agents=["awm"], model="rules", knobs={"trajectories": str(folder)}))
    with pytest.raises(ValueError, match=r"line 1 was lived in ALFWorld; trajectories of Levers"):
        plan_of(config(OFF, knobs={"trajectories": str(lived(folder, benchmark="ALFWorld"))}))


def test_a_run_in_which_nobody_acted_is_refused(bench):
    folder = bench("isolated", "MemGym/Synthetic-50doc", agents=["bm25-rag"], model="rules", episodes=1)
    plan = plan_of(config(OFF))
    with pytest.raises(ValueError, match="holds no trajectory"):
        make_protocol({"name": OFF, "trajectories": str(folder)}).lanes(plan)


def test_options_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="train_options would change nothing"):
        make_protocol({"name": OFF, "trajectories": "x", "train_options": {"split": "train"}})
    with pytest.raises(ValueError, match="trajectories=PATH"):
        make_protocol({"name": OFF, "whose": "reader"})


@pytest.mark.slow
@pytest.mark.skipif(find_spec("textworld") is None, reason='needs pip install "memgym[alfworld]"')
@pytest.mark.parametrize("env", ["MemGym/ALFWorld-unseen", "MemGym/ALFWorld-generated"])
def test_awm_forms_its_workflows_from_stored_games(env, bench, played, shared_data):
    options = {"game_steps": 20, "encoder": "hashing"} | ({"data": str(shared_data)} if env.endswith("unseen") else {})
    chosen = {"model": "rules", "env_options": options}
    folder = bench("isolated", env, agents=["handcoded"], episodes=4, **chosen)
    _, records = played(OFF, env, agents=["awm"], episodes=2, knobs={"trajectories": str(folder)}, **chosen)
    assert [record.error for record in records if record.error] == []
    [form] = phase(records, "form")
    assert form.setting["benchmark"]["experiences"] == 4
    assert all(one.episode.frozen and one.episode.after == form.episode.id for one in phase(records, "test"))
