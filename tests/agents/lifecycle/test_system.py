"""MemorySystem: parts that fit play, parts that do not are refused, and promises are looked at."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import memgym
from memgym.agents.lifecycle.builtin import PassageFormation, TextSearch, TextStore
from memgym.agents.lifecycle.promises import BrokenPromise, Promises
from memgym.agents.lifecycle.system import MemorySystem
from memgym.contracts import ContractError
from memgym.operations import Create
from memgym.records import Episode
from memgym.rollout import play

PLAIN = {"backend": "text.backend", "formation": "passage.formation", "retrieval": "text.retrieval"}


def built(**parts) -> MemorySystem:
    return MemorySystem(memgym.make_model("rules"), **{**PLAIN, **parts})


def played(agent: str, seeds: Sequence[int] = (0, 1), **fields):
    options = {"questions": 3, "advance": "explicit"}
    return play(
        Episode(f"{seed}", "MemGym/Synthetic-50doc", agent, seed, options=options, model="rules", **fields)
        for seed in seeds
    )


def test_plain_parts_play_like_the_plain_agent():
    system = played("memory-system", agent_options=PLAIN)
    agent = played("bm25-rag")
    for ours, theirs in zip(system, agent, strict=True):
        assert ours.error is None
        assert ours.outcome.predictions == theirs.outcome.predictions


def test_a_part_that_lacks_its_index_is_refused_and_the_provider_is_named():
    with pytest.raises(ContractError, match=r"dense\.retrieval.*text_embedding_index.*vector\.backend"):
        built(retrieval="dense.retrieval")


def test_parts_may_be_instances():
    system = MemorySystem(
        memgym.make_model("rules"), backend=TextStore(), formation=PassageFormation(), retrieval=TextSearch(k=3)
    )
    assert system.parts["retrieval"].k == 3


def test_options_reach_the_part_of_their_stage():
    assert built(options={"retrieval": {"k": 9}}).parts["retrieval"].k == 9


def test_an_option_that_a_part_does_not_take_is_an_error_with_the_nearest():
    with pytest.raises(TypeError, match="follow"):
        built(options={"retrieval": {"folow": 1}})


def test_options_of_an_unknown_stage_are_an_error():
    with pytest.raises(LookupError, match="retrieval"):
        built(options={"retrieve": {"k": 9}})


def test_a_part_of_another_stage_is_refused():
    with pytest.raises(ValueError, match="cannot be the backend"):
        built(backend="text.retrieval")


def test_a_missing_part_is_named():
    with pytest.raises(ValueError, match="formation"):
        MemorySystem(memgym.make_model("rules"), backend="text.backend", retrieval="text.retrieval")


def test_without_a_model_the_error_says_how_to_give_one():
    with pytest.raises(ValueError, match="model="):
        MemorySystem(**PLAIN)


def test_a_backend_asks_for_its_encoder_and_every_system_for_explicit_advance():
    system = built(backend="vector.backend", options={"backend": {"encoder": "hashing"}})
    assert system.needs == {"advance": "explicit", "encoder": "hashing"}


class Silent(PassageFormation):
    """Promises keywords and writes none."""

    name = "silent.formation"
    provides = frozenset({"text_content", "keywords"})


def test_a_promise_that_is_not_kept_names_component_and_key():
    with pytest.raises(BrokenPromise, match=r"silent\.formation.*keywords"):
        Promises(Silent.contract()).check([Create("text")])


def test_a_promise_is_kept_if_one_of_the_first_entries_has_the_key():
    Promises(Silent.contract()).check([Create("text"), Create("more", keywords=("k",))])


def test_only_the_first_batch_is_looked_at():
    promises = Promises(Silent.contract())
    promises.check([Create("text", keywords=("k",))])
    promises.check([Create("text")])
