"""The synthetic world without dates: only the order in which things are said tells what holds now."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgym.envs.synthetic import Synthetic, validate
from memgym.envs.synthetic.filler import MENTIONS, OPENINGS, SMALL_TALK
from memgym.envs.synthetic.language import WORDINGS, fill
from memgym.envs.synthetic.names import SCRIPTS
from memgym.envs.synthetic.reader import read
from memgym.envs.synthetic.relations import MONTHS, RELATIONS
from memgym.envs.synthetic.rules import RulesModel
from memgym.envs.synthetic.solve import answer
from memgym.envs.synthetic.stream import shuffled
from memgym.envs.synthetic.undated import UNDATED
from memgym.envs.synthetic.world import Fact
from memgym.model import Request
from memgym.operations import Advance
from memgym.task import Sample

OLD, NEW = "Mira Solen goes to work at Vox Trust.", "Lark Press employs Mira Solen."
LATER = "Mira Solen now earns a salary from Rook Works."
BORN = "Mira Solen was born in Ostbarrow."
WORK = "Where does Mira Solen work?"
DATES = re.compile(rf"(?:{'|'.join(MONTHS)}) (20[0-2]\d)")
DATED_SAMPLES = "354e8e68b077e2f0"


def ask(name: str, **inputs: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asyncio.run(RulesModel().chat(Request(name, (), inputs))).text)
    return found


def undated(**options: Any) -> Synthetic:
    return Synthetic(**{"documents": 40, "conflicts": 0.8, "revisions": "undated", **options})


def stream(benchmark: Synthetic, sample: Sample, seed: int) -> str:
    task, parts = benchmark.task(sample, np.random.default_rng(seed)), []
    while task.view.phase == "read":
        parts.append(task.view.text)
        task.take(Advance())
    return "\n\n".join(parts)


worlds = st.fixed_dictionaries(
    {
        "documents": st.integers(12, 60),
        "questions": st.sampled_from([1, (1, 3)]),
        "hops": st.sampled_from([2, (2, 4)]),
        "conflicts": st.sampled_from([0.0, 0.4, 1.0]),
        "scripts": st.lists(st.sampled_from(SCRIPTS), min_size=1, unique=True),
    }
)
NUMBERS = st.integers(0, 9_999_999)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(options=worlds, number=NUMBERS)
def test_every_undated_sample_of_any_options_is_valid(options: dict[str, object], number: int) -> None:
    sample = undated(**options).sample(f"validation-{number:07d}")
    validate(sample)
    assert len({document.title for document in sample.documents}) == options["documents"]


@settings(max_examples=40, deadline=None)
@given(number=NUMBERS, seed=st.integers(0, 2**32))
def test_in_the_order_of_any_episode_every_question_is_answered_right(number: int, seed: int) -> None:
    benchmark = undated(questions=3, chunk_tokens=1000)
    sample = benchmark.sample(f"validation-{number:07d}")
    text = stream(benchmark, sample, seed)
    assert [answer(one.text, text) in one.answers for one in sample.questions] == [True] * 3


@settings(max_examples=60, deadline=None)
@given(number=NUMBERS, seed=st.integers(0, 2**32))
def test_no_document_is_read_before_what_it_revises(number: int, seed: int) -> None:
    sample = undated(conflicts=1.0).sample(f"validation-{number:07d}")
    before = sample.data["before"]
    order = shuffled(len(sample.documents), before, np.random.default_rng(seed))
    assert before
    assert sorted(order) == list(range(len(sample.documents)))
    assert all(order.index(first) < order.index(second) for first, second in before)


@given(
    count=st.integers(2, 12),
    drawn=st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11))),
    seed=st.integers(0, 2**32),
)
def test_any_pairs_without_a_circle_can_be_kept(count: int, drawn: set[tuple[int, int]], seed: int) -> None:
    before = sorted((low, high) for low, high in drawn if low < high < count)
    order = shuffled(count, before, np.random.default_rng(seed))
    assert sorted(order) == list(range(count))
    assert all(order.index(first) < order.index(second) for first, second in before)


def test_every_order_that_is_allowed_is_as_likely() -> None:
    """Of five documents and a chain of two revisions: 5! / 3! orders."""
    rng = np.random.default_rng(0)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(8000):
        order = tuple(shuffled(5, ((0, 1), (1, 2)), rng))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 20
    assert sum((count - 400) ** 2 / 400 for count in counts.values()) < 43.8  # chi square of 19, p = 0.001


def test_without_pairs_the_order_is_the_permutation_that_is_drawn() -> None:
    assert shuffled(50, (), np.random.default_rng(3)) == np.random.default_rng(3).permutation(50).tolist()


def test_the_world_and_its_questions_are_those_of_the_dated_one() -> None:
    for number in range(20):
        id = f"validation-{number:07d}"
        dated, plain = (
            Synthetic(documents=60, questions=4, conflicts=0.8, revisions=one).sample(id)
            for one in ("dated", "undated")
        )
        assert [(one.text, one.answers) for one in dated.questions] == [
            (one.text, one.answers) for one in plain.questions
        ]
        assert [one[:3] for question in dated.questions for one in question.facts] == [
            one for question in plain.questions for one in question.facts
        ]


def test_the_category_of_a_question_says_whether_it_needs_a_revision() -> None:
    for number in range(10):
        sample = undated(questions=4, conflicts=1.0).sample(f"validation-{number:07d}")
        facts = [one.fact for one in read("\n\n".join(document.render() for document in sample.documents)) if one.fact]
        stated = [(fact.subject, fact.relation) for fact in facts]
        for question in sample.questions:
            revised = any(stated.count((subject, relation)) > 1 for subject, relation, _ in question.facts)
            assert question.category.endswith("-revised") == revised


def test_dated_samples_are_what_they_always_were() -> None:
    samples = [Synthetic(documents=40, questions=(1, 4)).sample(f"validation-{number:07d}") for number in range(10)]
    said = json.dumps([asdict(one) for one in samples], sort_keys=True)
    assert hashlib.sha256(said.encode()).hexdigest()[:16] == DATED_SAMPLES


def test_nothing_that_may_be_revised_has_a_date() -> None:
    for number in range(10):
        sample = undated(documents=100).sample(f"validation-{number:07d}")
        text = "\n\n".join(one.render() for one in sample.documents)
        assert not DATES.search(text)
        assert {one.fact.date for one in read(text) if one.fact} == {0}


def test_an_old_statement_and_its_revision_share_every_sentence() -> None:
    """Whether a sentence states or revises cannot be told from it: all wordings are used for both."""
    seen: dict[bool, set[str]] = {True: set(), False: set()}
    for number in range(12):
        sample = undated(documents=200, conflicts=1.0).sample(f"validation-{number:07d}")
        known: set[tuple[str, str]] = set()
        for one in read("\n\n".join(document.render() for document in sample.documents)):
            if one.fact is not None and RELATIONS[one.fact.relation].dated:
                key = (one.fact.subject, one.fact.relation)
                seen[key in known].add(one.text.replace(one.fact.subject, "{s}").replace(one.fact.object, "{o}"))
                known.add(key)
    forms = {form for wording in UNDATED.values() for form in (*wording.forward, *wording.inverse)}
    assert seen == {True: forms, False: forms}


@pytest.mark.parametrize("relation", UNDATED)
def test_every_undated_wording_is_read_back_as_its_fact(relation: str) -> None:
    object = "12,345" if relation == "population" else "Kesta Dolm"
    wording = UNDATED[relation]
    for template in (*wording.forward, *wording.inverse):
        [statement] = read(fill(template, {"s": "Mira Solen", "o": object}))
        assert statement.fact == Fact("Mira Solen", relation, object)


def test_every_relation_that_may_be_revised_has_undated_wordings_and_no_other() -> None:
    assert set(UNDATED) == {name for name, relation in RELATIONS.items() if relation.dated}


def test_no_other_sentence_of_the_world_is_read_as_an_undated_fact() -> None:
    values = {"s": "Mira Solen", "o": "Kesta Dolm", "d": "May 2016", "p": "Nova Dolm", "x": "Kesta Dolm", "a": "quiet"}
    numbers = {"population": {"o": "12,345", "p": "9,876"}}
    for relation in UNDATED:
        wording = WORDINGS[relation]
        for template in (*wording.forward, *wording.inverse, *wording.revision):
            [said] = read(fill(template, values | numbers.get(relation, {})))
            assert said.fact is not None
            assert said.fact.date == 2016 * 12 + 4
    for table in (OPENINGS, SMALL_TALK, MENTIONS):
        for template in (template for templates in table.values() for template in templates):
            [said] = read(fill(template, {**values, "t": "lawyer"}))
            assert said.fact is None


# ------------------------------------------------------------------ the rules model


def test_of_two_undated_statements_the_one_that_stands_last_is_taken() -> None:
    assert answer(WORK, f"{OLD}\n{NEW}") == "Lark Press"
    assert answer(WORK, f"{NEW}\n{OLD}") == "Vox Trust"


def test_a_statement_that_no_longer_holds_is_not_taken() -> None:
    assert answer(WORK, f"{NEW}\n{OLD} (no longer holds)") == "Lark Press"
    assert answer(WORK, f"{OLD} (no longer holds)") == "unknown"


def test_a_fact_that_comes_in_without_a_date_updates_what_is_stored() -> None:
    assert ask("decide", fact=NEW, memories=[f"[m1] {BORN}", f"[m7] {OLD}"]) == {
        "action": "update", "id": "m7", "text": NEW,
    }  # fmt: skip
    assert ask("decide", fact=NEW, memories=[f"[m7] {NEW}"])["action"] == "none"


def test_only_what_may_be_revised_is_updated_without_a_date() -> None:
    assert ask("decide", fact=BORN, memories=["[m7] Mira Solen was born in Kesthaven."])["action"] == "none"


def test_a_fact_that_comes_in_without_a_date_invalidates_what_is_stored() -> None:
    memories = [f"[m1] {OLD}", f"[m2] {BORN}", f"[m3] {NEW}"]
    assert ask("invalidate", fact=NEW, memories=memories)["ids"] == ["m1"]


@pytest.mark.parametrize("kind", ["evolve", "link_and_evolve"])
def test_a_revised_neighbour_says_in_its_context_what_came_in_its_place(kind: str) -> None:
    note, neighbours = f"{NEW}\ncontext: About Mira Solen.", [f"[m1] {OLD}\ncontext: Old news.", f"[m2] {BORN}"]
    contexts = {one["id"]: one["context"] for one in ask(kind, note=note, neighbours=neighbours)["changes"]}
    assert contexts["m1"].startswith("Old news.")
    assert contexts["m1"].endswith(NEW)
    assert NEW not in contexts["m2"]
    assert answer(WORK, f"{NEW}\n\n{OLD}\ncontext: {contexts['m1']}") == "Lark Press"


def test_notes_keep_what_was_read_last() -> None:
    def note(scratchpad: str, text: str) -> str:
        said = ask("note", questions=[WORK], scratchpad=scratchpad, text=text, limit=1000)["scratchpad"]
        assert isinstance(said, str)
        return said

    assert note(note(note("", OLD), NEW), LATER) == LATER
    assert note("", f"{LATER} {OLD}") == OLD


def test_a_summary_keeps_what_was_said_last() -> None:
    assert ask("summarise", texts=[OLD, BORN, NEW], focus=[], limit=1000)["text"] == f"{BORN}\n{NEW}"
