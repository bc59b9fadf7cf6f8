"""How long is a text: tokenizers behind one Protocol, which also say where in the text each token ends.

Separate from every model, so that text can be cut into chunks without one. Both kinds take any ``str``: a lone
surrogate has no bytes in UTF-8 and is counted as U+FFFD, one character for one, so that offsets stay true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from memgym import registry
from memgym.extras import require

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGISH = 200
"""Texts of at least this many characters have their counts remembered; shorter ones cost less than a look-up saves."""

CL100K_ORDINARY = 100_256
"""The ids below this one are ordinary tokens; after a gap come the special ones, which no text is turned into here."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Tokenizer(Protocol):
    """Counts the tokens of any text and tells where they end; ``name`` identifies it in records."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``, 0 for "" only; no token is added for its beginning or end."""
        ...

    def offsets(self, text: str) -> Sequence[int]:
        """Return the character offset at which each token ends: ascending, the last one ``len(text)``, [] for "".

        A token that ends inside a character ends at a whole one here (an empty slice for some tokens of an emoji).
        """
        ...


@cache
def make_tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer "cl100k" or "huggingface:PATH", one a name and process; it is loaded when used.

    An unknown name is an UnknownName with the nearest one.
    """
    kind, _, model = name.partition(":")
    options = {"model": model} if model else {}
    return cast("Tokenizer", registry.call(registry.load("tokenizer", kind), f"tokenizer {kind!r}", options))


class Cl100k:
    """OpenAI's cl100k_base, from the package ``splintr``, without a network. Loaded once a process, when first used.

    Special tokens that are spelled out in a text (``<|endoftext|>``) are ordinary text.
    """

    name = "cl100k"

    def count(self, text: str) -> int:
        return _cl100k_count(text) if len(text) >= LONGISH else len(_cl100k_ids(text))

    def offsets(self, text: str) -> list[int]:
        lengths, ids = _cl100k_lengths(), _cl100k_ids(text)
        ends = np.cumsum(lengths[np.fromiter(ids, np.int64, len(ids))])
        return cast("list[int]", _characters(_encodable(text), ends).tolist())


class HuggingFaceTokenizer:
    """The tokenizer of a model, from a folder or a hub name, as ``transformers`` loads it (extra "transformers").

    A tokenizer without offsets (a "slow" one) is a ValueError. What a tokenizer drops (white space before a word,
    in a BERT) belongs to the token after it; a text of which it keeps nothing counts as one token.
    """

    def __init__(self, model: str) -> None:
        if not model:
            raise ValueError('A Hugging Face tokenizer needs a model: write "huggingface:PATH".')
        self.model = model
        self.name = f"huggingface:{model}"

    def count(self, text: str) -> int:
        return _huggingface_count(self.model, text) if len(text) >= LONGISH else len(_spans(self.model, text))

    def offsets(self, text: str) -> list[int]:
        ends = [end for _, end in _spans(self.model, text)]
        if ends:
            ends[-1] = len(text)
        return cast("list[int]", np.maximum.accumulate(np.asarray(ends, np.int64)).tolist())


def _encodable(text: str) -> str:
    """Return the text itself, or, if UTF-8 cannot hold it, a copy of equal length with U+FFFD for lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _characters(text: str, ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Turn ends counted in bytes of UTF-8 into ends counted in whole characters."""
    data = text.encode()
    if len(data) == len(text):
        return ends
    starts = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    begun = np.append(np.cumsum(starts), len(text) + 1)
    return cast("NDArray[np.int64]", begun[ends] - 1)


@cache
def _cl100k() -> Any:
    import splintr

    return splintr.Tokenizer.from_pretrained("cl100k_base")


@cache
def _cl100k_lengths() -> NDArray[np.int64]:
    """The length in bytes of every ordinary token, by id."""
    token = _cl100k().decode_token_bytes
    return np.fromiter((len(token(id)) for id in range(CL100K_ORDINARY)), np.int64, CL100K_ORDINARY)


def _cl100k_ids(text: str) -> list[int]:
    return cast("list[int]", _cl100k().encode_ordinary(_encodable(text)))


@lru_cache(maxsize=2048)
def _cl100k_count(text: str) -> int:
    return len(_cl100k_ids(text))


@lru_cache(maxsize=4)
def _huggingface(model: str) -> Any:
    transformers = require("transformers", "transformers", f"The tokenizer of {model!r}")
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    if not tokenizer.is_fast:
        raise ValueError(
            f"The tokenizer of {model!r} does not tell where its tokens end; one with a tokenizer.json does."
        )
    return tokenizer


def _spans(model: str, text: str) -> list[tuple[int, int]]:
    """Return begin and end of each token, in characters; at least one span for a text that is not empty."""
    encoded = _huggingface(model)(
        _encodable(text), add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
    )
    spans = cast("list[tuple[int, int]]", encoded["offset_mapping"])
    return spans or ([(0, len(text))] if text else [])


@lru_cache(maxsize=2048)
def _huggingface_count(model: str, text: str) -> int:
    return len(_spans(model, text))
