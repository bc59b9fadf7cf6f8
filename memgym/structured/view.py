"""The structured view itself: a Gymnasium wrapper whose action is a number and whose observation is a vector.

Every decision is one step of the MemoryEnv inside, under ``advance="explicit"``. Gathering the decisions of a chunk for
one step was the other way: there an entry that is created has no id until the step is over, so a later sentence of the
same chunk could not update it, and the features would have to guess what the writes before them will come to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, SupportsInt, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from memgym import registry
from memgym.env import Info, MemoryEnv, Texts
from memgym.memory.entry import Entry, Hit
from memgym.model import Request, answered_at_once
from memgym.operations import Action, Advance, Answer, Create, Delete, Operation, Read, Status, Update
from memgym.rollout import make_env
from memgym.structured.features import Features

SKIP, CREATE = 0, 1
ROUNDS = 2
Vector = NDArray[np.float32]
Reader = Callable[[str, str], str]

_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？｡])\s*|\n+")
_FREE = re.compile(r"slot([0-9]{1,6})")


class StructuredMemory(gymnasium.Wrapper[Vector, SupportsInt, Texts, str | Action], RecordConstructorArgs):
    """A reading task as decisions: for each sentence skip, create, update slot j or delete slot j.

    Args:
        env: a MemoryEnv with a ``capacity`` (the number of slots) and ``advance="explicit"``, or wrappers around one.
        lexicon: the words that the features tell apart (see ``Features``).
        reader: who answers from what memory gives: the name of a chat model that answers at once ("rules"), or a
            function (question, text) -> answer. It is a part of this view, not of the policy.
        rounds: how often memory is read before an answer: with the question, then with what was found.

    Actions are 0 skip, 1 create an entry with the sentence, 2 + j give entry j the sentence as its text,
    2 + slots + j delete entry j. Entries are counted from the one that is nearest to the sentence (``entries``), as
    reads rank them, so that a decision means the same wherever an entry was written. Each is one step of the
    environment inside, the last of a chunk with the command to read on; ``to_action`` and ``from_action`` show the
    one-to-one form. What cannot be done is answered by a status in ``info["status"]`` ("ok" for a skip), never by an
    exception.

    The reader's steps follow the last decision within the same call. The reward is the episode's, at its end.
    ``info`` of a step: "status", and at the end "outcome".
    """

    def __init__(
        self,
        env: gymnasium.Env[Texts, str | Action],
        *,
        lexicon: Sequence[str] = (),
        reader: str | Reader = "rules",
        rounds: int = ROUNDS,
    ) -> None:
        RecordConstructorArgs.__init__(self, lexicon=tuple(lexicon), reader=reader, rounds=rounds)
        # Gymnasium types a wrapper's environment like the wrapper itself.
        gymnasium.Wrapper.__init__(self, cast("Any", env))
        self._played = env
        self._inner, self._reader, self._rounds = _checked(env), _reader(reader), rounds
        self.slots = self._inner.options.capacity or 0
        self.features = Features(self.slots, lexicon)
        self.action_space = cast("gymnasium.Space[SupportsInt]", spaces.Discrete(2 + 2 * self.slots))
        self.observation_space = spaces.Box(0.0, 1.0, (len(self.features),), np.float32)
        self._sentences: list[str] = []
        self._at, self._read = 0, 0
        self.question = ""
        """The open questions, one a line; "" where they are not known yet."""

    # ---------------------------------------------------------------- what is decided

    @property
    def sentence(self) -> str:
        """The sentence that is decided on; "" when the episode is over."""
        return self._sentences[self._at] if self._at < len(self._sentences) else ""

    @property
    def entries(self) -> list[Entry]:
        """The entries by slot: those that share most names with the sentence first, of equal ones the oldest."""
        held = self._inner.memory.entries()
        return self.features.nearest(self.sentence, held) if self.sentence else held

    def to_action(self, index: SupportsInt) -> Action:
        """Return what a number does now. A slot without an entry is addressed as "slot3", which no entry is named."""
        index = int(index)
        if not 0 <= index < 2 + 2 * self.slots:
            raise ValueError(f"The action is {index}; a number from 0 to {1 + 2 * self.slots} was expected.")
        operations = () if index == SKIP else (self._operation(index),)
        return Action(operations, Advance() if self._at == len(self._sentences) - 1 else None)

    def _operation(self, index: int) -> Operation:
        if index == CREATE:
            return Create(self.sentence)
        update, slot = index < 2 + self.slots, (index - 2) % self.slots
        held = self.entries
        id = held[slot].id if slot < len(held) else f"slot{slot}"
        return Update(id, self.sentence) if update else Delete(id)

    def from_action(self, action: Action) -> int:
        """Return the number that does the same now; a ValueError if there is none."""
        for index in self._candidates(action):
            if self.to_action(index) == action:
                return index
        raise ValueError(f"No decision on {self.sentence!r} in {self.slots} slots is {action!r}.")

    def _candidates(self, action: Action) -> list[int]:
        match action.operations:
            case ():
                return [SKIP]
            case (Create(),):
                return [CREATE]
            case (Update(id=id) | Delete(id=id) as one,):
                ids = [entry.id for entry in self.entries]
                free = _FREE.fullmatch(id)
                slot = ids.index(id) if id in ids else int(free[1]) if free else self.slots
                start = 2 if isinstance(one, Update) else 2 + self.slots
                return [start + slot] if slot < self.slots else []
        return []

    def to_text(self, index: SupportsInt) -> str:
        """Return the decision as the text that a language model would write."""
        return self._inner.dialect.format(self.to_action(index))

    def from_text(self, text: str) -> int:
        """Return the decision that a text stands for; a ValueError if it is none."""
        return self.from_action(self._inner.dialect.parse(text))

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which decisions can succeed now: what is allowed, on slots that are used or for a create free."""
        used, allowed = len(self.entries), self._inner.options.allowed
        slots = np.arange(self.slots) < used
        first = np.array([True, "create" in allowed and used < self.slots])
        return np.concatenate([first, slots & ("update" in allowed), slots & ("delete" in allowed)])

    # ---------------------------------------------------------------- playing

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Vector, Info]:
        _, info = self._played.reset(seed=seed, options=options)
        self._read = 0
        _, over, more = self._arrive()
        if over:
            raise ValueError("The episode was over before there was a sentence to decide on.")
        return self.observe(), {"group": info["group"], **more}

    def step(self, action: SupportsInt) -> tuple[Vector, float, bool, bool, Info]:
        done = self.to_action(action)
        plain = not done.operations and done.command is None
        _, reward, terminated, truncated, info = self._played.step("" if plain else done)
        status = next((one.status for one in info["observation"].results if one.operation != "advance"), Status.OK)
        told: Info = {"status": str(status)}
        self._at, self._read = self._at + 1, self._read + 1
        if terminated or truncated:
            return self._end(float(reward), terminated, truncated, {**told, "outcome": info["outcome"]})
        if done.command is not None:
            more, over, said = self._arrive()
            reward, told = float(reward) + more, {**told, **said}
            if over:
                return self._end(reward, self._inner.pomdp.terminated, self._inner.pomdp.truncated, told)
        return self.observe(), float(reward), False, False, told

    def _end(
        self, reward: float, terminated: bool, truncated: bool, told: Info
    ) -> tuple[Vector, float, bool, bool, Info]:
        self._sentences, self._at = [], 0
        return np.zeros(len(self.features), np.float32), reward, terminated, truncated, told

    def _arrive(self) -> tuple[float, bool, Info]:
        """Go to the next sentence: answer what is asked, pass over empty chunks. Return reward, whether all is over."""
        reward, over, told = 0.0, False, Info()
        while not over:
            view = self._inner.pomdp.seen.view
            if view.phase == "act":
                raise ValueError("The structured view reads and answers; a world that is acted in has none.")
            if view.phase == "answer":
                actions = self._answer(view.questions[0] if view.questions else view.instruction)
            else:
                self._sentences, self._at, self.question = sentences(view.text), 0, "\n".join(view.questions)
                if self._sentences:
                    return reward, False, told
                actions = Action((), Advance())
            more, over, told = self._take(actions)
            reward += more
        return reward, True, told

    def _take(self, action: Action) -> tuple[float, bool, Info]:
        _, reward, terminated, truncated, info = self._played.step(action)
        over = terminated or truncated
        return float(reward), over, {"outcome": info["outcome"]} if over else {}

    def _answer(self, question: str) -> Action:
        """Read the memory in ``rounds`` steps and return the answer; entries go to the reader by their last change."""
        found: dict[str, Entry] = {}
        query = question
        for _ in range(self._rounds):
            if len(found) == self._inner.pomdp.size:
                break
            self._played.step(Action((Read(query, k=self.slots),)))
            hits: tuple[Hit, ...] = self._inner.pomdp.seen.memories
            fresh = {hit.entry.id: hit.entry for hit in hits if hit.entry.id not in found}
            found |= fresh
            if not fresh or self._inner.pomdp.over:
                break
            query = "\n".join(entry.text for entry in fresh.values())
        held = sorted(found.values(), key=lambda entry: (entry.updated.clock, entry.created.clock))
        return Action((), Answer(self._reader(question, "\n".join(entry.text for entry in held))))

    def observe(self) -> Vector:
        """Return the features of the decision that is due."""
        return self.features.of(
            self.sentence, self.question, [entry.text for entry in self.entries],
            at=self._at, count=len(self._sentences), read=self._read,
        )  # fmt: skip


def make_view(
    id: str, *, lexicon: Sequence[str] = (), reader: str | Reader = "rules", rounds: int = ROUNDS, **options: Any
) -> StructuredMemory:
    """Build the structured view of an environment's id, without Gymnasium's checks; ``options`` are the env's."""
    env = make_env(id, **{"advance": "explicit", **options})
    return StructuredMemory(env, lexicon=lexicon, reader=reader, rounds=rounds)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text: cut after full stops of any script, and at line breaks."""
    return [one.strip() for one in _END.split(text) if one.strip()]


def _checked(env: gymnasium.Env[Any, Any]) -> MemoryEnv:
    inner = env.unwrapped
    if not isinstance(inner, MemoryEnv):
        raise TypeError(f"The structured view goes around a MemoryEnv, not {type(inner).__name__}.")
    if inner.options.capacity is None:
        raise ValueError(
            "The structured view needs a memory with slots: give the environment capacity=4, for instance."
        )
    if inner.options.advance != "explicit":
        raise ValueError(
            f'advance is {inner.options.advance!r}: the structured view takes one step a sentence, so that it needs '
            'advance="explicit".'
        )  # fmt: skip
    return inner


def _reader(reader: str | Reader) -> Reader:
    if not isinstance(reader, str):
        return reader
    model = registry.make_model(reader)

    def read(question: str, text: str) -> str:
        asked = Request("answer", (), {"question": question, "text": text})
        return str(json.loads(answered_at_once(model, asked, "a reader").text)["answer"])

    return read
