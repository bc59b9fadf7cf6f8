"""The POMDP itself: one episode's state (task, memory), its transition, and what is seen of it. No Gymnasium here.

``begin`` is parse, resolve, write, advance; ``finish`` is read, observe, reward. They are apart so that a vector of
episodes can begin all its steps, encode what is new in one call, and then finish them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

from memgym.addresses import resolve
from memgym.agent import Observation
from memgym.dialects import Dialect
from memgym.evidence import EvidenceLog
from memgym.memory.entry import Hit, Write
from memgym.memory.memory import Memory
from memgym.operations import Action, Advance, Answer, Command, Malformed, Operation, Read, Result, Status
from memgym.options import Options
from memgym.task import Outcome, Sample, Task

TEXTS = ("task", "observation", "scratchpad", "memories", "feedback")
_WROTE = ("create", "update")
_READ_ON = Advance()
PATIENCE = 100
"""Horizons that an episode may last under advance="explicit", where a pipeline takes many steps without a command."""


class Between(Protocol):
    """Stands between operations and memory, to leave some without effect; ``number`` is the place in the action.

    ``write`` carries out what ``Memory.apply`` would, ``reads`` says whether a read is carried out, ``counts`` whether
    a result counts as a write for ``advance="on_write"``.
    """

    def write(self, memory: Memory, operation: Operation, source: Write, number: int) -> Result: ...
    def reads(self, step: int, number: int) -> bool: ...
    def counts(self, step: int, number: int, result: Result) -> bool: ...


class Pomdp:
    """One episode in progress. ``seen`` is the present observation, ``texts`` the same as text.

    ``between``, where it is set after a reset, carries out the operations of this episode (``memgym credit``).
    """

    between: Between | None = None

    def __init__(self, sample: Sample, task: Task, memory: Memory, dialect: Dialect, options: Options) -> None:
        self.sample = sample
        self.task = task
        self.memory = memory
        self.dialect = dialect
        self.options = options
        patience = PATIENCE if options.advance == "explicit" else 1
        self.max_steps = options.max_steps or task.horizon * patience
        self.steps = 0
        self.over = False
        self.outcome: Outcome | None = None
        self.reads: list[Read] = []
        self._asked: list[int] = []
        self._log = EvidenceLog(sample.questions)
        self._operations = 0
        self._queries = 0
        self._standing: Read | None = None
        self._results: list[Result] = []
        self._hits: tuple[Hit, ...] = ()
        self.seen: Observation
        self._still = options.advance == "explicit"
        self._observe()

    # ---------------------------------------------------------------- the two halves of a step

    def begin(self, action: Action, *, unread: bool = False) -> None:
        """Resolve every address against the memory as it was shown, write in order, then let the task move."""
        self.reads, self._asked, self._results = [], [], []
        if self.over:
            parts = (*action.operations, action.command) if action.command else action.operations
            self._results = [Result(part.kind, Status.MASKED, reason="the episode is over") for part in parts]
            return
        self.steps += 1
        self.memory.tick()
        if unread:
            told = "the text holds no operation and no command: it counted as an empty action"
            self._results.append(Result("action", Status.EMPTY, reason=told))
        wrote = bool(action.operations) and self._write(action.operations)
        self._advance(action.command, wrote)

    def finish(self) -> float:
        """Read, observe, and return the reward: 0 until the step that ends the episode."""
        if self.reads or self._standing or self._hits:
            self._read()
        ended = not self.over and (self.task.done or self.steps >= self.max_steps)
        if ended:
            self.over = True
            self.outcome = self._score(self.task.outcome())
        self._observe()
        return self.outcome.reward if ended and self.outcome else 0.0

    def wait(self) -> bool:
        """Take a step in which nothing is written, asked or said, if nothing can move in it; return whether it was.

        Equal to ``begin(Action())`` and ``finish()``, at the cost of counting: a policy that waits is common.
        """
        if not self.quiet or self.steps + 1 >= self.max_steps:
            return False
        self.steps += 1
        self.memory.clock += 1
        seen = self.seen
        # Half of what Observation(...) costs, and that is half of this step.
        self.seen = tuple.__new__(Observation, (seen[0], seen[1], (), (), self.steps, self.max_steps - self.steps, ""))
        return True

    @property
    def terminated(self) -> bool:
        return self.task.done

    @property
    def truncated(self) -> bool:
        return self.over and not self.task.done

    # ---------------------------------------------------------------- write

    def _write(self, operations: tuple[Operation, ...]) -> bool:
        memory, shown, results = self.memory, [hit.entry.id for hit in self._hits] if self._hits else [], self._results
        wrote = False
        for part in [resolve(operation, memory, shown) for operation in operations]:
            result = self._do(part)
            if result.operation in _WROTE:
                counts = (
                    self.between.counts(self.steps, len(results), result) if self.between is not None else result.ok
                )
                wrote = wrote or counts
            results.append(result)
        return wrote

    def _do(self, part: Operation | Result) -> Result:
        """Carry out one operation, or say why not. A mask comes first: what is masked is not looked up."""
        options = self.options
        kind = part.operation if isinstance(part, Result) else part.kind
        if isinstance(part, Malformed):
            return Result(kind, Status.MALFORMED, reason=part.reason)
        if kind not in options.allowed:
            return Result(kind, Status.MASKED, reason=f"{kind} is not allowed here")
        limit = options.max_operations
        if limit is not None and self._operations >= limit:
            return Result(kind, Status.OVER_BUDGET, reason=f"all {limit} operations of this episode are spent")
        self._operations += 1
        if isinstance(part, Read):
            return self._ask(part)
        return part if isinstance(part, Result) else self._change(part)

    def _change(self, part: Operation) -> Result:
        self._queries = 0
        source = Write(self.sample.id, self.steps, part.kind, self.memory.clock)
        if self.between is not None:
            return self.between.write(self.memory, part, source, len(self._results))
        return self.memory.apply(part, source)

    def _ask(self, read: Read) -> Result:
        """Note a read: it runs after all writes of the step."""
        limit = self.options.query_limit
        if limit is not None and self._queries >= limit:
            self._queries = 0
            self._answer("")
            return Result(
                "read", Status.OVER_BUDGET, reason=f"more than {limit} reads without a write: question skipped"
            )
        self._queries += 1
        if self.between is None or self.between.reads(self.steps, len(self._results)):
            self.reads.append(read)
            self._asked.append(len(self._results))
        return Result("read", Status.OK)

    # ---------------------------------------------------------------- advance

    def _advance(self, command: Command | None, wrote: bool) -> None:
        if isinstance(command, Answer):
            self._results.append(self._answer(command.text))
        elif command is not None:
            self._results.append(self.task.take(command))
        else:
            rule = self.options.advance
            if (rule == "always" or (rule == "on_write" and wrote)) and self.task.view.phase == "read":
                self.task.take(_READ_ON)

    def _answer(self, text: str) -> Result:
        result = self.task.take(Answer(text))
        if result.ok:
            self._queries = 0
            self._log.answer([entry.text for entry in self.memory.entries()] + [self.memory.scratchpad])
        return result

    # ---------------------------------------------------------------- read, observe

    def _read(self) -> None:
        """Run the reads on the memory after the writes; a persistent query is asked again at every step."""
        if len(self.reads) == 1 and self.options.reads == "requested":
            read, options = self.reads[0], self.options
            self._results[self._asked[0]], hits = self.memory.read(read, k=options.k or 6, by=options.by)
            self._hits = tuple(hits)
            return
        found: dict[str, Hit] = {}
        answered = self._answered()
        for number, (result, hits) in zip(self._asked, answered, strict=False):
            self._results[number] = result
            found.update((hit.entry.id, hit) for hit in hits if hit.entry.id not in found)
        for _, hits in answered:
            found.update((hit.entry.id, hit) for hit in hits if hit.entry.id not in found)
        self._hits = tuple(found.values())

    def _answered(self) -> Iterator[tuple[Result, list[Hit]]]:
        for read in self.reads:
            yield self.memory.read(read, k=self.options.k or 6, by=self.options.by)
        for read in self.standing():
            yield self.memory.read(read, k=self.options.k or 6, by=self.options.by)

    def standing(self) -> list[Read]:
        """Return the query of an earlier step that this step asks again (persistent reads), if any."""
        if self.options.reads != "persistent" or self.over:
            return []
        asked = [read for read in self.reads if read.query.strip()]
        if asked:
            self._standing = asked[-1]
            return []
        return [self._standing] if self._standing is not None else []

    def _observe(self) -> None:
        view, memory = self.task.view, self.memory
        results = tuple(self._results)
        if self._hits or memory.scratchpad:
            self._log.show((hit.entry.text for hit in self._hits), memory.scratchpad)
        budget = self._budget() if self.options.show_budget else ""
        left = self.max_steps - self.steps
        left = left if left > 0 else 0
        hits, scratchpad = self._hits, memory.scratchpad
        self.seen = Observation(view, scratchpad, hits, results, self.steps, left, budget)
        feedback = self.dialect.feedback(results) if results else ""
        self.texts = {
            "task": view.instruction,
            "observation": view.text,
            "scratchpad": scratchpad,
            "memories": self.dialect.render(hits) if hits else "",
            "feedback": f"{feedback}\n{budget}".strip() if budget else feedback,
        }
        moving = view.phase == "read" and not self._still
        self.quiet: bool = not (results or self._hits or budget or self.over or moving or self._standing)
        self.size = len(memory)

    def _budget(self) -> str:
        options = self.options
        left = [f"{self.max_steps - self.steps} steps"]
        if options.max_operations is not None:
            left.append(f"{options.max_operations - self._operations} operations")
        if options.capacity is not None:
            left.append(f"{options.capacity - len(self.memory)} entries")
        if options.max_tokens is not None:
            left.append(f"{options.max_tokens - self.memory.tokens()} memory tokens")
        return f"Left: {', '.join(left)}."

    # ---------------------------------------------------------------- score, copy, show

    def _score(self, outcome: Outcome) -> Outcome:
        metrics = {**outcome.metrics, **self._log.metrics(), "memory_size": float(len(self.memory))}
        stored, shown = (self._log.questions_of(column) for column in (self._log.stored, self._log.shown))
        if len(shown) != len(outcome.references):
            return replace(outcome, metrics=metrics)
        return replace(outcome, metrics=metrics, stored=stored, shown=shown)

    def fork(self) -> Pomdp:
        """Return a copy in the same state that shares nothing which either side can change."""
        memory = self.memory.fork()
        memory.frozen = self.memory.frozen
        twin = Pomdp(self.sample, self.task.fork(), memory, self.dialect, self.options)
        twin.max_steps, twin.steps, twin.over, twin.outcome = self.max_steps, self.steps, self.over, self.outcome
        twin._log, twin._standing = self._log.fork(), self._standing
        twin._operations, twin._queries = self._operations, self._queries
        twin.reads, twin._results, twin._hits = list(self.reads), list(self._results), self._hits
        twin._asked, twin.between = list(self._asked), self.between
        twin.seen, twin.texts, twin.quiet = self.seen, dict(self.texts), self.quiet
        return twin

    def state(self) -> dict[str, Any]:
        """Return the whole hidden state as JSON values."""
        return {
            "sample": self.sample.id,
            "step": self.steps,
            "over": self.over,
            "operations": self._operations,
            "task": self.task.state(),
            "memory": self.memory.to_json(),
        }
