"""The published rules of scoring, written down once more from their definitions, to compare our metrics with.

Stems are NLTK's, as in LoCoMo's evaluator; everything else is the standard library.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from statistics import fmean

from nltk.stem import PorterStemmer


def squad_words(text: str) -> list[str]:
    plain = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", plain).split()


def squad_em(said: str, key: str) -> float:
    return float(" ".join(squad_words(said)) == " ".join(squad_words(key)))


def hotpot_f1(said: str, key: str) -> float:
    given, wanted = squad_words(said), squad_words(key)
    closed = {"yes", "no", "noanswer"}
    if given != wanted and (" ".join(given) in closed or " ".join(wanted) in closed):
        return 0.0
    return harmonic(given, wanted)


def harmonic(given: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(given) & Counter(wanted)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(given), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def locomo_words(text: str) -> list[str]:
    plain = "".join(one for one in text.replace(",", "").lower() if one not in set(string.punctuation))
    return [PorterStemmer().stem(word) for word in re.sub(r"\b(a|an|the|and)\b", " ", plain).split()]


def locomo_f1(said: str, key: str) -> float:
    return harmonic(locomo_words(said), locomo_words(key))


def locomo_multi_hop(said: str, key: str) -> float:
    return fmean(max(locomo_f1(one.strip(), wanted.strip()) for one in said.split(",")) for wanted in key.split(","))


def locomo_open_domain(said: str, key: str) -> float:
    return locomo_f1(said, key.split(";", maxsplit=1)[0].strip())


def locomo_adversarial(said: str, key: str) -> float:
    return float("no information available" in said.lower() or "not mentioned" in said.lower())


def a_mem_f1(said: str, key: str) -> float:
    given, wanted = (set(re.sub(r"[.,!?]", " ", text.lower()).split()) for text in (said, key))
    shared = len(given & wanted)
    if not shared:
        return 0.0
    precision, recall = shared / len(given), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)
