"""2WikiMultihopQA: multi-hop questions from Wikidata triples, with the triples that lead to the answer.

Paper: Ho et al. 2020, "Constructing A Multi-hop QA Dataset for Comprehensive Evaluation of Reasoning Steps" (arXiv
2011.01060). Licence of the data: Apache-2.0. Files: dev.json, train.json (HotpotQA's layout plus ``evidences`` =
[[subject, relation, object], ...]; since December 2020 also ``entity_ids``, ``evidences_id``, ``answer_id``, which
may be missing, [] or null and are not needed here), or hub copies of it (columns; {title, content}; {fact, relation,
entity}; JSON text in the cells).

Rules kept: sentences carry NO leading blank, so they are joined with one; AtomMem and MemAgent glue them. A
question's category is its type (comparison, compositional, inference, bridge_comparison); its facts are the triples.

Deviations: some supporting facts number a sentence past the paragraph's end (upstream repaired the sentence splitting
in a later file); they are left out of the evidence and counted as ``facts_without_sentence`` in ``describe()``. A
paragraph that a record has twice counts once. The aliases that upstream ships in a file of its own are not used.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from memgym.task import Question, Sample

from . import layouts
from .formats import BrokenData, Row
from .published import PublishedQA
from .sources import SOURCES, Source

_TRIPLE = (("subject", "fact"), ("relation",), ("object", "entity"))


class TwoWikiMultihopQA(PublishedQA):
    """2WikiMultihopQA as a long-context task. Options: those of ``LongContextQA``.

    ``split`` is "validation" (12576 questions) or "train" (167454).
    """

    name: ClassVar[str] = "2WikiMultihopQA"
    source: ClassVar[Source] = SOURCES["2WikiMultihopQA"]

    @classmethod
    def parse(cls, row: Row, notes: Counter[str]) -> Sample:
        """Read one record of any layout. Raises BrokenData."""
        if "level" in row.values and "evidences" not in row.values:
            raise BrokenData(f"{row.place} has 'level' and no 'evidences': this is HotpotQA, not 2WikiMultihopQA.")
        text = layouts.text(row, "question")
        answer = layouts.answer(row, cls.source)
        context = layouts.paragraphs(row)
        evidence, lost = layouts.supporting(row, context)
        own = layouts.documents(context, cls.source.joiner)
        layouts.note(notes, facts_without_sentence=lost, repeated_paragraphs=len(context) - len(own))
        id = layouts.identity(row, text, own)
        question = Question(text, (answer,), evidence, id, str(row.values.get("type") or ""), facts(row))
        return Sample(id, (question,), own)


def facts(row: Row) -> tuple[tuple[str, ...], ...]:
    """Return the triples (subject, relation, object) that lead to the answer; () for a copy without them."""
    if not row.values.get("evidences"):
        return ()
    return tuple(tuple(str(part) for part in triple) for triple in layouts.table(row, "evidences", _TRIPLE))
