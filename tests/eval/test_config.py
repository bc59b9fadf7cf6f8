from __future__ import annotations

import pytest

from memgym.eval.config import RunConfig


def test_a_secret_among_the_model_options_is_refused():
    with pytest.raises(ValueError, match="MEMGYM_API_KEY"):
        RunConfig(model="openai:x", model_options={"api_key": "sk-1"})


def test_without_a_model_a_generated_world_is_read_by_rules_and_real_text_by_none():
    assert RunConfig(env="MemGym/Synthetic-50doc").model == "rules"
    assert RunConfig(env="MemGym/HotpotQA-200doc").model == "none"


def test_a_saved_config_is_read_back_equal(tmp_path):
    config = RunConfig(env="MemGym/Synthetic-50doc", env_options={"questions": [1, 3], "scripts": "latin"}, seed=4)
    config.save(tmp_path / "config.yaml")
    assert RunConfig.load(tmp_path / "config.yaml") == config


def test_an_unknown_field_is_refused_by_name():
    with pytest.raises(ValueError, match="episode_count"):
        RunConfig.model_validate({"episode_count": 3})


@pytest.mark.parametrize(
    ("text", "said"), [("agents: [", "is not YAML"), ("", "holds no run"), ("- a", "holds no run")]
)
def test_a_file_that_is_no_config_is_named_in_one_line(tmp_path, text, said):
    path = tmp_path / "run.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=said) as raised:
        RunConfig.load(path)
    assert "run.yaml" in str(raised.value)
    assert "\n" not in str(raised.value)
