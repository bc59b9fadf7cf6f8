"""The real all-MiniLM-L6-v2 from the installed packages."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memgym.memory import minilm
from memgym.memory.encoders import make_encoder
from memgym.memory.indexes import DenseIndex
from memgym.memory.minilm import WORD_PIECES, MiniLMEncoder

NEEDED = ("onnxruntime", "tokenizers", *(package for package, _, _ in minilm.FILES.values()))
installed = pytest.mark.skipif(
    any(find_spec(package) is None for package in NEEDED), reason="the extra embed is not installed"
)


@pytest.fixture(scope="module")
def encoder() -> MiniLMEncoder:
    return MiniLMEncoder()


@installed
def test_rows_are_unit_vectors_of_the_published_model(encoder: MiniLMEncoder) -> None:
    rows = encoder.encode(["That is a happy person", "That is a happy dog", "Today is a sunny day"])
    assert rows.shape == (3, 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1])
    # The float32 model gives 0.695 and 0.257.
    assert rows[0] @ rows[1] == pytest.approx(0.695, abs=0.02)
    assert rows[0] @ rows[2] == pytest.approx(0.257, abs=0.02)


@installed
def test_meaning_is_found_without_a_shared_word(encoder: MiniLMEncoder) -> None:
    index = DenseIndex(384)
    index.add([1, 2, 3], encoder.encode(["She adopted a puppy.", "The stock market fell.", "He cooked some pasta."]))
    assert index.search(encoder.encode(["Who has a young dog?"], query=True)[0], 1)[0][0] == 1
    assert index.search(encoder.encode(["economy in trouble"], query=True)[0], 1)[0][0] == 2


@installed
def test_a_text_gets_the_same_row_alone_and_among_others(encoder: MiniLMEncoder) -> None:
    texts = ["a cat", "a much longer text about the lake and the painting of a sunrise" * 3, "猫", "42!"]
    together = encoder.encode(texts)
    for row, text in zip(together, texts, strict=True):
        assert np.array_equal(row, encoder.encode([text])[0])


@installed
def test_blank_broken_and_endless_texts_are_encoded(encoder: MiniLMEncoder) -> None:
    rows = encoder.encode(["", " \n", "\ud800", "กรุงเทพ 🎉 \x00", "cat " * 25_000])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([0, 0, 1, 1, 1])
    cut = "cat " * (WORD_PIECES - 2)
    assert np.array_equal(rows[4], encoder.encode([cut])[0])
    assert not np.array_equal(rows[4], encoder.encode([cut[:-4]])[0])
    assert encoder.encode([]).shape == (0, 384)


@installed
def test_it_is_made_by_name_with_a_cache() -> None:
    made = make_encoder("minilm")
    assert (made.name, made.dimension) == ("minilm", 384)
    assert made.fingerprint.startswith("minilm:384:")
    with pytest.raises(ValueError, match="nothing after a colon"):
        make_encoder("minilm:large")


@pytest.mark.parametrize("missing", NEEDED)
def test_a_missing_package_names_the_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing == NEEDED[1] and find_spec(NEEDED[0]) is None:
        pytest.skip("onnxruntime, which is looked for first, is missing too")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=r'pip install "memgym\[embed\]"'):
        MiniLMEncoder()


@installed
def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other_weights").mkdir()
    (tmp_path / "other_weights" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(minilm.FILES, "model", ("other_weights", "model.onnx", "0" * 64))
    with pytest.raises(ImportError, match=r"has no model.onnx.*memgym\[embed\]"):
        MiniLMEncoder()
    (tmp_path / "other_weights" / "model.onnx").write_bytes(b"something else")
    with pytest.raises(ValueError, match="sha256"):
        MiniLMEncoder()
