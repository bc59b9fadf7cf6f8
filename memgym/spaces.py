"""A Gymnasium space of Unicode text.

``gymnasium.spaces.Text`` walks every character in Python (126 ms for a 112k-token document) and its default charset
has no blank; this one accepts any ``str`` up to a length and checks that in constant time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np

_ALPHABET = "abcdefghij KLMNOPQRST 0123456789 \n<>/=\"'&.,äñø記憶ความจำ🧠"


class Unicode(gymnasium.Space[str]):
    """Any Python string of at most ``max_length`` characters; lone surrogates and NUL included.

    Under ``gym.make_vec`` it batches to a Tuple space, and observations to tuples of str. ``AsyncVectorEnv`` needs
    ``shared_memory=False`` (Gymnasium says so itself).
    """

    def __init__(self, max_length: int = 1 << 24, *, seed: int | np.random.Generator | None = None) -> None:
        if max_length < 0:
            raise ValueError(f"max_length is {max_length}; a length of 0 or more was expected.")
        self.max_length = max_length
        super().__init__((), str, seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Return a short random text; masks have no meaning here."""
        if mask is not None or probability is not None:
            raise ValueError("Unicode.sample takes no mask and no probability.")
        length = int(self.np_random.integers(0, min(self.max_length, 40) + 1))
        return "".join(_ALPHABET[int(i)] for i in self.np_random.integers(0, len(_ALPHABET), length))

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[str]:
        return [str(one) for one in sample_n]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and self.max_length == other.max_length

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Unicode({self.max_length})"
