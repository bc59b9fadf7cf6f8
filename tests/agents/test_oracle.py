"""The oracle: told which texts matter, and bound by the rules in everything else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from colour_reader import ColourReader
from small_world import colours

from memgym.agent import Briefing, Observation
from memgym.agents.oracle import Oracle
from memgym.dialects.xml import XmlDialect
from memgym.operations import OPERATIONS, Action, Advance, Answer, Create, Result, Status
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import Cast, play
from memgym.task import Document, Question, Sample, TaskView

MIA = "She lives in Oslo."
TOM = "He lives in Bergen."
SAMPLE = Sample(
    "s",
    (Question("Where is Mia?", ("Oslo",), (MIA,)), Question("Where is Tom?", ("Bergen",), (TOM,))),
    (Document("Mia", f"Mia is 8. {MIA}"), Document("Tom", f"{TOM} He is 9.")),
)


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with colours():
        yield


def played(model: str | None = None, reader: ColourReader | None = None, **options: Any) -> EpisodeRecord:
    options = {"things": 6, "questions": 3, **options}
    episode = Episode("e", "Colours", "oracle", 1, options=options, model=model)
    [record] = play([episode], cast=Cast({"reader": reader or ColourReader()}))
    assert record.error is None
    assert record.outcome is not None
    return record


def acts(oracle: Oracle, sample: Sample | None, *views: TaskView, status: Status = Status.OK) -> list[Action]:
    """Return what the oracle does at each view, when all that it did before ended with ``status``."""

    async def act() -> list[Action]:
        await oracle.reset(Briefing(np.random.default_rng(0), XmlDialect(), frozenset(OPERATIONS), 6, sample))
        done: list[Action] = []
        for number, view in enumerate(views):
            before = done[-1].operations if done else ()
            results = tuple(Result(operation.kind, status) for operation in before)
            done.append(await oracle.act(Observation(view, "", (), results, number, 1)))
        return done

    return asyncio.run(act())


def reading(text: str) -> TaskView:
    return TaskView("", text, "read", ("advance",))


def asking(question: str) -> TaskView:
    return TaskView("", question, "answer", ("answer",), (question,))


def test_with_a_reader_it_is_an_upper_bound() -> None:
    reader = ColourReader()
    record = played("reader", reader)
    assert record.outcome is not None
    assert record.outcome.reward == 1.0
    assert record.outcome.metrics["evidence_stored"] == 1.0
    assert record.outcome.metrics["evidence_shown"] == 1.0
    assert record.privileged


def test_the_reader_sees_exactly_the_evidence_of_the_question() -> None:
    reader = ColourReader()
    played("reader", reader)
    assert [asked["text"].count("The colour of") for asked in reader.asked("answer")] == [1, 1, 1]


def test_without_a_reader_it_answers_gold() -> None:
    record = played()
    assert record.outcome is not None
    assert record.outcome.reward == 1.0
    assert record.usage.calls == 0


def test_only_evidence_is_stored() -> None:
    assert played(things=6, questions=3).steps[-1].size == 3


def test_evidence_that_the_memory_refused_is_not_known() -> None:
    record = played(capacity=1)
    assert record.outcome is not None
    assert record.outcome.reward == pytest.approx(1 / 3)


def test_evidence_is_stored_when_its_chunk_shows_it_and_under_its_title() -> None:
    first, second, *_ = acts(Oracle(), SAMPLE, reading(f"Mia\nMia is 8. {MIA}"), reading("Nothing."))
    assert first == Action((Create(f"Mia\n{MIA}"),), Advance())
    assert second == Action((), Advance())


@pytest.mark.parametrize("cut", range(1, len(MIA)))
def test_evidence_that_a_cut_has_split_is_seen(cut: int) -> None:
    actions = acts(Oracle(), SAMPLE, reading(f"Mia is 8. {MIA[:cut]}"), reading(f"{MIA[cut:]} More."))
    assert [len(action.operations) for action in actions] == [0, 1]


def test_evidence_that_never_came_by_is_not_known() -> None:
    views = [reading(f"Mia is 8. {MIA}"), asking("Where is Mia?"), asking("Where is Tom?")]
    assert [action.command for action in acts(Oracle(), SAMPLE, *views)] == [
        Advance(),
        Answer("Oslo"),
        Answer("unknown"),
    ]


def test_a_duplicate_is_there_and_a_refused_entry_is_not() -> None:
    views = [reading(MIA), asking("Where is Mia?")]
    assert acts(Oracle(), SAMPLE, *views, status=Status.DUPLICATE)[-1].command == Answer("Oslo")
    assert acts(Oracle(), SAMPLE, *views, status=Status.OVER_CAPACITY)[-1].command == Answer("unknown")


def test_a_question_that_was_skipped_does_not_shift_the_answers() -> None:
    assert acts(Oracle(), SAMPLE, reading(TOM), asking("Where is Tom?"))[-1].command == Answer("Bergen")


def test_a_question_that_the_sample_does_not_have_is_an_error() -> None:
    with pytest.raises(LookupError, match="Who"):
        acts(Oracle(), SAMPLE, asking("Who?"))


def test_without_the_sample_it_cannot_play() -> None:
    with pytest.raises(ValueError, match="privileged"):
        acts(Oracle(), None, reading(""))
