"""The baselines, played by the real loop in a real environment on the tests' own small world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from colour_reader import ColourReader
from small_world import colours

from memgym import make_agent
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Cast, play

ANSWERING = ["no-memory", "full-context", "bm25-rag", "dense-rag", "hybrid-rag", "scratchpad-only"]


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with colours():
        yield


def played(
    agent: str, reader: ColourReader | None = None, agent_options: dict[str, Any] | None = None, **options: Any
) -> EpisodeRecord:
    """Play one episode of three documents and two questions, with the hashing encoder."""
    options = {"things": 3, "questions": 2, "encoder": "hashing", **options}
    episode = Episode("e", "Colours", agent, 1, options=options, agent_options=agent_options or {}, model="reader")
    [record] = play([episode], cast=Cast({"reader": reader or ColourReader()}))
    return record


def score(record: EpisodeRecord) -> float:
    assert record.error is None
    assert record.outcome is not None
    assert record.terminated
    return record.outcome.reward


@pytest.mark.parametrize("agent", ["full-context", "bm25-rag", "dense-rag", "hybrid-rag", "scratchpad-only"])
@pytest.mark.parametrize("advance", ["always", "explicit", "on_write"])
def test_an_agent_that_keeps_what_it_read_answers_right(agent: str, advance: str) -> None:
    assert score(played(agent, advance=advance)) == 1.0


def test_without_memory_nothing_is_known() -> None:
    reader = ColourReader()
    assert score(played("no-memory", reader)) == 0.0
    assert [asked["text"] for asked in reader.asked("answer")] == ["", ""]


@pytest.mark.parametrize("agent", ANSWERING)
def test_the_same_episode_is_played_the_same(agent: str) -> None:
    assert played(agent).to_json() == played(agent).to_json()


@pytest.mark.parametrize("agent", ANSWERING)
def test_an_agent_without_a_model_says_how_to_give_one(agent: str) -> None:
    with pytest.raises(ValueError, match=f"{agent}.*model="):
        make_agent(agent)


@pytest.mark.parametrize("agent", ANSWERING)
def test_an_agent_is_called_as_its_catalog_says(agent: str) -> None:
    assert make_agent(agent, model=ColourReader()).name == agent


@pytest.mark.parametrize("agent", ANSWERING)
def test_an_agent_that_only_answers_refuses_a_world_to_act_in(agent: str) -> None:
    import asyncio

    from memgym.agent import Observation
    from memgym.task import TaskView

    async def act() -> None:
        player = make_agent(agent, model=ColourReader())
        await player.reset(None)  # type: ignore[arg-type]
        await player.act(Observation(TaskView("", "You are in a room.", "act", ("act",)), "", (), (), 0, 9))

    with pytest.raises(ValueError, match="needs one that acts"):
        asyncio.run(act())


# ---------------------------------------------------------------- full-context


def test_full_context_uses_no_memory_at_all() -> None:
    record = played("full-context")
    assert all(result.operation in {"advance", "answer"} for step in record.steps for result in step.results)
    assert record.steps[-1].size == 0


def test_full_context_drops_the_oldest_chunks_when_it_is_full() -> None:
    reader = ColourReader()
    played("full-context", reader, {"context_tokens": 20}, things=3)
    text = reader.asked("answer")[0]["text"]
    assert len(text.split()) < 20
    assert text.count("The colour of thing") == 1


def test_full_context_keeps_the_end_of_a_chunk_that_does_not_fit() -> None:
    reader = ColourReader()
    played("full-context", reader, {"context_tokens": 5}, things=1, questions=1)
    assert reader.asked("answer")[0]["text"].endswith(".")
    assert "Thing 0\n" not in reader.asked("answer")[0]["text"]


# ---------------------------------------------------------------- retrieval


def kinds(record: EpisodeRecord) -> list[list[str]]:
    return [[result.operation for result in step.results] for step in record.steps]


def test_rag_takes_one_step_a_chunk_and_reads_before_it_answers() -> None:
    reading = [["create", "advance"]] * 3
    assert kinds(played("bm25-rag")) == [*reading, ["read"], ["answer"], ["read"], ["answer"]]


def test_rag_asks_for_the_next_question_with_the_answer_where_it_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from small_world import ColourTask

    view = ColourTask.view.fget
    assert view is not None

    def with_questions(task: ColourTask) -> Any:
        shown = view(task)
        return replace(shown, questions=tuple(q.text for q in task.sample.questions)) if task.reading else shown

    monkeypatch.setattr(ColourTask, "view", property(with_questions))
    record = played("bm25-rag")
    assert kinds(record)[3:] == [["read"], ["read", "answer"], ["answer"]]
    assert score(record) == 1.0


def test_rag_answers_from_what_was_read_and_from_nothing_else() -> None:
    reader = ColourReader()
    played("bm25-rag", reader, {"k": 1})
    assert [asked["text"].count("The colour") for asked in reader.asked("answer")] == [1, 1]


def test_rag_with_one_step_left_answers_from_what_it_has() -> None:
    record = played("bm25-rag", max_steps=4, questions=1)
    assert kinds(record)[-1] == ["answer"]


def test_more_rounds_read_on_from_the_best_hit() -> None:
    reader = ColourReader()
    record = played("bm25-rag", reader, {"rounds": 3, "k": 1}, questions=1)
    assert kinds(record)[3:] == [["read"], ["read"], ["answer"]]
    assert score(record) == 1.0
    second = record.steps[4].action
    assert "What is the colour of thing 0?" in second
    assert "The colour of thing 0 is" in second


def test_rag_refuses_a_way_of_reading_that_the_environment_lacks() -> None:
    record = played("dense-rag", encoder=None)
    assert record.error is not None
    assert "encoder='minilm'" in record.error


def test_rag_whose_reads_are_masked_answers_unknown() -> None:
    record = played("bm25-rag", operations=("create", "scratchpad"))
    assert score(record) == 0.0


@pytest.mark.parametrize(("options", "message"), [({"rounds": 0}, "rounds"), ({"granularity": "word"}, "granularity")])
def test_an_option_out_of_range_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent("bm25-rag", model=ColourReader(), **options)


# ---------------------------------------------------------------- scratchpad-only


def test_the_scratchpad_is_rewritten_at_every_chunk_and_answered_from() -> None:
    reader = ColourReader()
    record = played("scratchpad-only", reader, {"limit": 50})
    assert kinds(record)[:3] == [["scratchpad", "advance"]] * 3
    assert [note["limit"] for note in reader.asked("note")] == [50, 50, 50]
    assert [note["scratchpad"].count("The colour") for note in reader.asked("note")] == [0, 1, 2]
    assert reader.asked("answer")[0]["text"].count("The colour") == 3


def test_a_note_that_cannot_be_used_leaves_the_scratchpad_and_is_counted() -> None:
    class Silent(ColourReader):
        def note(self, questions: list[str], scratchpad: str, text: str, limit: int) -> dict[str, str]:
            return {} if scratchpad else super().note(questions, scratchpad, text, limit)

    record = played("scratchpad-only", Silent())
    assert (record.usage.retries, record.usage.failures) == (4, 2)
    assert 0.0 <= score(record) < 1.0
