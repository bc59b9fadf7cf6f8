"""Sampling from a real model: the same replies as one by one, with the log-probabilities of a trainer's forward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_policy import NEEDED, network, tokenizer

from memgym.train.sampling import BatchSampler, drawn_tokens
from memgym.train.segments import Generated, Sampling

torch = pytest.importorskip("torch", reason=NEEDED)
transformers = pytest.importorskip("transformers", reason=NEEDED)

TEXTS = ["", "a", "Who works in Oslo?", "日本 ไทย 👩 are texts too. " * 5, "x" * 200]


@pytest.fixture(scope="module")
def words() -> Any:
    return tokenizer()


@pytest.fixture(scope="module")
def model(words: Any) -> Any:
    return network(words)


def prompts(words: Any) -> list[list[int]]:
    return [words(f"<|start|>{text}<|end|>")["input_ids"] for text in TEXTS]


def sampled(model: Any, asked: Sequence[list[int]], how: Sequence[Sampling], **options: Any) -> list[Generated]:
    return BatchSampler(model, [2], **options).generate(asked, how)


def test_greedy_replies_are_those_of_transformers_one_by_one(model: Any, words: Any) -> None:
    asked = prompts(words)
    got = sampled(model, asked, [Sampling(12, 0.0)] * len(asked))

    for prompt, one in zip(asked, got, strict=True):
        ids = torch.tensor([prompt])
        mask = torch.ones_like(ids)
        said = model.generate(ids, attention_mask=mask, max_new_tokens=12, do_sample=False)[0, len(prompt) :].tolist()
        assert list(one.ids) == said


@pytest.mark.parametrize("heat", [0.0, 0.7, 1.0])
def test_logprobs_are_those_of_one_forward_pass_over_prompt_and_reply(model: Any, words: Any, heat: float) -> None:
    asked = prompts(words)
    how = [Sampling(5 + 7 * at, heat, seed=at) for at in range(len(asked))]

    for prompt, one in zip(asked, sampled(model, asked, how), strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([prompt + list(one.ids)])).logits[0, len(prompt) - 1 : -1]
        wanted = torch.log_softmax(logits / (heat or 1.0), -1).gather(1, torch.tensor(one.ids)[:, None])[:, 0].exp()
        assert np.abs(wanted.numpy() - np.exp(np.array(one.logprobs))).max() < 1e-6


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_a_reply_does_not_depend_on_what_else_is_in_the_batch(model: Any, words: Any, rows: int) -> None:
    asked = prompts(words)
    how = [Sampling(3 + 9 * at, 1.0, seed=at) for at in range(len(asked))]

    alone = [sampled(model, [prompt], [one])[0].ids for prompt, one in zip(asked, how, strict=True)]
    assert [one.ids for one in sampled(model, asked, how, rows=rows)] == alone


def test_seeds_decide_what_is_sampled(model: Any, words: Any) -> None:
    asked = [prompts(words)[2]] * 3
    first, second, other = sampled(model, asked, [Sampling(20, 1.0, 1), Sampling(20, 1.0, 1), Sampling(20, 1.0, 2)])

    assert first.ids == second.ids
    assert first.ids != other.ids


def test_tokens_are_drawn_as_often_as_they_are_probable(model: Any, words: Any) -> None:
    prompt = prompts(words)[2]
    got = sampled(model, [prompt] * 4000, [Sampling(1, 1.5, seed) for seed in range(4000)], rows=1000)
    with torch.no_grad():
        wanted = torch.softmax(model(torch.tensor([prompt])).logits[0, -1] / 1.5, -1).numpy()

    counts = np.bincount([one.ids[0] for one in got], minlength=len(wanted))
    often = wanted > 0.005
    deviations = (counts - 4000 * wanted)[often] / np.sqrt(4000 * wanted * (1 - wanted))[often]
    assert often.sum() > 3
    assert np.abs(deviations).max() < 4


def test_the_nucleus_and_the_number_of_best_tokens_bound_what_is_drawn(model: Any, words: Any) -> None:
    prompt = prompts(words)[2]
    base = Sampling(1, 3.0)
    with torch.no_grad():
        best = torch.softmax(model(torch.tensor([prompt])).logits[0, -1] / 3.0, -1).sort(descending=True)
    nucleus = best.indices[: int((best.values.cumsum(0) - best.values < 0.3).sum())].tolist()

    def drawn(how: Sampling) -> set[int]:
        return {one.ids[0] for one in sampled(model, [prompt] * 300, [replace(how, seed=at) for at in range(300)])}

    assert drawn(replace(base, top_k=2)) == set(best.indices[:2].tolist())
    assert drawn(replace(base, top_p=0.3)) <= set(nucleus)
    assert not drawn(base) <= set(nucleus)


def test_a_reply_ends_with_the_end_token_or_with_its_budget(model: Any, words: Any) -> None:
    prompt = prompts(words)[2]
    [free] = sampled(model, [prompt], [Sampling(30, 0.0)])
    first = free.ids[2]
    [ended] = BatchSampler(model, [first]).generate([prompt], [Sampling(30, 0.0)])

    assert (len(free.ids), free.finished) == (30, False)
    assert list(ended.ids) == list(free.ids[: list(free.ids).index(first) + 1])
    assert ended.finished


def other_network(kind: str, words: Any) -> Any:
    more = {"mistral": {"sliding_window": 8}, "lfm2": {"layer_types": ["conv", "full_attention"], "conv_L_cache": 3}}
    config = transformers.AutoConfig.for_model(
        kind, vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, pad_token_id=0, eos_token_id=2, initializer_range=0.2, **more[kind],
    )  # fmt: skip
    return transformers.AutoModelForCausalLM.from_config(config).eval()


@pytest.mark.parametrize("kind", ["mistral", "lfm2"])
def test_models_with_other_layers_than_full_attention_reply_as_alone(kind: str, words: Any) -> None:
    other, asked = other_network(kind, words), prompts(words)
    how = [Sampling(3 + 4 * at, 0.0) for at in range(len(asked))]

    for prompt, got in zip(asked, sampled(other, asked, how), strict=True):
        ids = torch.tensor([prompt])
        said = other.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=len(got.ids), do_sample=False, eos_token_id=2
        )
        assert list(got.ids) == said[0, len(prompt) :].tolist()


@settings(max_examples=50)
@given(
    st.lists(st.floats(0, 1, width=32, allow_subnormal=False), min_size=1, max_size=8).filter(any),
    st.floats(0, 1, exclude_max=True),
)
def test_what_has_no_probability_is_never_drawn(weights: list[float], draw: float) -> None:
    probabilities = torch.tensor([weights])
    [token] = drawn_tokens(torch, probabilities, torch.tensor([draw])).tolist()

    assert probabilities[0, token] > 0
