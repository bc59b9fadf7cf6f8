"""SmolLM2 from its package: a folder that says what it is, and a model that reads and writes as its own chat does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgym.records import Episode
from memgym.rollout import play
from memgym.train.policy import smollm2

pytestmark = pytest.mark.model

NEEDED = "needs the extra [smollm2]"
torch = pytest.importorskip("torch", reason=NEEDED)
transformers = pytest.importorskip("transformers", reason=NEEDED)
pytest.importorskip("gguf", reason=NEEDED)
pytest.importorskip("accelerate", reason=NEEDED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        smollm2.found()
    except ImportError as missing:
        pytest.skip(str(missing))
    made = tmp_path_factory.mktemp("policy") / "smollm2"
    before = torch.random.get_rng_state()
    smollm2.make_smollm2(made)
    assert torch.equal(before, torch.random.get_rng_state()), "torch's own random state was used"
    return made


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def network(folder: Path) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype="auto").eval()


def ids(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def test_the_folder_holds_plain_weights_and_says_where_they_are_from(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    card = (folder / "README.md").read_text("utf-8")
    assert "quantization_config" not in config
    assert config["dtype"] == "bfloat16"
    assert (folder / "model.safetensors").stat().st_size > 250_000_000
    for told in (
        "not** the published weights",
        "license: apache-2.0",
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        smollm2.SHA256,
    ):
        assert told in card


def test_it_answers_in_its_own_chat_and_ends_its_reply(network: Any, tokenizer: Any) -> None:
    chat = [{"role": "user", "content": "What is the capital of France? Answer in one short sentence."}]
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    prompt = torch.tensor([ids(tokenizer, text)])
    with torch.inference_mode():
        written = network.generate(prompt, max_new_tokens=30, do_sample=False)[0, prompt.shape[1] :].tolist()
    assert "Paris" in tokenizer.decode(written)
    assert written[-1] == tokenizer.eos_token_id


def test_the_end_of_a_turn_is_the_end_token(tokenizer: Any) -> None:
    assert ids(tokenizer, "<|im_end|>") == [tokenizer.eos_token_id] == [tokenizer.pad_token_id] == [2]


def test_digits_are_single_and_apart_from_the_space_before_them(tokenizer: Any) -> None:
    assert [tokenizer.decode([one]) for one in ids(tokenizer, "a  12 b")] == ["a", "  ", "1", "2", " b"]


@pytest.mark.parametrize("text", ["Who ? me , 12 .", "", "日本 ไทย 🙂", "é \n\n  x", "a" * 10_000], ids=ascii)
def test_text_comes_back_as_it_was(tokenizer: Any, text: str) -> None:
    assert tokenizer.decode(ids(tokenizer, text), skip_special_tokens=True) == text


@pytest.mark.parametrize("model", ["transformers", "policy"])
def test_it_plays(folder: Path, model: str) -> None:
    agent, name = {"prompt": "compact", "max_tokens": 8}, f"{model}:{folder}"
    episode = Episode("e", "MemGym/Whereabouts", "llm", 0, options={"max_steps": 2}, agent_options=agent, model=name)
    [record] = play([episode])
    assert record.error is None
    assert len(record.steps) == 2
