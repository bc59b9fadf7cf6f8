"""The options of a MemoryEnv, with their meanings, their checks and their defaults by dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from memgym.masks import allowed
from memgym.registry import unknown

ADVANCE = ("always", "on_write", "explicit")
READS = ("requested", "persistent")
KINDS = ("auto", "exact", "scalable")
SWAPS = ("counted", "ready")
WAYS = ("text", "dense", "hybrid")


@dataclass(frozen=True, slots=True)
class Options:
    """How memory and task meet in an episode. None means: what the dialect says, else the default named here.

    dialect: how actions are written ("xml", "atommem", "tools"); dialect_options: its switches.
    advance: when the next chunk is read without being asked for: "always" (a step without a command reads on; the
        paper, the default), "on_write" (only if the step created or updated an entry; AtomMem's code), "explicit"
        (only on Advance: a step without a command is memory-only).
    reads: "requested" (a read is shown once, in the next observation; the paper, the default) or "persistent" (the
        last query is asked again at every step; AtomMem's code).
    k: entries a read returns when it names no number (6, the paper).
    by: how a read searches when it does not say: "text", "dense", "hybrid"; default: the richest that the store has.
    encoder: name of the encoder of the dense index ("hashing", "minilm", ...); None: text reads only.
    stores: names of the stores; the first is the default one.
    capacity: most entries; max_tokens: most tokens of entries and scratchpad together (cl100k);
    max_operations: most operations an episode; query_limit: most reads in a row without a write (AtomMem's code: 3,
        the next read is refused and skips the question). None: no bound.
    max_steps: steps until truncation; None: the task's own horizon (a hundred of them under "explicit").
    operations: a mask (see memgym.masks).
    index: how dense reads are answered: "auto" (exactly, and from ``index_threshold`` entries (10000) on by a graph),
        "exact", or "scalable" (a graph from 1000 entries on). index_swap: when a new graph is put to use, "counted"
        (reproducible) or "ready" (as soon as it is built); see memgym.memory.scalable.
    unique: refuse a second entry with the same text (status ``duplicate``).
    show_budget: show what is left of steps, operations, tokens and entries in the observation's feedback.
    """

    dialect: str = "xml"
    dialect_options: Mapping[str, Any] = field(default_factory=dict)
    advance: str | None = None
    reads: str | None = None
    k: int | None = None
    by: str | None = None
    encoder: str | None = None
    stores: str | tuple[str, ...] = ("main",)
    capacity: int | None = None
    max_tokens: int | None = None
    max_operations: int | None = None
    query_limit: int | None = None
    max_steps: int | None = None
    operations: str | tuple[str, ...] = "all"
    index: str = "auto"
    index_threshold: int = 10_000
    index_swap: str = "counted"
    unique: bool | None = None
    show_budget: bool = False
    allowed: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(one.name for one in fields(cls) if one.name != "allowed")

    def resolve(self, defaults: Mapping[str, Any]) -> Options:
        """Fill what is None from the dialect's defaults and then from our own, and check every value."""
        base = {"advance": "always", "reads": "requested", "k": 6, "unique": True, **defaults}
        filled = {
            name: base[name] for name in self.names() if getattr(self, name) is None and base.get(name) is not None
        }
        stores = (self.stores,) if isinstance(self.stores, str) else tuple(self.stores)
        masked = self.operations if isinstance(self.operations, str) else tuple(sorted(self.operations))
        done = replace(self, **filled, stores=stores, operations=masked, allowed=allowed(masked))
        done._check()
        return done

    def _check(self) -> None:
        for name, valid in (
            ("advance", ADVANCE), ("reads", READS), ("by", (*WAYS, None)), ("index", KINDS), ("index_swap", SWAPS)
        ):  # fmt: skip
            if getattr(self, name) not in valid:
                raise unknown(f"value of the option {name}:", getattr(self, name), [one for one in valid if one])
        for name in ("k", "capacity", "max_tokens", "max_operations", "query_limit", "max_steps", "index_threshold"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise ValueError(f"{name} is {value!r}; a whole number of at least 1 (or None) was expected.")
        if not self.stores or len(set(self.stores)) != len(self.stores) or not all(self.stores):
            raise ValueError(f"stores is {self.stores!r}; one or more different names were expected.")
        if self.by in ("dense", "hybrid") and self.encoder is None:
            raise ValueError(f"by={self.by!r} needs an encoder, for instance encoder='minilm'.")

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON values, for records."""
        data = asdict(self)
        del data["allowed"]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}
