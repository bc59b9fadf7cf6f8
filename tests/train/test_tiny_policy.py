"""A tiny policy: a folder from a seed, whose tokenizer has a token for each word and tag, and takes any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

NEEDED = "the extra train is needed"
torch = pytest.importorskip("torch", reason=NEEDED)
transformers = pytest.importorskip("transformers", reason=NEEDED)
pytest.importorskip("tokenizers", reason=NEEDED)

from memgym.cli import command  # noqa: E402
from memgym.train.policy import make_policy  # noqa: E402

PROMPT = "Q: Where is Nadia?\nM: [m1] Nadia in Oslo.\nT: Elena in Hamburg. Fog in Rome."
REPLY = '<read_memory> Nadia</read_memory><update_memory id="m1"> Nadia in Rome.</update_memory><answer> Rome</answer>'


def made(folder: Path, seed: int = 0) -> Path:
    make_policy(folder, seed=seed, width=32, heads=2, episodes=60)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("policy") / "tiny")


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(folder)


def ids(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def test_the_folder_is_a_stock_model_that_generates(folder: Path, tokenizer: Any) -> None:
    network = transformers.AutoModelForCausalLM.from_pretrained(folder)
    written = network.generate(torch.tensor([ids(tokenizer, PROMPT)]), max_new_tokens=3, do_sample=False)
    assert written.shape[1] >= len(ids(tokenizer, PROMPT)) + 1


def test_words_and_tags_are_single_tokens(tokenizer: Any) -> None:
    assert [tokenizer.decode([one]) for one in ids(tokenizer, REPLY)] == [
        "<read_memory>", " Nadia", "</read_memory>", '<update_memory id="', "m1", '">', " Nadia", " in", " Rome", ".",
        "</update_memory>", "<answer>", " Rome", "</answer>",
    ]  # fmt: skip


@pytest.mark.parametrize("text", [PROMPT, REPLY, "", "日本 ไทย 🙂", "\x00 é \n\n  x", "a" * 100_000], ids=ascii)
def test_any_text_comes_back_as_it_was(tokenizer: Any, text: str) -> None:
    assert tokenizer.decode(ids(tokenizer, text), skip_special_tokens=True) == text


def test_the_chat_template_adds_two_tokens(tokenizer: Any) -> None:
    chat = [{"role": "user", "content": PROMPT}]
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    assert len(ids(tokenizer, text)) == len(ids(tokenizer, PROMPT)) + 2


def test_the_same_seed_makes_the_same_files_and_leaves_torchs_numbers_alone(folder: Path, tmp_path: Path) -> None:
    before = torch.random.get_rng_state()
    again = made(tmp_path / "again")
    assert torch.equal(before, torch.random.get_rng_state())
    for name in ("model.safetensors", "tokenizer.json"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_another_seed_makes_other_weights(folder: Path, tmp_path: Path) -> None:
    other = made(tmp_path / "other", seed=1)
    assert (other / "model.safetensors").read_bytes() != (folder / "model.safetensors").read_bytes()


def test_the_command_makes_a_policy_and_never_writes_over_one(tmp_path: Path) -> None:
    new = command("new")
    new.main(["model", "small", "--out", str(tmp_path), "--seed", "3"], standalone_mode=False)
    assert (tmp_path / "small" / "config.json").is_file()
    with pytest.raises(FileExistsError):
        new.main(["model", "small", "--out", str(tmp_path)], standalone_mode=False)
