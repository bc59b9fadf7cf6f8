"""ExpeL: experiences are kept as examples, and what tells success from failure becomes rules that are voted on.

Source: Zhao et al., "ExpeL: LLM Agents Are Experiential Learners" (arXiv 2308.10144), and its code (Apache-2.0). Each
success is compared with the failures at its task, then successes eight at a time; the model adds, edits, agrees with
or removes rules. A rule starts with 2 votes, gains one when it is agreed with or edited, loses one when it is removed
(three when the list is full), and is dropped at none; changes are made in the order remove, agree, edit, add. At use
the 20 best rules are shown, and the 2 experiences nearest to the task (ALFWorld; HotpotQA: 6).

Deviations:
- Gathering experiences (ReAct with Reflexion) is an episode of its own in a world; here they come in as they went.
- Rules are named by number and changed under their id (the code matches rules by parts of their text). A number that
  was not shown is refused by the environment, on record. A rule added word for word again is agreed with.
- A list is full at ``max_rules`` + ``slack`` rules; then nothing is added (the code changes its prompt to that end).
- Experiences are found by all of their text and not by the task alone, and not filtered by the type of task, which no
  new task tells; ``by`` is the index. The longest are left out by ``tokens`` (None: none).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import ClassVar

from memgym.agent import Briefing, Observation, World
from memgym.memory.entry import Entry, Hit
from memgym.memory.memory import key_of
from memgym.model import ChatModel
from memgym.operations import Action, Create, Delete, Evolve, Operation, Read, Update, pairs

from ..budget import tokenizer
from ..lifecycle.components import Evolution, Formation, Piece, Retrieval, Utilization, needs_model
from ..lifecycle.system import MemorySystem
from ..memory_prompts import COMPARE, RuleEdit
from .shown import unshown

RULE, EXPERIENCE = "expelrule", "experience"
"""Tags of the two kinds of entry; no text has the first by chance, so all rules are found by it."""

STARTING, REMOVED, REMOVED_WHEN_FULL = 2, 1, 3
ORDER = ("remove", "agree", "edit", "add")


class ExpeLFormation(Formation):
    """Keeps each experience as it was, with its task and how it ended."""

    name = "expel.formation"
    unit = "experience"
    requires = frozenset({"steps", "success", "task_spec"})
    provides = frozenset({"text_content", "tags"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def form(self, piece: Piece, observation: Observation) -> Sequence[Operation]:
        lived = piece.experience
        if lived is None:
            return ()
        known = {"task": lived.task, "success": "yes" if lived.success else "no", "task_type": lived.task_type}
        return [Create(lived.render(), tags=(EXPERIENCE,), attributes=pairs({k: v for k, v in known.items() if v}))]


def votes(entry: Entry) -> int:
    """Return the votes of a rule; what is no number counts as none."""
    said = entry.attribute("votes")
    return int(said) if said.isascii() and said.isdigit() else 0


def rules_in(hits: Sequence[Hit]) -> list[Hit]:
    """Return the rules among hits, those with most votes first, then the oldest."""
    found = [hit for hit in hits if RULE in hit.entry.tags]
    return sorted(found, key=lambda hit: (-votes(hit.entry), key_of(hit.entry.id)))


class ExpeLEvolution(Evolution):
    """Compares experiences at the end of the input and keeps the list of rules.

    max_rules, slack: the list is full when it has both together. chunk: successes that are looked at together.
    same: how many stored experiences are looked through for those with the same task.
    """

    name = "expel.evolution"
    requires = frozenset({"id", "text_content", "text_index", "success", "task_spec"})

    def __init__(
        self, model: ChatModel | None = None, *, max_rules: int = 20, slack: int = 5, chunk: int = 8, same: int = 50
    ) -> None:
        for name, value, least in (("max_rules", max_rules, 1), ("slack", slack, 0), ("chunk", chunk, 1)):
            if value < least:
                raise ValueError(f"{name} is {value}; at least {least} was expected.")
        self.model = needs_model(model, self)
        self.most, self.chunk, self.same = max_rules + slack, chunk, same
        self._fresh: dict[str, str] = {}

    def reset(self, briefing: Briefing) -> None:
        self._fresh = {}

    async def integrate(self, formed: Sequence[Operation], world: World) -> None:
        seen = await world.step(Action(tuple(formed)))
        for operation, result in zip(formed, seen.results, strict=True):
            if isinstance(operation, Create) and result.ok and "success" in (known := dict(operation.attributes)):
                self._fresh[result.ids[0]] = known.get("task", "")

    async def settle(self, world: World) -> None:
        fresh, self._fresh = self._fresh, {}
        lived = await self._like(fresh, world)
        for success, failure in _pairs(lived, fresh):
            await self._compare(success, failure, world)
        wins = [entry.text for entry in lived if entry.id in fresh and entry.attribute("success") == "yes"]
        for first in range(0, len(wins), self.chunk):
            await self._compare("\n\n".join(wins[first : first + self.chunk]), "", world)

    async def _like(self, fresh: Mapping[str, str], world: World) -> list[Entry]:
        """Return the experiences, fresh or older, whose task is that of a fresh one, oldest first."""
        known: dict[str, Entry] = {}
        for task in dict.fromkeys(fresh.values()):
            seen = await world.step(Action((Read(task, k=self.same, by="text"),)))
            alike = [hit.entry for hit in seen.memories if hit.entry.attribute("task") == task]
            known.update((entry.id, entry) for entry in alike)
        return sorted(known.values(), key=lambda entry: key_of(entry.id))

    async def _compare(self, success: str, failure: str, world: World) -> None:
        seen = await world.step(Action((Read(RULE, k=self.most, by="text"),)))
        shown = [hit.entry for hit in rules_in(seen.memories)]
        asked = await COMPARE.ask(self.model, success=success, failure=failure, rules=[rule.text for rule in shown])
        ballot = Ballot(shown, self.most)
        for edit in sorted(asked.value.edits, key=lambda one: ORDER.index(one.action)):
            ballot.count(edit)
        if operations := tuple(ballot.operations()):
            await world.step(Action(operations))


def _pairs(lived: Sequence[Entry], fresh: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield each success with each failure at its task, where one of the two is fresh."""
    for won in lived:
        for lost in lived:
            ends = (won.attribute("success"), lost.attribute("success"))
            alike = won.attribute("task") == lost.attribute("task")
            if alike and ends == ("yes", "no") and (won.id in fresh or lost.id in fresh):
                yield won.text, lost.text


class Ballot:
    """Counts one reply's changes to the rules that were shown; ``operations`` are what they come to."""

    def __init__(self, shown: Sequence[Entry], most: int) -> None:
        self._shown = shown
        self._most = most
        self._full = len(shown) >= most
        self._votes = {rule.id: votes(rule) for rule in shown}
        self._texts: dict[str, str] = {}
        self._added: dict[str, None] = {}
        self._unshown: list[int] = []

    def count(self, edit: RuleEdit) -> None:
        """Count one change; a rule that was not shown cannot be changed."""
        if edit.action == "add":
            self._add(edit.text)
        elif not 1 <= edit.number <= len(self._shown):
            self._unshown.append(edit.number)
        elif edit.action == "remove":
            self._votes[self._shown[edit.number - 1].id] -= REMOVED_WHEN_FULL if self._full else REMOVED
        else:
            rule = self._shown[edit.number - 1]
            self._votes[rule.id] += 1
            if edit.action == "edit" and edit.text and edit.text != rule.text:
                self._texts[rule.id] = edit.text

    def _add(self, text: str) -> None:
        known = next((rule.id for rule in self._shown if rule.text == text), None)
        if known is not None:
            self._votes[known] += 1
        elif text and sum(count > 0 for count in self._votes.values()) + len(self._added) < self._most:
            self._added[text] = None

    def operations(self) -> Iterator[Operation]:
        for rule in self._shown:
            count = self._votes[rule.id]
            if count <= 0:
                yield Delete(rule.id)
                continue
            if rule.id in self._texts:
                yield Update(rule.id, self._texts[rule.id])
            if count != votes(rule):
                yield Evolve(rule.id, attributes=pairs(votes=str(count)))
        yield from (Create(text, tags=(RULE,), attributes=pairs(votes=str(STARTING))) for text in self._added)
        yield from (Delete(unshown(str(number))) for number in self._unshown)


class ExpeLRetrieval(Retrieval):
    """The best rules, and the experiences nearest to the task that went well.

    max_rules: rules that are shown. shots: experiences that are shown, of ``pool`` times as many that are looked at.
    tokens: the longest experience that is shown (None: no bound). by: the index by which experiences are found.
    """

    name = "expel.retrieval"
    requires = frozenset({"text_index", "text_embedding_index", "text_content"})
    provides = frozenset({"retrieved"})

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        max_rules: int = 20,
        slack: int = 5,
        shots: int = 2,
        pool: int = 4,
        tokens: int | None = None,
        by: str = "dense",
    ) -> None:
        self.max_rules, self.listed = max_rules, max_rules + slack
        self.shots, self.pool, self.tokens, self.by = shots, shots * pool, tokens, by

    async def retrieve(self, question: str, world: World) -> Sequence[Hit]:
        """Read the rules by their tag and enough by the task that rules among the nearest leave room."""
        near = (Read(question, k=self.pool + self.listed, by=self.by),) if self.pool else ()
        seen = await world.step(Action((Read(RULE, k=self.listed, by="text"), *near)))
        nearest = seen.results[1].ids if near else ()
        hits = {hit.entry.id: hit for hit in seen.memories}
        others = [hits[id] for id in nearest if RULE not in hits[id].entry.tags][: self.pool]
        shots = [hit for hit in others if self._fits(hit.entry)]
        return [*rules_in(seen.memories)[: self.max_rules], *shots[: self.shots]]

    def _fits(self, entry: Entry) -> bool:
        """Whether an entry is shown: no failure, and not too long."""
        short = self.tokens is None or tokenizer().count(entry.text) <= self.tokens
        return short and entry.attribute("success") != "no"


class ExpeLUtilization(Utilization):
    """Shows the rules as a list, and below them the experiences in full."""

    name = "expel.utilization"
    requires = frozenset({"retrieved", "text_content"})
    provides = frozenset({"prompt"})

    def __init__(self, model: ChatModel | None = None) -> None:
        pass

    async def context(self, question: str, hits: Sequence[Hit], observation: Observation) -> str:
        rules = [f"- {hit.entry.text}" for hit in hits if RULE in hit.entry.tags]
        lived = [hit.entry.text for hit in hits if RULE not in hit.entry.tags]
        head = "\n".join(["What earlier episodes taught, the most trusted first:", *rules]) if rules else ""
        return "\n\n".join(part for part in (head, *lived) if part)


class ExpeL(MemorySystem):
    """ExpeL (arXiv 2308.10144): rules by votes, and like experiences."""

    name = "expel"
    system: ClassVar = {
        "formation": "expel.formation",
        "backend": "vector.backend",
        "evolution": "expel.evolution",
        "retrieval": "expel.retrieval",
        "utilization": "expel.utilization",
    }
