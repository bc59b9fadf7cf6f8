"""HotpotQA: questions over two Wikipedia paragraphs, in the distractor setting.

Paper: Yang et al. 2018, "HotpotQA: A Dataset for Diverse, Explainable Multi-hop Question Answering" (arXiv
1809.09600). Licence of the data: CC BY-SA 4.0. Files: hotpot_dev_distractor_v1.json, hotpot_train_v1.1.json (an array
of records with ``_id``, ``question``, ``answer``, ``type``, ``level``, ``context`` = [[title, [sentence, ...]], ...],
``supporting_facts`` = [[title, sentence number], ...]), or the Hugging Face rows (``id``; both tables as columns).

Rules kept: sentences carry their own leading blank, so they are joined with nothing between them; the number of
paragraphs is whatever a record has; one accepted answer, yes and no among them.

Deviations: a record without an id (such copies exist, under the upstream file name) gets one made from its content.
Supporting facts that number a sentence past the paragraph's end, or name a paragraph that is not there, are left out
of the evidence and counted as ``facts_without_sentence`` in ``describe()``; a paragraph that a record has twice
counts once. Fullwiki files are refused: their contexts need not hold the answer. Only answer and evidence are scored,
never the supporting-fact prediction of the original task.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from memgym.task import Question, Sample

from . import layouts
from .formats import BrokenData, Row
from .published import PublishedQA
from .sources import SOURCES, Source


class HotpotQA(PublishedQA):
    """HotpotQA (distractor setting) as a long-context task. Options: those of ``LongContextQA``.

    ``split`` is "validation" (7405 questions) or "train" (90447). Question categories are "type/level".
    """

    name: ClassVar[str] = "HotpotQA"
    source: ClassVar[Source] = SOURCES["HotpotQA"]

    @classmethod
    def parse(cls, row: Row, notes: Counter[str]) -> Sample:
        """Read one record of either layout. Raises BrokenData."""
        if "evidences" in row.values:
            raise BrokenData(f"{row.place} has 'evidences': this is 2WikiMultihopQA, not HotpotQA.")
        text = layouts.text(row, "question")
        answer = layouts.answer(row, cls.source)
        context = layouts.paragraphs(row)
        evidence, lost = layouts.supporting(row, context)
        own = layouts.documents(context, cls.source.joiner)
        layouts.note(notes, facts_without_sentence=lost, repeated_paragraphs=len(context) - len(own))
        category = "/".join(str(row.values[key]) for key in ("type", "level") if row.values.get(key))
        id = layouts.identity(row, text, own)
        return Sample(id, (Question(text, (answer,), evidence, id, category),), own)
