"""Conversations as they are read: dated sessions of turns, rendered one turn after another and cut into chunks.

Separate from the benchmarks, so that every conversation looks alike to an agent, and from documents, which have no
speakers and no time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgym.registry import unknown
from memgym.task import Document, Sample
from memgym.tokens import make_tokenizer

from .chunks import BLANK, cut_text
from .reading import ReadingTask

UNITS = ("session", "turn", "tokens")


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting. ``date`` is written as its data set writes it; ``turns`` are (speaker, text), texts unchanged.

    The header names number, date and speakers, so that a reader can tell where a turn of several lines ends:
    "Session 3 (1:56 pm on 8 May, 2023) with Ana, Béla:". Blank space around a turn's text is left out.
    """

    number: int
    date: str
    turns: tuple[tuple[str, str], ...]

    @property
    def header(self) -> str:
        speakers = ", ".join(dict.fromkeys(speaker for speaker, _ in self.turns))
        return f"Session {self.number} ({self.date}) with {speakers or 'nobody'}:"

    def lines(self) -> list[str]:
        """Return the turns as they stand in every chunk: "Ana: ...", the strings that evidence is made of."""
        return [line(speaker, text) for speaker, text in self.turns]

    def document(self) -> Document:
        return Document(self.header, "\n".join(self.lines()))


def line(speaker: str, text: str) -> str:
    """Return one turn as it is rendered."""
    return f"{speaker}: {text.strip()}"


@dataclass(frozen=True, slots=True)
class Stream:
    """How conversations are shown and cut; every chunk begins with the header of its session.

    unit: "session" (one chunk a session; a longer one is cut between turns), "turn" (one chunk a turn) or "tokens"
    (as many whole turns as fit, over the ends of sessions). No chunk has more than ``chunk_tokens`` tokens by
    ``tokenizer``: a turn that does not fit goes on in chunks without a header, cut after a sentence if it can.

    Raises:
        UnknownName: Another unit or tokenizer. ValueError: ``chunk_tokens`` below 64, too few for a header.
    """

    unit: str = "session"
    chunk_tokens: int = 4000
    tokenizer: str = "cl100k"
    announced: bool = False

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise unknown("unit", self.unit, UNITS)
        if self.chunk_tokens < 64:
            raise ValueError(f"chunk_tokens={self.chunk_tokens}: a header and a turn need 64 or more.")
        make_tokenizer(self.tokenizer)

    def describe(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "chunk_tokens": self.chunk_tokens,
            "tokenizer": self.tokenizer,
            "announced": self.announced,
        }

    def chunks(self, sessions: Sequence[Session], stops: Sequence[int] = ()) -> tuple[list[str], list[int]]:
        """Return the chunks, and for each of ``stops`` (numbers of sessions read) the chunks read by then.

        A chunk never reaches over a stop, so that a question that is asked there finds nothing later read.
        """
        chunks: list[str] = []
        read = {0: 0}
        at = 0
        for stop in sorted({*stops, len(sessions)} - {0}):
            chunks += self._pack(sessions[at:stop])
            read[stop] = len(chunks)
            at = stop
        return chunks, [read[stop] for stop in stops]

    def task(
        self,
        sample: Sample,
        *,
        reward: str,
        rewards: Mapping[str, str],
        abstain: str,
    ) -> ReadingTask:
        """Start reading a sample: ``data["sessions"]``, and ``data["asked_after"]`` where questions come on the way."""
        stops = sample.data.get("asked_after", ())
        chunks, read = self.chunks(sample.data["sessions"], stops)
        return ReadingTask(
            sample.questions, chunks, reward=reward, rewards=rewards, asked_after=read if stops else None,
            announced=self.announced, abstain=abstain,
        )  # fmt: skip

    def _pack(self, sessions: Sequence[Session]) -> Iterator[str]:
        count = make_tokenizer(self.tokenizer).count
        chunk, size, shown = "", 0, 0
        for session in sessions:
            title = count(session.header) + 2
            for turn in session.lines():
                length = count(turn) + 1
                new = session.number != shown
                fits = size + length + (title if new else 0) <= self.chunk_tokens
                ends = self.unit == "turn" or (self.unit == "session" and new) or not fits
                if chunk and ends:
                    yield chunk
                    chunk, size, new = "", 0, True
                if not chunk and title + length > self.chunk_tokens:
                    *whole, rest = self._long(f"{session.header}\n{turn}")
                    yield from whole
                    chunk, size, shown = rest, count(rest), session.number
                    continue
                before = (BLANK if chunk else "") + session.header if new else ""
                chunk += f"{before}\n{turn}"
                size += length + (title if new else 0)
                shown = session.number
        if chunk:
            yield chunk

    def _long(self, text: str) -> list[str]:
        return cut_text(text, make_tokenizer(self.tokenizer), self.chunk_tokens)
