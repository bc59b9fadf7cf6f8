"""Overlap of words and of word forms, as published memory systems report it: BLEU-1, ROUGE, METEOR, by their libraries.

Separate from the rewards, which need no package: these come with the extra ``metrics``. Each is (prediction, accepted
answers) -> [0, 1], the best over the answers; what a library makes of a text is left as it is, so an answer given word
for word need not score 1 (METEOR gives a single right word 0.5). The settings are those of A-Mem's evaluation.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from memgym.extras import require
from memgym.memory.encoders import encodable

EXTRA = "metrics"
WORDNET = "MEMGYM_WORDNET"
"""The environment variable that names a folder with WordNet's database files."""

_FILES = ("data", "index")
_PARTS = ("noun", "verb", "adj", "adv")
_CATEGORIES = 45
"""Lexicographer files of WordNet; NLTK wants their names, METEOR never reads them, and some packages leave them out."""


def bleu_1(prediction: str, answers: Sequence[str]) -> float:
    """Return BLEU with unigrams only: clipped precision times the brevity penalty (Papineni et al. 2002), by NLTK.

    In lower case, words as NLTK's tokenizer cuts them, smoothing method 1 (which no score of unigrams alone feels).
    Deviation from A-Mem: the text is not cut into sentences first, which needs a model that NLTK downloads; so a full
    stop within the text stays with its word.
    """
    return _best(_bleu_1, prediction, answers)


def rouge_1(prediction: str, answers: Sequence[str]) -> float:
    """Return the F-measure of stemmed unigrams (Lin 2004), by rouge-score.

    That package keeps ASCII letters and digits only: an answer in another script has no words and scores 0.
    """
    return _best(partial(_rouge, "rouge1"), prediction, answers)


def rouge_2(prediction: str, answers: Sequence[str]) -> float:
    """Return the F-measure of stemmed bigrams, otherwise as ``rouge_1``; an answer of one word scores 0."""
    return _best(partial(_rouge, "rouge2"), prediction, answers)


def rouge_l(prediction: str, answers: Sequence[str]) -> float:
    """Return the F-measure of the longest common subsequence of stemmed words, otherwise as ``rouge_1``."""
    return _best(partial(_rouge, "rougeL"), prediction, answers)


def meteor(prediction: str, answers: Sequence[str]) -> float:
    """Return METEOR (Banerjee and Lavie 2005) by NLTK: equal words, equal stems, WordNet's synonyms; words at blanks.

    NLTK looks synonyms up by the stems that its second stage leaves, so "car" finds "auto", and "automobile" not.
    WordNet is read from the folder in MEMGYM_WORDNET, else from NLTK's own data; without either it is a
    FileNotFoundError, never a score without synonyms (that is ``meteor_stem``).
    """
    return _best(partial(_meteor, wordnet()), prediction, answers)


def meteor_stem(prediction: str, answers: Sequence[str]) -> float:
    """Return METEOR without synonyms: equal words and equal stems only. Needs no data, and is not METEOR's number."""
    return _best(partial(_meteor, _NoSynonyms()), prediction, answers)


def _best(metric: Callable[[str, str], float], prediction: str, answers: Sequence[str]) -> float:
    said = encodable(prediction)
    found = max((metric(said, encodable(answer)) for answer in answers), default=0.0)
    return min(1.0, max(0.0, found))


def _bleu_1(prediction: str, answer: str) -> float:
    bleu = require("nltk.translate.bleu_score", EXTRA, "the metric 'bleu-1'")
    smoothing = bleu.SmoothingFunction().method1
    reference, said = _words(answer), _words(prediction)
    if not reference or not said:
        return 0.0
    return float(bleu.sentence_bleu([reference], said, weights=(1, 0, 0, 0), smoothing_function=smoothing))


def _words(text: str) -> list[str]:
    tokenize = require("nltk.tokenize", EXTRA, "the metric 'bleu-1'")
    return list(tokenize.NLTKWordTokenizer().tokenize(text.lower()))


def _rouge(kind: str, prediction: str, answer: str) -> float:
    return float(_rouge_scorer(kind).score(answer, prediction)[kind].fmeasure)


@cache
def _rouge_scorer(kind: str) -> Any:
    return require("rouge_score.rouge_scorer", EXTRA, "a ROUGE metric").RougeScorer([kind], use_stemmer=True)


def _meteor(synonyms: Any, prediction: str, answer: str) -> float:
    score = require("nltk.translate.meteor_score", EXTRA, "the metric 'meteor'").single_meteor_score
    return float(score(answer.split(), prediction.split(), stemmer=_stemmer(), wordnet=synonyms))


@cache
def _stemmer() -> Any:
    return require("nltk.stem.porter", EXTRA, "the metric 'meteor'").PorterStemmer()


class _NoSynonyms:
    """Stands in the place of WordNet for a word list without synonyms."""

    def synsets(self, word: str) -> tuple[()]:
        return ()


def wordnet() -> Any:
    """Return NLTK's reader of WordNet, loaded once a process; a FileNotFoundError says where it was looked for."""
    return _wordnet(os.environ.get(WORDNET, ""))


@cache
def _wordnet(folder: str) -> Any:
    return _reader(Path(folder).expanduser()) if folder else _installed()


def _installed() -> Any:
    corpus = require("nltk.corpus", EXTRA, "the metric 'meteor'").wordnet
    try:
        corpus.ensure_loaded()
    except LookupError:
        raise FileNotFoundError(
            f"The metric 'meteor' needs WordNet and NLTK has none. Get it with: python -m nltk.downloader wordnet; or "
            f"set {WORDNET} to a folder with its database files (data.noun, index.noun, ...; on Debian the package "
            "wordnet-base puts them in /usr/share/wordnet). 'meteor-stem' needs no data, and knows no synonyms."
        ) from None
    return corpus


def _reader(folder: Path) -> Any:
    missing = [f"{kind}.{part}" for kind in _FILES for part in _PARTS if not (folder / f"{kind}.{part}").is_file()]
    if missing:
        raise FileNotFoundError(f"{WORDNET} is {folder}, which lacks WordNet's {', '.join(missing)}.")
    allowed = require("nltk.data", EXTRA, "the metric 'meteor'").path
    if str(folder) not in allowed:
        allowed.append(str(folder))  # NLTK reads from nowhere else
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about languages other than English, which are not asked for
        return _reading()(str(folder), None)


@cache
def _reading() -> Any:
    wordnets = require("nltk.corpus.reader.wordnet", EXTRA, "the metric 'meteor'")

    class Reader(wordnets.WordNetCorpusReader):  # type: ignore[misc, name-defined]
        """NLTK's reader, for folders that hold the database alone, without NLTK's additions to it."""

        def map_wn(self, version: str = "wordnet") -> None:
            """Map nothing: it serves other languages, and needs a second WordNet."""

        def open(self, file: str) -> Any:
            if file == "lexnames" and not Path(str(self.root), file).is_file():
                return _Lines(f"{number:02d}\tfile{number:02d}\t0" for number in range(_CATEGORIES))
            return super().open(file)

    return Reader


class _Lines(list[str]):
    """Lines in the place of a file that is read in a ``with``."""

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *error: object) -> None:
        return None
