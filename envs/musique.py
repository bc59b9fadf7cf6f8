"""MuSiQue: questions composed of 2 to 4 single-hop questions, over 20 paragraphs.

Paper: Trivedi et al. 2022, "MuSiQue: Multihop Questions via Single-hop Question Composition" (arXiv 2108.00573).
Licence of the data: CC BY 4.0. Files: musique_ans_v1.0_{dev,train}.jsonl, one record a line with ``id``,
``paragraphs`` [{idx, title, paragraph_text, is_supporting}], ``question``, ``question_decomposition`` [{id, question,
answer, paragraph_support_idx}], ``answer``, ``answer_aliases``, ``answerable``; the hub's rows have the same fields.

Rules kept: titles repeat inside a record, so a paragraph is known by its ``idx`` alone; answer and aliases are all
accepted; a question's category is the shape of its hops, the prefix of its id (2hop, 3hop1, 3hop2, 4hop1, 4hop2,
4hop3). Its evidence is its supporting paragraphs in the order of the hops, its facts are the pairs (sub-question,
answer) as they stand, with "#1" for the first answer and "subject >> relation" forms.

MuSiQue-Full adds to every question a twin of the same id that cannot be answered (``answerable`` false), because a
supporting paragraph was taken out. Twins are left out and counted as ``unanswerable_dropped`` in ``describe()``: a
haystack is filled up from the other records, which would bring that paragraph back and make the twin answerable.

Deviations: supporting paragraphs are whole paragraphs (MuSiQue marks no sentences).
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from memgym.task import Document, Question, Sample

from . import layouts
from .formats import BrokenData, Row
from .published import PublishedQA
from .sources import SOURCES, Source

_PARAGRAPH = (("idx",), ("title",), ("paragraph_text", "text"), ("is_supporting",))
_STEP = (("question",), ("answer",), ("paragraph_support_idx",))


class MuSiQue(PublishedQA):
    """MuSiQue as a long-context task. Options: those of ``LongContextQA``.

    ``split`` is "validation" (2417 questions) or "train" (19938).
    """

    name: ClassVar[str] = "MuSiQue"
    source: ClassVar[Source] = SOURCES["MuSiQue"]

    @classmethod
    def parse(cls, row: Row, notes: Counter[str]) -> Sample | None:
        """Read one record; None for an unanswerable twin. Raises BrokenData."""
        if row.values.get("answerable") is False:
            layouts.note(notes, unanswerable_dropped=1)
            return None
        paragraphs = _paragraphs(row)
        own = tuple(dict.fromkeys(Document(title, text) for _, title, text, _ in paragraphs))
        layouts.note(notes, repeated_paragraphs=len(paragraphs) - len(own))
        text = layouts.text(row, "question")
        id = layouts.identity(row, text, own)
        steps = _steps(row)
        question = Question(
            text=text,
            answers=_answers(row),
            evidence=_evidence(row, paragraphs, steps),
            id=id,
            category=id.partition("__")[0] if "__" in id else f"{len(steps)}hop",
            facts=tuple((asked, answer) for asked, answer, _ in steps),
        )
        return Sample(id, (question,), own)


def _paragraphs(row: Row) -> list[tuple[int, str, str, bool]]:
    found = layouts.table(row, "paragraphs", _PARAGRAPH)
    if not found:
        raise BrokenData(f"{row.place}: 'paragraphs' is empty.")
    for number, title, text, _ in found:
        if not isinstance(number, int) or not isinstance(title, str) or not isinstance(text, str) or not text.strip():
            raise BrokenData(
                f"{row.place}: the paragraph {number!r:.20} ({title!r:.40}) lacks its number, title or text."
            )
    if len({number for number, *_ in found}) < len(found):
        raise BrokenData(f"{row.place}: two paragraphs have the same 'idx'.")
    return found


def _answers(row: Row) -> tuple[str, ...]:
    aliases = row.values.get("answer_aliases") or []
    if not all(isinstance(alias, str) for alias in aliases):
        raise BrokenData(f"{row.place}: 'answer_aliases' must be texts, found {aliases!r:.60}.")
    return tuple(dict.fromkeys((layouts.answer(row, MuSiQue.source), *(alias for alias in aliases if alias.strip()))))


def _steps(row: Row) -> list[tuple[str, str, Any]]:
    if not row.values.get("question_decomposition"):
        return []
    steps = layouts.table(row, "question_decomposition", _STEP)
    if not all(isinstance(asked, str) and isinstance(answer, str) for asked, answer, _ in steps):
        raise BrokenData(f"{row.place}: 'question_decomposition' holds a step without a question and its answer.")
    return steps


def _evidence(
    row: Row, paragraphs: list[tuple[int, str, str, bool]], steps: list[tuple[str, str, Any]]
) -> tuple[str, ...]:
    """Return the supporting paragraphs: those of the hops, in their order, then any others that are marked."""
    texts = {number: text.strip() for number, _, text, _ in paragraphs}
    wanted = [support for _, _, support in steps if support is not None]
    for support in wanted:
        if support not in texts:
            raise BrokenData(f"{row.place}: the hop's paragraph {support!r:.20} is not among its paragraphs.")
    wanted += [number for number, _, _, supports in paragraphs if supports]
    if not wanted:
        raise BrokenData(f"{row.place}: the question is answerable, but no paragraph supports it.")
    return tuple(dict.fromkeys(texts[number] for number in wanted))
