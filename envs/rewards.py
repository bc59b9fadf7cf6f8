"""What an answer is worth: three metrics of (prediction, accepted answers) -> [0, 1], each the best over the answers.

All are total: any text is scored, no accepted answer at all scores 0, and an accepted answer given word for word
scores 1 (an oracle depends on it). They never see more than one question, so no answer can be credited to another.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

TAIL = 300
"""How many characters of the end of an answer ``math_match`` looks at, as MemAgent and AtomMem do."""

_SHORT = 1000
"""Characters of a text whose normal form is remembered."""
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_CLOSED = frozenset({"yes", "no", "noanswer"})
_MATH_STEPS = (
    (("\n", r"\!"), ""),
    (("\\\\",), "\\"),
    (("tfrac", "dfrac"), "frac"),
    ((r"\left", r"\right", r"^{\circ}", r"^\circ", r"\$", r"\%"), ""),
    ((" .",), " 0."),
    (("{.",), "{0."),
    ((" ",), ""),
)


def exact_match(prediction: str, answers: Sequence[str]) -> float:
    """Return 1 if the prediction equals an answer after SQuAD's normalisation, else 0.

    The rule of SQuAD's evaluation script, which HotpotQA, 2WikiMultihopQA and MuSiQue share: lower case, ASCII
    punctuation deleted, a/an/the deleted, white space collapsed. As there, other punctuation (“ ” – 。) and accents
    stay, and text is not brought to one Unicode form. Deviation: an answer of which nothing would be left ("The",
    "A", "!") is compared in lower case with white space collapsed, so that an empty prediction does not match it.
    """
    return _best(_exact, prediction, answers)


def token_f1(prediction: str, answers: Sequence[str], *, closed: bool = True) -> float:
    """Return the F1 of the two bags of normalised words (SQuAD), the best over the answers.

    ``closed`` is the rule of HotpotQA's and 2WikiMultihopQA's scripts: yes, no and noanswer get no partial credit,
    on either side. SQuAD and MuSiQue do not have it; there it changes nothing but answers that begin with yes or no.
    Where one side has no words left, it is ``exact_match``.
    """
    return _best(_f1_closed if closed else _f1, prediction, answers)


def math_match(prediction: str, answers: Sequence[str]) -> float:
    r"""Return 1 if the prediction equals an answer as MemAgent's and AtomMem's reward compares them, else 0.

    Of the last 300 characters in lower case, the content of the last ``\boxed{}``; then line ends, ``\!``, ``\left``,
    ``\right``, degree signs, ``\$``, ``\%`` and ALL spaces are deleted, " ." becomes " 0.", and the strings must be
    equal. Articles, punctuation and accents stay: "Paris." is not "Paris". Deviations from the released code: an
    answer without a complete box is compared whole instead of counting 0; the older spellings ``\boxed x`` and
    ``\fbox{}`` are no boxes; the accepted answer is read in the same way as the prediction; an accepted answer of
    which nothing would be left is compared uncleaned.
    """
    return _best(_math, prediction, answers)


def normalise(text: str) -> str:
    """Return the text as SQuAD's evaluation script compares it."""
    return _remembered(text) if len(text) <= _SHORT else _normalised(text)


def _normalised(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


_remembered = lru_cache(maxsize=8192)(_normalised)
"""Several metrics of a question, and its several answers, read the same few texts."""


def _best(metric: Callable[[str, str], float], prediction: str, answers: Sequence[str]) -> float:
    return max((metric(prediction, answer) for answer in answers), default=0.0)


def _exact(prediction: str, answer: str) -> float:
    wanted = normalise(answer)
    if wanted:
        return float(normalise(prediction) == wanted)
    return float(_plain(prediction) == _plain(answer))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _f1_closed(prediction: str, answer: str) -> float:
    given, wanted = normalise(prediction), normalise(answer)
    if given != wanted and (given in _CLOSED or wanted in _CLOSED):
        return 0.0
    return _f1(prediction, answer)


def _f1(prediction: str, answer: str) -> float:
    given, wanted = normalise(prediction).split(), normalise(answer).split()
    if not given or not wanted:
        return _exact(prediction, answer)
    if given == wanted:
        return 1.0
    shared = (Counter(given) & Counter(wanted)).total()
    return 2 * shared / (len(given) + len(wanted))


def _math(prediction: str, answer: str) -> float:
    given, wanted = _clean(_final(prediction)), _clean(_final(answer))
    if wanted:
        return float(given == wanted)
    return float(_final(prediction) == _final(answer))


def _final(text: str) -> str:
    """Return the content of the last complete box in the tail of a text, in lower case, or the tail."""
    tail = text[-TAIL:].lower()
    begin = tail.rfind("\\boxed{")
    if begin < 0:
        return tail
    depth = 0
    for end in range(begin + 6, len(tail)):
        depth += (tail[end] == "{") - (tail[end] == "}")
        if depth == 0:
            return tail[begin + 7 : end]
    return tail


def _clean(text: str) -> str:
    for olds, new in _MATH_STEPS:
        for old in olds:
            text = text.replace(old, new)
    return text
