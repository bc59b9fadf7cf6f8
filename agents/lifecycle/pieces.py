"""From what a task shows to the pieces that a formation wants: documents, sentences, chunks or whole experiences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memgym.agent import Observation
from memgym.tokens import make_tokenizer

from ..passages import Passage, Splitter
from .components import Formation, Piece


class Pieces:
    """Cuts the input of one episode for one formation."""

    def __init__(self, formation: Formation) -> None:
        self._unit = formation.unit
        self._name = formation.name
        unit = "document" if self._unit == "experience" else self._unit
        self._splitter = Splitter(make_tokenizer("cl100k").count, unit)
        self._questions: tuple[str, ...] = ()

    def feed(self, observation: Observation) -> Iterator[Piece]:
        """Yield the pieces that what is shown now completes."""
        view = observation.view
        self._questions = view.questions or self._questions
        if view.experience is not None:
            yield Piece(view.text, questions=self._questions, experience=view.experience)
        elif self._unit == "experience":
            raise ValueError(
                f"The formation {self._name!r} requires the key 'steps' (experiences); this task shows text."
            )
        else:
            yield from self._made(self._splitter.feed(view.text))

    def finish(self) -> Iterator[Piece]:
        """Yield what was held back."""
        yield from self._made(self._splitter.finish())

    def _made(self, passages: Iterable[Passage]) -> Iterator[Piece]:
        for passage in passages:
            yield Piece(passage.text, passage.title, passage.time, self._questions)
