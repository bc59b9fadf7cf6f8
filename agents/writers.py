"""Memory policies whose writing is a fixed rule and whose reading and answering are a language model's.

They measure what a learned policy adds: the same model, prompt and budget, and only the writes are not its own.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from memgym.agent import Briefing, Observation
from memgym.memory.entry import Hit
from memgym.operations import Action, Create, Delete, Operation, Read, Scratchpad, Update
from memgym.tokens import make_tokenizer

from .llm import LanguageModelAgent
from .undirected import names, sentences, spaced


class Writer(LanguageModelAgent):
    """Shows the model each observation as ``llm`` does, and of its reply keeps reads, command and plain text.

    The options are those of ``llm``, with the compact prompt unless they say otherwise. While there is something to
    read, a rule writes instead of the model.
    """

    def __init__(self, model: Any = None, **options: Any) -> None:
        super().__init__(model, **{"prompt": "compact", **options})

    async def reset(self, briefing: Briefing) -> None:
        await super().reset(briefing)
        self._ids: list[str] = []

    async def act(self, observation: Observation) -> str:
        self._see(observation)
        reply = await super().act(observation)
        if observation.view.phase != "read":
            return reply
        action = self._briefing.dialect.parse(reply)
        reads = tuple(one for one in action.operations if isinstance(one, Read))
        writes = tuple(self.writes(sentences(observation.view.text), observation))
        return spaced(self._briefing.dialect.format(Action((*self.reads(reads, observation), *writes), action.command)))

    def reads(self, asked: Sequence[Read], observation: Observation) -> Sequence[Read]:
        """Return what is read; the model's own reads unless a policy says otherwise."""
        return asked

    @abstractmethod
    def writes(self, lines: Sequence[str], observation: Observation) -> Sequence[Operation]:
        """Return the operations by which this policy keeps sentences of the present chunk."""

    def _see(self, observation: Observation) -> None:
        """Follow which entries of its own are alive."""
        for result in observation.results:
            if result.ok and result.operation == "create":
                self._ids += result.ids
            elif result.ok and result.operation == "delete":
                self._ids = [id for id in self._ids if id not in result.ids]


class KeepEverything(Writer):
    """Stores every sentence while there is room; what comes when memory is full is refused."""

    name = "keep-everything"

    def writes(self, lines: Sequence[str], observation: Observation) -> Sequence[Operation]:
        return [Create(line) for line in lines]


class KeepNewest(Writer):
    """A queue: stores every sentence, and deletes the oldest entries to make room for ``entries`` of them."""

    name = "keep-newest"

    def __init__(self, model: Any = None, *, entries: int = 2, **options: Any) -> None:
        super().__init__(model, **options)
        if entries < 1:
            raise ValueError(f"entries is {entries}; at least 1 was expected.")
        self.entries = entries

    def writes(self, lines: Sequence[str], observation: Observation) -> Sequence[Operation]:
        lines = lines[-self.entries :]
        old = self._ids[: max(0, len(self._ids) + len(lines) - self.entries)]
        return [*(Delete(id) for id in old), *(Create(line) for line in lines)]


class StoreAndSearch(KeepEverything):
    """bm25-rag by sentences: stores every sentence while there is room, and reads by the question's own words."""

    name = "store-and-search"

    def reads(self, asked: Sequence[Read], observation: Observation) -> Sequence[Read]:
        return [Read(" ".join(observation.view.questions))]


class NoteNewest(Writer):
    """The scratchpad alone: it holds the newest sentences that fit into ``tokens`` (cl100k); nothing is stored."""

    name = "note-newest"

    def __init__(self, model: Any = None, *, tokens: int = 14, **options: Any) -> None:
        super().__init__(model, **options)
        self.tokens = tokens

    def writes(self, lines: Sequence[str], observation: Observation) -> Sequence[Operation]:
        kept = [*sentences(observation.scratchpad), *lines]
        count = make_tokenizer("cl100k").count
        while kept and count(" ".join(kept)) > self.tokens:
            kept = kept[1:]
        return [Scratchpad(" ".join(kept))] if kept else []


class KeepMatching(Writer):
    """A rule made for the task: stores the sentences that share a name with a question while there is room."""

    name = "keep-matching"

    def writes(self, lines: Sequence[str], observation: Observation) -> Sequence[Operation]:
        asked = set(names(" ".join(observation.view.questions)))
        return [Create(line) for line in lines if asked & set(names(line))]


class KeepCurrent(KeepMatching):
    """The rule that solves the task: as ``keep-matching``, and updates the entry about the same name: a bound."""

    name = "keep-current"

    def writes(self, lines: Sequence[str], observation: Observation) -> Sequence[Operation]:
        known = {_opening(hit): hit.entry.id for hit in observation.memories}
        found = [one.text for one in super().writes(lines, observation) if isinstance(one, Create)]
        return [Update(known[word], line) if (word := line.split(" ")[0]) in known else Create(line) for line in found]


def _opening(hit: Hit) -> str:
    return re.split(r"\s", hit.entry.text, maxsplit=1)[0]
