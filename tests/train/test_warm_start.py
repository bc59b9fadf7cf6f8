"""The warm start: what a teacher did becomes segments of the policy's own prompts, and training on them goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

NEEDED = "the extra train is needed"
torch = pytest.importorskip("torch", reason=NEEDED)
transformers = pytest.importorskip("transformers", reason=NEEDED)
pytest.importorskip("tokenizers", reason=NEEDED)
pytest.importorskip("accelerate", reason=NEEDED)

from memgym.records import Episode, read_records  # noqa: E402
from memgym.rollout import play  # noqa: E402
from memgym.train import sft  # noqa: E402
from memgym.train.demonstrations import demonstrations  # noqa: E402
from memgym.train.policy import make_policy  # noqa: E402
from memgym.train.recipe import Recipe  # noqa: E402
from memgym.train.recipe_files import load_recipe  # noqa: E402
from memgym.train.segments import Segment  # noqa: E402

SMALL = ["sft.episodes=12", "sft.epochs=1", "sft.batch=8"]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start") / "policy"
    make_policy(folder, width=32, heads=2, episodes=60)
    return folder


def recipe(*more: str) -> Recipe:
    return load_recipe("synthetic-cpu", [*SMALL, *more])


def test_the_policy_sees_what_the_teacher_saw() -> None:
    records = play([Episode(f"e{seed}", "MemGym/Whereabouts", "undirected", seed) for seed in range(3)])
    for record, steps in zip(records, demonstrations(records, "llm", {"prompt": "compact"}), strict=True):
        assert [step.reply for step in steps] == [step.action for step in record.steps]
        assert all(step.request.messages[0].content.startswith("Q: Where is ") for step in steps)


def test_an_agent_that_asks_more_than_once_a_step_is_an_error() -> None:
    records = play([Episode("e", "MemGym/Whereabouts", "undirected", 0)])
    with pytest.raises(ValueError, match="came out otherwise"):
        list(demonstrations(records, "a-mem", {}))


def test_it_writes_a_policy_with_its_tokenizer_and_the_traces(start: Path, tmp_path: Path) -> None:
    sft.warm_start(recipe(), start, tmp_path / "warm")
    before = transformers.AutoModelForCausalLM.from_pretrained(start).state_dict()
    after = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "warm").state_dict()
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert transformers.AutoTokenizer.from_pretrained(tmp_path / "warm").chat_template
    assert len(list(read_records(tmp_path / "warm" / sft.TRACES))) == 12
    assert not (tmp_path / "warm" / sft.WORK).exists()


def test_a_killed_run_keeps_the_traces_that_it_has(start: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(sft, "_AT_ONCE", 5)
    folder = tmp_path / "warm"
    sft.warm_start(recipe(), start, folder)
    whole = (folder / sft.TRACES).read_text("utf-8")
    (folder / sft.TRACES).write_text("".join(whole.splitlines(keepends=True)[:5]) + whole[:40], "utf-8")
    sft.warm_start(recipe(), start, folder)
    assert (folder / sft.TRACES).read_text("utf-8") == whole


def test_only_what_scored_is_imitated(start: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"sft\.keep is 1\.0"):
        sft.warm_start(recipe("sft.keep=1", "sft.options={keep: 0, aware: 0, note: 0}"), start, tmp_path / "warm")


def test_only_replies_are_learned() -> None:
    batch = sft._Padded(0)([Segment((5, 6), (7, 8), None, 0), Segment((5,), (9,), None, 0)])
    assert batch["labels"].tolist() == [[-100, -100, 7, 8], [-100, 9, -100, -100]]
    assert batch["input_ids"].tolist() == [[5, 6, 7, 8], [5, 9, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
