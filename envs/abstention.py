"""Did an answer say that the text does not hold one? A rule by phrases, for benchmarks without a judge."""

from __future__ import annotations

from collections.abc import Sequence

PHRASES = (
    "not mention", "n't mention", "never mention", "no mention", "no information", "not enough information",
    "information provided is not enough", "information is not available", "insufficient information", "don't know",
    "do not know", "cannot answer", "can't answer", "cannot be answered", "can't be answered", "cannot be determined",
    "not provided", "not specified", "not stated", "never said", "unanswerable",
)  # fmt: skip
WHOLE = frozenset({"unknown", "none", "n/a"})


def abstention(prediction: str, answers: Sequence[str]) -> float:
    """Return 1 if the answer says that it is not known, else 0; the accepted answers are not looked at.

    The rule: in lower case, with straight apostrophes and single blanks, the answer holds one of ``PHRASES``, or is,
    without a full stop, one of ``WHOLE``. An empty answer says nothing and scores 0. A deviation from LongMemEval,
    which asks a language model to judge; an answer that abstains and then guesses passes here.
    """
    said = " ".join(prediction.replace("’", "'").casefold().split())
    return float(said.rstrip(".") in WHOLE or any(phrase in said for phrase in PHRASES))
