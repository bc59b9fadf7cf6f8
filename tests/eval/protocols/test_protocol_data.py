"""A protocol as data: knobs that round-trip, names and fields that do not exist, what fits which benchmark."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from memgym import registry
from memgym.cli import app
from memgym.contracts import FieldsError
from memgym.eval.config import RunConfig, plan_of
from memgym.eval.protocols.protocol import make_protocol

NAMES = registry.names("protocol")
KNOBS = {
    "batch-procedural": {"batch": 3, "passes": 2},
    "streaming-procedural": {"every": 4, "unit": "step"},
    "adversarial-noise": {"ratio": 0.25, "noise": "irrelevant", "base": "online-procedural"},
    "temporal-shift": {"shift": 0.3, "by": "task_type"},
    "cross-agent-transfer": {"writers": ["a"], "train": 3},
    "reflection-procedural": {"retries": 5, "scope": "run"},
    "offline-procedural": {"train": 7, "train_options": {"split": "train"}},
    "online-procedural": {"forming": "acting"},
    "scenario-declarative": {"chunks": 2},
}


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_there_are_ten_protocols_the_one_of_isolated_episodes_and_the_curriculum_of_training():
    assert len(NAMES) == 12
    assert {registry.load("protocol", name).name for name in NAMES} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_protocol_survives_yaml_with_every_knob_named(name, tmp_path):
    config = RunConfig(env="MemGym/Synthetic-50doc", protocol={"name": name, **KNOBS.get(name, {})})
    config.save(tmp_path / "config.yaml")
    again = RunConfig.load(tmp_path / "config.yaml")
    assert again == config
    assert again.scheduler == config.scheduler
    assert set(config.protocol) == {"name", *type(config.scheduler).model_fields}


def test_a_name_alone_is_a_protocol_too():
    assert RunConfig(protocol="batch-procedural").protocol == {"name": "batch-procedural", "batch": 8, "passes": 1}


def test_a_run_that_names_no_protocol_is_isolated():
    assert RunConfig().protocol == {"name": "isolated"}


def test_a_knob_that_does_not_exist_is_an_error_with_the_nearest():
    with pytest.raises(LookupError, match="'batch'"):
        make_protocol({"name": "batch-procedural", "bach": 3})


def test_a_knob_out_of_range_is_named():
    with pytest.raises(ValueError, match="batch"):
        make_protocol({"name": "batch-procedural", "batch": 0})


def test_noise_on_noise_is_refused():
    with pytest.raises(ValueError, match="cannot be the base"):
        make_protocol({"name": "adversarial-noise", "base": "adversarial-noise"})


def test_a_protocol_that_does_not_exist_is_one_line_with_the_nearest(tmp_path):
    code, said = run("bench", "--protocol", "batch-prosedural", "--out", str(tmp_path / "run"))
    assert code == 2
    assert "'batch-procedural'" in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_field_that_a_benchmark_lacks_is_named_before_anything_is_played(tmp_path):
    arguments = ["--env", "MemGym/Synthetic-50doc", "--protocol", "online-procedural", "--agent", "bm25-rag"]
    code, said = run("bench", *arguments, "--out", str(tmp_path / "run"))
    assert code == 2
    assert "online-procedural" in said
    assert "lacks steps, success, task_spec, world" in said
    assert not (tmp_path / "run").exists()


def test_the_base_of_noise_is_checked_too():
    config = RunConfig(
        env="MemGym/Synthetic-50doc", protocol={"name": "adversarial-noise", "base": "online-procedural"}
    )
    with pytest.raises(FieldsError, match="online-procedural"):
        plan_of(config)


def test_a_shift_without_samples_in_a_period_is_an_error():
    with pytest.raises(ValueError, match="period without samples"):
        plan_of(RunConfig(env="MemGym/Synthetic-50doc", protocol="temporal-shift", episodes=1))


def test_match_says_which_protocol_fits_which_benchmark():
    code, said = run("match", "--protocols", "--json")
    assert code == 0
    missing = {(one["protocol"], one["benchmark"]): one["missing"] for one in json.loads(said)}
    assert missing["offline-declarative", "LoCoMo"] == []
    assert missing["scenario-declarative", "HotpotQA"] == ["sessions"]
    assert missing["batch-procedural", "ALFWorld"] == []
    assert missing["batch-procedural", "HotpotQA"] == ["steps", "success", "task_spec", "world"]
    assert missing["batch-procedural", "Experience"] == ["world"]
    assert len(missing) == len(NAMES) * len(registry.names("benchmark"))


def test_match_of_protocols_prints_a_table_of_one_benchmark():
    code, said = run("match", "--protocols", "--benchmark", "locomo")
    assert code == 0
    assert f"of {len(NAMES)} pairs" in said


def test_the_heat_map_can_be_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason='needs pip install "memgym[plot]"')
    code, _ = run("match", "--protocols", "--figure", str(tmp_path / "map.svg"))
    assert code == 0
    assert "<svg" in (tmp_path / "map.svg").read_text()
