"""How LoCoMo scores an answer, category by category: the official evaluator, and the A-Mem paper's under its own name.

Official: snap-research/locomo, task_eval/evaluation.py. One deviation: words are stemmed by Snowball's "porter", which
is Porter's algorithm as published; the evaluator's NLTK stems by its own extension of it. Both sides are stemmed
alike, so only which word forms count as one differs, for few words ("dying" and "die" are one there, not here).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from statistics import fmean
from typing import Any

_DROPPED = str.maketrans("", "", string.punctuation)
_WORDS = re.compile(r"\b(a|an|the|and)\b")
_NOT_SAID = ("no information available", "not mentioned")
_BLANKED = str.maketrans(dict.fromkeys(".,!?", " "))


def locomo_f1(prediction: str, answers: Sequence[str]) -> float:
    """Return the F1 of stemmed words, the rule of categories 2 and 4 (temporal, single hop).

    Commas and ASCII punctuation deleted, lower case, a/an/the/and deleted, Porter stems, bags of words. An answer of
    which nothing is left scores 0, even against itself.
    """
    return _best(_f1, prediction, answers)


def locomo_multi_hop(prediction: str, answers: Sequence[str]) -> float:
    """Return the rule of category 1: both sides are split at commas; the mean over accepted parts of the best F1."""
    return _best(_by_parts, prediction, answers)


def locomo_open_domain(prediction: str, answers: Sequence[str]) -> float:
    """Return the rule of category 3: ``locomo_f1`` against what stands before the first ";" of the accepted answer."""
    return _best(lambda given, wanted: _f1(given, wanted.split(";")[0].strip()), prediction, answers)


def locomo_adversarial(prediction: str, answers: Sequence[str]) -> float:
    """Return the rule of category 5: 1 if the answer holds "no information available" or "not mentioned", else 0."""
    return float(any(phrase in prediction.lower() for phrase in _NOT_SAID))


def a_mem_f1(prediction: str, answers: Sequence[str]) -> float:
    """Return the F1 of the released A-Mem evaluation: SETS of lower-case words, ``.,!?`` blanked, nothing stemmed.

    It reports this for all categories, and for the adversarial ones against the WRONG answer that they suggest, so
    that saying "not mentioned" scores about 0 there: use it to compare with those numbers only.
    """
    return _best(_set_f1, prediction, answers)


def _best(rule: Callable[[str, str], float], prediction: str, answers: Sequence[str]) -> float:
    return max((rule(prediction, answer) for answer in answers), default=0.0)


def _by_parts(prediction: str, answer: str) -> float:
    given = prediction.split(",")
    return fmean(max(_f1(one, wanted) for one in given) for wanted in answer.split(","))


def _f1(prediction: str, answer: str) -> float:
    given, wanted = stems(prediction), stems(answer)
    shared = (Counter(given) & Counter(wanted)).total()
    return 2 * shared / (len(given) + len(wanted)) if shared else 0.0


def stems(text: str) -> list[str]:
    """Return the words that the official evaluator compares."""
    plain = _WORDS.sub(" ", text.replace(",", "").lower().translate(_DROPPED))
    words = [word.encode("utf-8", "replace").decode() for word in plain.split()]  # the stemmer takes no surrogates
    return list(_stemmer().stemWords(words))


def _set_f1(prediction: str, answer: str) -> float:
    given, wanted = (set(text.lower().translate(_BLANKED).split()) for text in (prediction, answer))
    shared = len(given & wanted)
    return 2 * shared / (len(given) + len(wanted)) if shared else 0.0


@cache
def _stemmer() -> Any:
    import Stemmer  # type: ignore[import-not-found]

    return Stemmer.Stemmer("porter")
