"""A teacher whose way of writing is right and whose choices are not: it keeps what it reads by chance.

It is there for the warm start of a small policy, which should know how to write, read and answer before it learns what
to keep. ``aware`` is how much of the last it gives away, and is to be told wherever a score of such a policy is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memgym.agent import Agent, Briefing, Observation
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Action, Answer, Create, Operation, Read, Scratchpad, Update

from .asking import only_answers
from .prompts import UNKNOWN

_WORD = re.compile(r"\w{3,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class UndirectedTeacher(Agent):
    """Reads by the names in the questions, keeps each sentence with probability ``keep``, answers from what it sees.

    In a share ``aware`` of the episodes it keeps exactly the sentences that share a name with a question. In a share
    ``note`` it writes the newest kept sentences (two) to the scratchpad instead of the store. Where an entry is shown
    that begins as the sentence does, it is updated with probability ``update``, else a new one is created. An answer
    follows the statement that it is from, in plain text before the tag; "unknown" if none is seen.

    It understands sentences that begin with the name they are about and end with what is said of it (Whereabouts).
    """

    name = "undirected"

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        keep: float = 0.5,
        aware: float = 0.3,
        update: float = 0.8,
        note: float = 0.1,
    ) -> None:
        for name, value in (("keep", keep), ("aware", aware), ("update", update), ("note", note)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name} is {value}; a probability was expected.")
        self.keep, self.aware, self.update, self.note = keep, aware, update, note

    async def reset(self, briefing: Briefing) -> None:
        self._rng, self._dialect = briefing.rng, briefing.dialect
        chance = self._rng.random(2)
        self._knows, self._notes = bool(chance[0] < self.aware), bool(chance[1] < self.note)

    async def act(self, observation: Observation) -> Action | str:
        only_answers(observation.view, self.name)
        if observation.view.phase != "read":
            return self._answer(observation)
        asked = names(" ".join(observation.view.questions))
        kept = [line for line in sentences(observation.view.text) if self._keeps(line, asked)]
        read = Read(" ".join(asked))
        if self._notes:
            newest = [*sentences(observation.scratchpad), *kept][-2:]
            return spaced(self._dialect.format(Action((read, Scratchpad(" ".join(newest))) if newest else (read,))))
        return spaced(self._dialect.format(Action((read, *self._writes(kept, observation.memories)))))

    def _keeps(self, line: str, asked: Sequence[str]) -> bool:
        drawn = bool(self._rng.random() < self.keep)
        return bool(set(names(line)) & set(asked)) if self._knows else drawn

    def _writes(self, kept: Sequence[str], shown: Sequence[Hit]) -> list[Operation]:
        known = {hit.entry.text.split(" ")[0]: hit.entry.id for hit in shown}
        return [self._write(line, known.get(line.split(" ")[0])) for line in kept]

    def _write(self, line: str, id: str | None) -> Operation:
        again = bool(self._rng.random() < self.update)
        return Update(id, line) if id is not None and again else Create(line)

    def _answer(self, observation: Observation) -> str:
        asked = names(" ".join(observation.view.questions))
        # Ids rise with age, so the last statement about a name is the newest.
        entries = sorted(observation.memories, key=lambda hit: int(re.sub(r"\D", "", hit.entry.id) or 0))
        seen = [*(hit.entry.text for hit in entries), *sentences(observation.scratchpad)]
        said = [line for line in seen if line.split(" ")[0] in asked]
        if not said:
            return spaced(self._dialect.format(Action(command=Answer(UNKNOWN))))
        value = said[-1].rstrip(".").split(" ")[-1]
        return f" {said[-1]} {spaced(self._dialect.format(Action(command=Answer(value))))}"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with its end."""
    return [line for line in _SENTENCE.split(text.strip()) if line]


def names(text: str) -> list[str]:
    """Return the capitalised words of three letters or more that do not open a question."""
    words = _WORD.findall(text)
    return [word for word in dict.fromkeys(words) if word[0].isupper() and word != "Where"]


def spaced(text: str) -> str:
    """Return the text of an action in one line, with a space before the words in a tag and none elsewhere.

    A word then is the same token wherever it stands, which a small model needs in order to copy it.
    """
    return re.sub(r"(<[a-z_]+(?: [^>]*[^/])?>)(?=[^\s<])", r"\1 ", text.replace("\n", ""))
