"""A model that is not there is named in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgym.pretrained import pretrained

pytest.importorskip("torch", reason="needs the extra transformers")
transformers = pytest.importorskip("transformers", reason="needs the extra transformers")


@pytest.mark.parametrize("loader", ["AutoTokenizer", "AutoModelForCausalLM"])
def test_a_missing_folder_is_named(loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(FileNotFoundError, match="There is no model '/a/missing/folder': it is no folder here"):
        pretrained(getattr(transformers, loader), "/a/missing/folder")


def test_a_folder_without_weights_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    with pytest.raises(FileNotFoundError, match="holds no model in Hugging Face's format"):
        pretrained(transformers.AutoModelForCausalLM, tmp_path)
