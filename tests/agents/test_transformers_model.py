"""An in-process model: a tiny Llama with random weights and a tokenizer trained here, nothing downloaded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memgym.agents.models.transformers import TransformersModel
from memgym.model import Message, ModelError, Request

torch = pytest.importorskip("torch", reason="needs the extra [transformers]")
transformers = pytest.importorskip("transformers", reason="needs the extra [transformers]")
tokenizers = pytest.importorskip("tokenizers", reason="needs the extra [transformers]")

pytestmark = pytest.mark.model

TEXTS = ["Mia lives in Oslo and works at the harbour.", "Tom lives in Bergen.", "日本 ไทย 👩 are texts too."] * 20
TEMPLATE = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}</s>{% endfor %}<|assistant|>"
CONTEXT = 256


def tokenizer() -> Any:
    trained = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=None))
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    special = ["<s>", "</s>"]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    trained.train_from_iterator(TEXTS, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=trained, bos_token="<s>", eos_token="</s>")


def save(folder: Path, template: str | None) -> str:
    """Write a model folder; its stored generation settings are such that using them would be seen."""
    words = tokenizer()
    words.chat_template = template
    words.save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=CONTEXT, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    torch.manual_seed(0)
    network = transformers.LlamaForCausalLM(config)
    network.generation_config = transformers.GenerationConfig(do_sample=True, top_k=1, eos_token_id=[1], max_length=20)
    network.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TransformersModel:
    return TransformersModel(save(tmp_path_factory.mktemp("llama"), TEMPLATE), threads=1)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> TransformersModel:
    return TransformersModel(save(tmp_path_factory.mktemp("plain"), None), threads=1)


def request(text: str = "Where does Mia live?", **changes: Any) -> Request:
    return Request("answer", (Message("user", text),), **{"max_tokens": 12, **changes})


def test_greedy_replies_are_the_same_every_time(model: TransformersModel) -> None:
    first, second = (asyncio.run(model.chat(request())) for _ in range(2))
    assert first == second
    assert first.usage.calls == 1
    assert first.usage.prompt_tokens == len(first.prompt_ids or ())
    assert first.usage.completion_tokens == len(first.response_ids or ()) > 0


def test_sampling_follows_the_seed_and_not_the_global_state(model: TransformersModel) -> None:
    replies = []
    for state in (1, 2):
        torch.manual_seed(state)
        replies.append(asyncio.run(model.chat(request(temperature=1.0, seed=5))))
    assert replies[0] == replies[1]
    others = {asyncio.run(model.chat(request(temperature=1.0, seed=seed))).response_ids for seed in range(4)}
    assert len(others) == 4


def test_sampling_leaves_the_global_random_state_alone(model: TransformersModel) -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    asyncio.run(model.chat(request(temperature=1.0, seed=5)))
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_log_probabilities_are_those_of_the_raw_distribution(model: TransformersModel, temperature: float) -> None:
    reply = asyncio.run(model.chat(request(temperature=temperature, seed=1)))
    prompt, response = list(reply.prompt_ids or ()), list(reply.response_ids or ())
    with torch.inference_mode():
        logits = model._network(torch.tensor([prompt + response])).logits[0, len(prompt) - 1 : -1]
    expected = torch.log_softmax(logits.float(), -1)[range(len(response)), response]
    assert reply.logprobs == pytest.approx(expected.tolist(), abs=1e-4)


def test_greedy_takes_the_likeliest_token(model: TransformersModel) -> None:
    reply = asyncio.run(model.chat(request(max_tokens=1)))
    with torch.inference_mode():
        logits = model._network(torch.tensor([list(reply.prompt_ids or ())])).logits[0, -1]
    assert reply.response_ids == (int(logits.argmax()),)


def test_a_chat_template_is_used(model: TransformersModel) -> None:
    assert model.render([Message("system", "s"), Message("user", "u")]) == "<|system|>s</s><|user|>u</s><|assistant|>"


def test_without_a_chat_template_the_format_is_plain(plain: TransformersModel) -> None:
    assert plain.render([Message("system", "s"), Message("user", "u")]) == "System: s\n\nUser: u\n\nAssistant:"
    assert asyncio.run(plain.chat(request())).response_ids


@pytest.mark.parametrize("text", ["", "\ud800", "\x00", "日本 ไทย 👩‍👩‍👧"])
def test_any_text_can_be_asked(model: TransformersModel, text: str) -> None:
    assert isinstance(asyncio.run(model.chat(request(text, max_tokens=2))).text, str)


def test_a_prompt_longer_than_the_context_is_a_model_error(model: TransformersModel) -> None:
    with pytest.raises(ModelError, match=f"takes {CONTEXT}"):
        asyncio.run(model.chat(request("Mia " * 1000)))


def test_a_reply_is_cut_where_the_context_ends(model: TransformersModel) -> None:
    reply = asyncio.run(model.chat(request(max_tokens=10_000)))
    assert len(reply.prompt_ids or ()) + len(reply.response_ids or ()) <= CONTEXT


def test_many_requests_at_once_are_answered_as_one_by_one(model: TransformersModel) -> None:
    asked = [
        request(f"Where is {name}?", temperature=1.0, seed=number) for number, name in enumerate(["Mia", "Tom", "Ann"])
    ]

    async def together() -> list[Any]:
        return list(await asyncio.gather(*(model.chat(one) for one in asked)))

    assert asyncio.run(together()) == [asyncio.run(model.chat(one)) for one in asked]


def test_the_event_loop_lives_while_a_model_writes(model: TransformersModel) -> None:
    async def count() -> int:
        writing = asyncio.create_task(model.chat(request(max_tokens=100)))
        turns = 0
        while not writing.done():
            turns += 1
            await asyncio.sleep(0)
        await writing
        return turns

    assert asyncio.run(count()) > 10
