"""Baselines that keep nothing, everything, or one rewritten note; those that retrieve are in ``rag``."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import replace

from memgym.agent import Observation, ScriptedAgent
from memgym.model import ChatModel
from memgym.operations import Action, Advance, Scratchpad
from memgym.tokens import make_tokenizer

from .asking import READING, TEXTS, answer, needed, only_answers, question
from .passages import Joined
from .prompts import NOTE

Play = AsyncGenerator[Action, Observation]


class NoMemory(ScriptedAgent):
    """Reads past everything and answers from an empty text: what the model knows, or guesses, without memory."""

    name = "no-memory"
    plays = TEXTS

    def __init__(self, model: ChatModel | None = None) -> None:
        self.model = needed(model, self.name)

    async def episode(self, observation: Observation) -> Play:
        only_answers(observation.view, self.name)
        while (phase := observation.view.phase) in READING:
            said = Advance() if phase == "read" else await answer(self.model, "", question(observation.view))
            observation = yield Action(command=said)


class FullContext(ScriptedAgent):
    """Keeps all that it read in its own context, outside the environment's memory, and answers from that.

    It does not play by the POMDP's rules: no operation is used and no capacity binds it, so it is a reference point
    for a long-context model and not a memory policy. ``context_tokens`` (cl100k) bounds the kept text: the oldest
    chunks are dropped whole, as a sliding window does. (AtomMem's code cuts out the middle instead, which needs the
    whole input at once.) Overlaps between chunks are kept once.
    """

    name = "full-context"
    plays = TEXTS

    def __init__(self, model: ChatModel | None = None, context_tokens: int = 128_000) -> None:
        if context_tokens < 1:
            raise ValueError(f"context_tokens is {context_tokens}; at least 1 was expected.")
        self.model = needed(model, self.name)
        self.context_tokens = context_tokens

    async def episode(self, observation: Observation) -> Play:
        only_answers(observation.view, self.name)
        chunks, window = Joined(), _Window(self.context_tokens)
        while (phase := observation.view.phase) in READING:
            if phase == "read":
                window.add(chunks.feed(observation.view.text))
                observation = yield Action(command=Advance())
            else:
                observation = yield Action(command=await answer(self.model, window.text, question(observation.view)))


class _Window:
    """The newest chunks that fit into a number of tokens; of a single one that does not fit, its end."""

    def __init__(self, tokens: int) -> None:
        self._tokenizer = make_tokenizer("cl100k")
        self._room = tokens
        self._kept: deque[tuple[str, int]] = deque()
        self._size = 0

    @property
    def text(self) -> str:
        return "".join(chunk for chunk, _ in self._kept)

    def add(self, chunk: str) -> None:
        ends = self._tokenizer.offsets(chunk)
        if len(ends) > self._room:
            chunk = chunk[ends[-self._room - 1] :]
        size = min(len(ends), self._room)
        self._kept.append((chunk, size))
        self._size += size
        while self._size > self._room:
            self._size -= self._kept.popleft()[1]


class ScratchpadOnly(ScriptedAgent):
    """Rewrites one note at every chunk, knowing the questions, and answers from it alone: MemAgent's policy, untrained.

    ``limit`` is the note's length in tokens (MemAgent: 1024); the model is told, and its reply is cut off a little
    above, where the JSON around the note ends. A chunk whose reply could not be used leaves the note as it was.
    Deviation: MemAgent reads chunks of 5000 tokens for one question; here the environment cuts, and all visible
    questions are given.
    """

    name = "scratchpad-only"
    plays = TEXTS

    def __init__(self, model: ChatModel | None = None, limit: int = 1024) -> None:
        if limit < 1:
            raise ValueError(f"limit is {limit}; at least 1 was expected.")
        self.model = needed(model, self.name)
        self.limit = limit

    async def episode(self, observation: Observation) -> Play:
        only_answers(observation.view, self.name)
        while (phase := observation.view.phase) in READING:
            if phase == "read":
                note = (Scratchpad(await self._note(observation)),) if observation.view.text else ()
                observation = yield Action(note, Advance())
            else:
                said = await answer(self.model, observation.scratchpad, question(observation.view))
                observation = yield Action(command=said)

    async def _note(self, observation: Observation) -> str:
        prompt = replace(NOTE, max_tokens=self.limit + 128)
        view = observation.view
        asked = await prompt.ask(
            self.model,
            questions=list(view.questions),
            scratchpad=observation.scratchpad,
            text=view.text,
            limit=self.limit,
        )
        return asked.value.scratchpad
