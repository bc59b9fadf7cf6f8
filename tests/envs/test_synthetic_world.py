"""The synthetic world: what a sample promises, for all options."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgym.envs.synthetic import Synthetic, validate
from memgym.envs.synthetic.names import HOUSES, SCRIPTS, SPLITS, pool
from memgym.operations import Advance
from memgym.registry import UnknownName, make_benchmark
from memgym.task import Question, Sample

KINDS = ("bridge", "comparison", "yesno")
PRINT_SAMPLE = """
import dataclasses, json
from memgym.envs.synthetic import Synthetic
sample = Synthetic(documents=40, questions=(1, 6), scripts=["latin", "han"]).sample("validation-0000042")
print(json.dumps(dataclasses.asdict(sample), sort_keys=True))
"""


def printed(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(
        [sys.executable, "-c", PRINT_SAMPLE], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_a_sample_is_the_same_in_processes_that_hash_differently() -> None:
    first = printed("1")
    assert json.loads(first)["id"] == "validation-0000042"
    assert first == printed("2")


options = st.fixed_dictionaries(
    {
        "documents": st.integers(12, 60),
        "questions": st.sampled_from([1, 2, (1, 3)]),
        "hops": st.sampled_from([2, 3, 4, (2, 4)]),
        "conflicts": st.sampled_from([0.0, 0.25, 1.0]),
        "similarity": st.sampled_from([0.0, 0.5, 1.0]),
        "split": st.sampled_from(SPLITS),
        "scripts": st.lists(st.sampled_from(SCRIPTS), min_size=1, unique=True),
    }
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(options=options, number=st.integers(0, 9_999_999))
def test_every_sample_of_any_options_is_valid(options: dict[str, object], number: int) -> None:
    benchmark = Synthetic(**options)  # type: ignore[arg-type]
    sample = benchmark.sample(f"{options['split']}-{number:07d}")
    validate(sample)
    assert len(sample.documents) == options["documents"]
    assert len({document.title for document in sample.documents}) == options["documents"]


@settings(max_examples=20, deadline=None)
@given(number=st.integers(0, 9_999_999), kind=st.sampled_from(KINDS))
def test_evidence_is_verbatim_and_one_sentence_a_fact(number: int, kind: str) -> None:
    sample = Synthetic(documents=50, questions=3, kinds=kind).sample(f"validation-{number:07d}")
    texts = [document.text for document in sample.documents]
    for question in sample.questions:
        assert question.category.startswith(kind)
        assert len(question.evidence) == len(question.facts) in {2, 3, 4}
        for sentence in question.evidence:
            assert sum(sentence in text for text in texts) == 1


@pytest.mark.parametrize("documents", [12, 13, 50, 200, 400])
def test_a_sample_has_exactly_the_documents_asked_for(documents: int) -> None:
    for conflicts in (0.0, 1.0):
        sample = Synthetic(documents=documents, conflicts=conflicts).sample("validation-0000001")
        assert len({document.title for document in sample.documents}) == documents


def test_no_two_splits_share_a_fact_or_a_title() -> None:
    facts: dict[str, set[tuple[str, ...]]] = {}
    titles: dict[str, set[str]] = {}
    for split in SPLITS:
        benchmark = Synthetic(documents=60, questions=6, split=split, scripts=SCRIPTS, conflicts=0.0)
        samples = [benchmark.sample(f"{split}-{number:07d}") for number in range(60)]
        facts[split] = {fact for one in samples for question in one.questions for fact in question.facts}
        titles[split] = {document.title for one in samples for document in one.documents}
    for one, other in combinations(SPLITS, 2):
        assert not facts[one] & facts[other]
        assert not titles[one] & titles[other]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_no_script_runs_out_of_names_in_the_largest_world(script: str, split: str) -> None:
    assert len(pool("country", script, split)) > 2 * 60
    assert len(pool("city", script, split)) * 9 > 0.14 * 10_000 + 60
    assert len(pool("house", script, split)) * len(HOUSES) > 2 * 0.17 * 10_000
    assert len(pool("first", script, split)) * len(pool("last", script, split)) > 4 * 10_000


def test_more_similarity_makes_more_people_share_a_surname() -> None:
    def surnames(similarity: float) -> int:
        sample = Synthetic(documents=200, similarity=similarity, conflicts=0.0).sample("validation-0000005")
        people = [one.title.split() for one in sample.documents if "was born" in one.text and " " in one.title]
        return len({name[-1] for name in people})

    assert surnames(1.0) < surnames(0.0)


def test_conflicts_bring_revisions_and_none_without() -> None:
    def revised(conflicts: float) -> int:
        sample = Synthetic(documents=200, conflicts=conflicts).sample("validation-0000005")
        text = "\n".join(document.text for document in sample.documents)
        return text.count("A correction of ") + text.count(" gave up ")

    assert revised(0.0) == 0
    assert revised(1.0) > 5


def test_a_question_of_the_preset_has_one_to_ten_questions() -> None:
    benchmark = Synthetic(documents=60, questions="atommem")
    counts = [len(benchmark.sample(f"validation-{number:07d}").questions) for number in range(60)]
    assert min(counts) == 1
    assert 20 <= counts.count(1) <= 40
    assert max(counts) <= 10


def test_scripts_decide_how_names_are_written() -> None:
    sample = Synthetic(documents=30, scripts="han", conflicts=0.0).sample("validation-0000003")
    assert all(any("\u4e00" <= mark <= "\u9fff" for mark in one.title) for one in sample.documents)
    latin = Synthetic(documents=30, conflicts=0.0).sample("validation-0000003")
    assert all(all(ord(mark) < 0x250 for mark in one.title) for one in latin.documents)


def test_a_schedule_is_seeded_and_repeats_no_sample() -> None:
    benchmark = Synthetic(split="validation")
    ids = benchmark.schedule(np.random.default_rng(3), 500)
    assert ids == benchmark.schedule(np.random.default_rng(3), 500)
    assert len(set(ids)) == 500
    assert benchmark.sample(ids[0]).id == ids[0]


def test_a_task_shuffles_the_documents_by_its_seed_and_shows_all_of_them() -> None:
    benchmark = Synthetic(documents=60, chunk_tokens=1000)
    sample = benchmark.draw(np.random.default_rng(0))

    def text(seed: int) -> str:
        task, parts = benchmark.task(sample, np.random.default_rng(seed)), []
        while task.view.phase == "read":
            parts.append(task.view.text)
            task.take(Advance())
        assert len(parts) > 3
        return "\n\n".join(parts)

    assert text(1) == text(1) != text(2)
    assert all(document.render() in text(1) for document in sample.documents)


def test_the_registry_makes_it_and_it_says_that_it_is_synthetic() -> None:
    benchmark = make_benchmark("Synthetic", documents=50)
    assert benchmark.synthetic
    assert json.loads(json.dumps(benchmark.describe()))["options"]["documents"] == 50


@pytest.mark.parametrize(
    "id", ["validation-1", "train-0000001", "", "validation-٠٠٠٠٠٠١", "\ud800", "validation-9" + "9" * 40]
)
def test_an_unknown_sample_names_a_valid_one(id: str) -> None:
    with pytest.raises(LookupError, match="validation-"):
        Synthetic().sample(id)


@pytest.mark.parametrize(
    ("option", "value"),
    [("documents", 11), ("documents", 10_001), ("hops", 5), ("hops", (3, 2)), ("questions", 0), ("questions", (1, 2, 3)),
     ("conflicts", 1.1), ("similarity", float("nan")), ("kinds", ()), ("chunk_tokens", 0)],
)  # fmt: skip
def test_a_number_out_of_range_is_named(option: str, value: object) -> None:
    with pytest.raises(ValueError, match=option.removesuffix("s").removeprefix("chunk_token") or "size"):
        Synthetic(**{option: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["split", "scripts", "kinds", "questions", "cut", "reward", "tokenizer"])
def test_an_unknown_name_is_refused(option: str) -> None:
    with pytest.raises(UnknownName, match="nonsense"):
        Synthetic(**{option: "nonsense"})  # type: ignore[arg-type]


def test_comparisons_of_one_fact_are_refused_before_any_sample() -> None:
    with pytest.raises(ValueError, match="two facts"):
        Synthetic(hops=1)


def test_more_questions_than_a_world_holds_is_an_error_that_says_what_to_change() -> None:
    benchmark = Synthetic(documents=12, questions=100, hops=1, kinds="bridge")
    with pytest.raises(ValueError, match="more documents or fewer questions"):
        benchmark.sample("validation-0000000")


def test_validation_names_a_question_whose_evidence_is_not_enough() -> None:
    sample = Synthetic(documents=30, kinds="bridge").sample("validation-0000002")
    good = sample.questions[0]
    part = Question(good.text, good.answers, good.evidence[1:], good.id, good.category)
    with pytest.raises(ValueError, match=f"{good.id}.* is not answered by its evidence"):
        validate(Sample(sample.id, (part,), sample.documents))


def test_validation_refuses_evidence_that_no_document_has() -> None:
    documents = Synthetic(documents=30).sample("validation-0000002").documents
    made_up = Question("Who founded Vox Trust?", ("A B",), ("A B is the founder of Vox Trust.",), "q")
    with pytest.raises(ValueError, match="no document has"):
        validate(Sample("s", (made_up,), documents))
