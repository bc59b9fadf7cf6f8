"""Data contracts: which keys a component of a memory pipeline requires and provides, and whether a pipeline holds.

The vocabulary is Table 4 of MemTools, typed; users add keys of their own. Only presence is checked here, before
anything runs; ``memgym.agents.lifecycle`` checks again on the first real entry that what was promised is delivered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from memgym.registry import unknown

STAGES = ("formation", "backend", "evolution", "retrieval", "utilization")
"""In the order in which data flows: what is formed is kept, evolved, retrieved and used."""

ROLES = ("index", "content", "sample", "raw", "flow")


@dataclass(frozen=True, slots=True)
class Key:
    """One word of the vocabulary: its role, and what stands behind it."""

    name: str
    role: str
    about: str


_KEYS: dict[str, Key] = {}


def add_key(name: str, role: str, about: str) -> Key:
    """Add a key to the vocabulary; the same name twice with another meaning is a ValueError."""
    if role not in ROLES:
        raise unknown("role of a key", role, ROLES)
    key = Key(name, role, about)
    if _KEYS.setdefault(name, key) != key:
        raise ValueError(f"The key {name!r} is there already: {_KEYS[name].about}.")
    return key


def keys(role: str | None = None) -> list[Key]:
    """Return the vocabulary, or the keys of one role, in the order in which they were added."""
    return [key for key in _KEYS.values() if role in (None, key.role)]


def _fill() -> None:
    media = ("text", "image", "audio", "video")
    for name, about in {"id": "a stable id of each entry", "timestamp": "when an entry was written"}.items():
        add_key(name, "index", about)
    add_key("text_index", "index", "entries can be found by words")
    for medium in media:
        add_key(f"{medium}_embedding_index", "index", f"entries can be found by {medium} embeddings")
    add_key("link_index", "index", "links between entries can be followed")
    stores = {
        "recall": "messages as they came",
        "archival": "what was saved for later",
        "summary": "what several entries come to",
    }
    for store, about in stores.items():
        add_key(f"{store}_store", "index", f"a store named {store}, for {about}")
    for medium in media:
        add_key(f"{medium}_content", "content", f"{medium} of an entry")
    for name in ("kv_cache", "lora_adapter"):
        add_key(f"{name}_content", "content", f"{name.replace('_', ' ')} of an entry")
    for name, about in {
        "task_type": "the kind of task an entry is for",
        "keywords": "keywords of an entry",
        "tags": "tags of an entry",
        "context": "one sentence on what an entry is about",
        "links": "ids of related entries",
        "importance": "how much an entry matters, 1 to 10",
        "validity": "from when to when a fact holds",
        "scratchpad": "the one text that is shown at every step",
        "gists": "a numbered gist of every page, in the scratchpad; the page's entry has the number as its keyword",
        "strength": "how well an entry is remembered; it grows with every recall",
    }.items():
        add_key(name, "content", about)
    for name in ("sample_id", "question", "reference", "task_spec", "success", "steps"):
        add_key(name, "sample", f"{name.replace('_', ' ')} of a sample")
    for when in ("raw", "pre_raw", "post_raw"):
        for medium in media:
            add_key(f"{when}_{medium}", "raw", f"{medium} {_WHEN[when]}")
    add_key("world", "raw", "a world to act in by commands")
    add_key("sessions", "raw", "sittings in order, each with its date; questions may arise between them")
    add_key("retrieved", "flow", "entries that a question found")
    add_key("prompt", "flow", "what the model is shown of memory")


_WHEN = {"raw": "of a task as it comes", "pre_raw": "given before the task", "post_raw": "left by the task"}
_fill()


@dataclass(frozen=True, slots=True)
class Contract:
    """What one component asks of those before it and gives to those after it."""

    name: str
    stage: str
    requires: frozenset[str]
    provides: frozenset[str]

    def __post_init__(self) -> None:
        if self.stage not in STAGES:
            raise unknown("stage", self.stage, STAGES)
        for key in sorted(self.requires | self.provides):
            if key not in _KEYS:
                hint = "memgym.contracts.add_key adds one."
                raise unknown(f"key in the contract of {self.name}:", key, _KEYS, hint)


@dataclass(frozen=True, slots=True)
class Violation:
    """Why a pipeline cannot work: the stage, its component, the keys that nobody before it provides, and who would."""

    stage: str
    component: str
    missing: tuple[str, ...]
    providers: tuple[str, ...] = ()

    def __str__(self) -> str:
        near = f"; {' or '.join(self.providers)} would provide it" if self.providers else "; no component provides it"
        missing = ", ".join(self.missing)
        return f"{self.stage} {self.component!r} requires {missing}, which nothing before it provides{near}"


class ContractError(ValueError):
    """A pipeline whose contracts do not fit, with every violation in it."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        super().__init__("; ".join(str(one) for one in violations))
        self.violations = tuple(violations)


class FieldsError(ValueError):
    """Something needs fields that the samples of a benchmark do not have."""


def lacking(alternatives: Iterable[frozenset[str]], provided: Iterable[str]) -> tuple[str, ...]:
    """Return the fields that are missing of the alternative that comes nearest; none if one of them is all there."""
    there = frozenset(provided)
    missing = [tuple(sorted(needed - there)) for needed in alternatives]
    return min(missing, key=lambda fields: (len(fields), fields))


def check_fields(what: str, alternatives: Sequence[frozenset[str]], benchmark: str, provided: Iterable[str]) -> None:
    """Raise a FieldsError where a benchmark has no alternative of the fields that ``what`` requires in full."""
    provided = sorted(provided)
    if lacking(alternatives, provided):
        needed = " or ".join(f"{', '.join(sorted(one))}" for one in alternatives)
        raise FieldsError(
            f"{what} requires {needed}; the benchmark {benchmark!r} provides {', '.join(provided)} and lacks "
            f"{', '.join(lacking(alternatives, provided))}. `memgym match --protocols` shows what fits."
        )


def check(
    pipeline: Mapping[str, Contract], given: Iterable[str], others: Iterable[Contract] = ()
) -> tuple[Violation, ...]:
    """Return every violation of a pipeline (stage -> contract) on data that has the keys ``given``.

    A stage that is absent asks and gives nothing. ``others`` are components that may be proposed as providers.
    """
    there = set(given)
    others = list(others)
    found = []
    for stage in STAGES:
        contract = pipeline.get(stage)
        if contract is None:
            continue
        missing = tuple(sorted(contract.requires - there))
        if missing:
            found.append(Violation(stage, contract.name, missing, _providers(missing, stage, others)))
        there |= contract.provides
    return tuple(found)


def _providers(missing: Sequence[str], stage: str, others: Iterable[Contract]) -> tuple[str, ...]:
    before = STAGES[: STAGES.index(stage)]
    able = [(len(one.provides & set(missing)), one.name) for one in others if one.stage in before]
    return tuple(name for count, name in sorted(able, key=lambda pair: (-pair[0], pair[1])) if count)[:3]


@dataclass(frozen=True, slots=True)
class Matching:
    """All combinations of components: those that hold, and for the rest the stage at which each first fails."""

    valid: tuple[tuple[str, ...], ...]
    causes: Mapping[str, int]
    total: int


def match(components: Iterable[Contract], given: Iterable[str]) -> Matching:
    """Enumerate every pipeline of one component a stage and check it; each failure counts at its first stage."""
    given = frozenset(given)
    listed = list(components)
    by_stage = {stage: [one for one in listed if one.stage == stage] for stage in STAGES}
    valid: list[tuple[str, ...]] = []
    causes: Counter[str] = Counter()
    for combination in product(*(by_stage[stage] for stage in STAGES)):
        failed = _first_failure(combination, given)
        if failed is None:
            valid.append(tuple(one.name for one in combination))
        else:
            causes[failed] += 1
    return Matching(tuple(valid), {stage: causes[stage] for stage in STAGES}, len(valid) + causes.total())


def _first_failure(combination: Sequence[Contract], given: frozenset[str]) -> str | None:
    there = given
    for contract in combination:
        if not contract.requires <= there:
            return contract.stage
        there |= contract.provides
    return None
