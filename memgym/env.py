"""MemoryEnv: the POMDP (task, memory) as a Gymnasium environment. The step itself is in memgym.pomdp.

It knows no benchmark: what is asked comes from a Benchmark, what may be written from a Dialect.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import gymnasium
from gymnasium import spaces

from memgym import parts, registry
from memgym.memory.memory import Memory, Snapshot
from memgym.memory.scalable import Scaling
from memgym.operations import Action, Command
from memgym.options import Options
from memgym.pomdp import TEXTS, Pomdp
from memgym.spaces import Unicode
from memgym.task import Benchmark

if TYPE_CHECKING:
    from numpy.random import Generator

    from memgym.dialects import Dialect
    from memgym.memory.encoders import CachedEncoder

Texts = dict[str, str]
Info = dict[str, Any]


class MemoryEnv(gymnasium.Env[Texts, str | Action]):
    """An environment in which memory operations are actions and memory is seen only by asking.

    Args:
        benchmark: a Benchmark, or the name of one ("HotpotQA").
        render_mode: None, "ansi" (``render`` returns the screen as text) or "human" (each step prints it).
        **options: those of ``memgym.options.Options``; what is not among them goes to the benchmark.

    The observation is a Dict of Unicode text: ``task`` (what is asked), ``observation`` (the present input),
    ``scratchpad``, ``memories`` (what was read), ``feedback`` (how the last action went). The action is text in the
    episode's dialect, or an ``Action``. The reward is terminal and lies in [0, 1].

    ``info``: "observation" the same as values, "group" the name that rollouts of one sample, order and starting memory
    share, "step", "memory/size"; at the end "outcome" with scores, predictions and references.

    ``reset(options=...)`` takes "sample" (an id), "memory" ("fresh", "keep", a Memory, a Snapshot, or what
    ``Memory.to_json`` returned), "frozen" (True: every write of the episode is refused with status ``frozen``) and
    "part" (which part of the sample's task is played: see ``memgym.parts``).
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012

    def __init__(self, benchmark: str | Benchmark, *, render_mode: str | None = None, **options: Any) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise registry.unknown("render mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        own = {name: options.pop(name) for name in Options.names() if name in options}
        self.dialect = _dialect(own.get("dialect", "xml"), own.get("dialect_options", {}))
        self.options = Options(**own).resolve(self.dialect.defaults)
        self.benchmark = _benchmark(benchmark, options, self.dialect.defaults)
        self.encoder = _encoder(self.options.encoder)
        self.memory = self._fresh_memory()
        self.observation_space = cast("gymnasium.Space[Texts]", spaces.Dict({name: Unicode() for name in TEXTS}))
        self.action_space = Unicode()
        self.group = ""
        self._pomdp: Pomdp | None = None

    @property
    def pomdp(self) -> Pomdp:
        """The episode in progress; before the first reset a ResetNeeded."""
        if self._pomdp is None:
            raise gymnasium.error.ResetNeeded("Call reset() first: no episode is in progress.")
        return self._pomdp

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Texts, Info]:
        super().reset(seed=seed)
        options = dict(options or {})
        start = options.pop("memory", "fresh")
        frozen = bool(options.pop("frozen", False))
        wanted = options.pop("sample", None)
        part = options.pop("part", {})
        if options:
            raise registry.unknown("reset option", next(iter(options)), ["sample", "memory", "frozen", "part"])
        parts.check(part)
        sample_rng, task_rng = self.np_random.spawn(2)
        sample = self.benchmark.draw(sample_rng) if wanted is None else self.benchmark.sample(wanted)
        sample = parts.sample_of(part, sample)
        self.memory = self._starting_memory(start)
        self.memory.frozen = frozen
        self.group = _group(sample.id, task_rng, self.memory) + (f"@{parts.name_of(part)}" if part else "")
        task = parts.task_of(part, self.benchmark.task(sample, task_rng))
        self._pomdp = Pomdp(sample, task, self.memory, self.dialect, self.options)
        return self._pomdp.texts, self._info(self._pomdp)

    def step(self, action: str | Action) -> tuple[Texts, float, bool, bool, Info]:
        pomdp = self._pomdp
        if action == "" and pomdp is not None and self.render_mode != "human" and pomdp.wait():
            return pomdp.texts.copy(), 0.0, False, False, self._info(pomdp)
        self.begin(action)
        return self.finish()

    def wait(self, action: str | Action) -> bool:
        """Take the whole step if the action is empty and nothing moves in it; return whether it was taken."""
        return action == "" and self._pomdp is not None and self.render_mode != "human" and self._pomdp.wait()

    def begin(self, action: str | Action) -> None:
        """The first half of a step: parse, resolve, write, advance."""
        unread = False
        if isinstance(action, str):
            parsed = self.dialect.parse(action)
            if parsed.command is None and not parsed.operations:
                unread = bool(action.strip())
            action = parsed
        elif not isinstance(action, Action):
            raise TypeError(f"An action is a str or an Action, not {type(action).__name__}.")
        self.pomdp.begin(action, unread=unread)

    def finish(self) -> tuple[Texts, float, bool, bool, Info]:
        """The second half of a step: read, observe, reward."""
        pomdp = self.pomdp
        ongoing = not pomdp.over
        return self.told(pomdp.finish(), ongoing)

    def told(self, reward: float, ongoing: bool) -> tuple[Texts, float, bool, bool, Info]:
        """Return what ``step`` returns, once the episode's step is done; ``ongoing``: it was not over before."""
        pomdp = self.pomdp
        info = self._info(pomdp)
        if self.render_mode == "human":
            print(self.screen())
        if not pomdp.over:
            return pomdp.texts, reward, False, False, info
        if ongoing:
            info["outcome"] = pomdp.outcome
        return pomdp.texts, reward, pomdp.terminated, pomdp.truncated, info

    def _info(self, pomdp: Pomdp) -> Info:
        return {
            "observation": pomdp.seen,
            "group": self.group,
            "step": pomdp.steps,
            "memory/size": pomdp.size,
        }

    def _fresh_memory(self) -> Memory:
        options = self.options
        tokenizer = None
        if options.max_tokens is not None:
            from memgym.tokens import make_tokenizer

            tokenizer = make_tokenizer("cl100k")
        return Memory(
            dict.fromkeys(options.stores, self.encoder),
            capacity=options.capacity,
            max_tokens=options.max_tokens,
            tokenizer=tokenizer,
            unique=bool(options.unique),
            scaling=Scaling(options.index, options.index_threshold, options.index_swap),
        )

    def _starting_memory(self, start: str | Memory | Snapshot | Mapping[str, Any]) -> Memory:
        if isinstance(start, Memory):
            return start
        if start == "keep":
            return self.memory
        fresh = self._fresh_memory()
        if isinstance(start, Snapshot):
            fresh.restore(start)
        elif isinstance(start, Mapping):
            fresh.load_json(start)
        elif start != "fresh":
            raise registry.unknown("way to start with a memory", start, ["fresh", "keep"], "Or give a Memory.")
        return fresh

    def get_state(self) -> dict[str, Any]:
        """Return the whole hidden state as JSON values: the task's, the memory's, and the counters between them."""
        return self.pomdp.state()

    def cheat(self) -> Command:
        """Return the task's next winning command; for oracles and tests."""
        return self.pomdp.task.cheat()

    def fork(self) -> MemoryEnv:
        """Return an environment in the same state that shares nothing which either side can change."""
        twin = copy.copy(self)
        twin._np_random = copy.deepcopy(self._np_random)
        if self._pomdp is None:
            twin.memory = self.memory.fork()
        else:
            twin._pomdp = self._pomdp.fork()
            twin.memory = twin._pomdp.memory
        return twin

    def render(self) -> str | None:
        """Return the screen as text in mode "ansi"; in mode "human" each step has printed it already."""
        return self.screen() if self.render_mode == "ansi" else None

    def screen(self) -> str:
        """Return the present observation as one text with a heading for each part."""
        pomdp = self.pomdp
        parts = [f"--- {name} ---\n{text}" for name, text in pomdp.texts.items() if text]
        return f"=== step {pomdp.steps} of {pomdp.max_steps} ===\n" + "\n".join(parts)


def _benchmark(benchmark: str | Benchmark, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> Benchmark:
    """Build the benchmark with the options that are its own; the dialect's defaults fill what was not given."""
    if isinstance(benchmark, Benchmark):
        if options:
            name = next(iter(options))
            known = [*Options.names(), "render_mode"]
            told = registry.unknown("environment option", name, known, "A built benchmark takes no more options.")
            raise registry.UnknownOptionError(str(told))
        return benchmark
    made = registry.load("benchmark", benchmark)
    valid = registry.parameters(made)
    for name in options:
        if name not in valid:
            known = [*Options.names(), *valid, "render_mode"]
            raise registry.UnknownOptionError(
                str(registry.unknown(f"option of {benchmark} environments named", name, known))
            )
    return cast("Benchmark", made(**{**{name: v for name, v in defaults.items() if name in valid}, **options}))


def _dialect(name: str, options: Mapping[str, Any]) -> Dialect:
    return cast("Dialect", registry.call(registry.load("dialect", name), f"dialect {name!r}", options))


def _encoder(name: str | None) -> CachedEncoder | None:
    if name is None:
        return None
    from memgym.memory.encoders import make_encoder

    return make_encoder(name)


def _group(sample: str, rng: Generator, memory: Memory) -> str:
    """Name what a GRPO group shares: the sample, the seed of its order, the starting memory."""
    seeds = cast("Any", rng.bit_generator).seed_seq
    order = "-".join(str(part) for part in (seeds.entropy, *seeds.spawn_key))
    start = memory.digest() if len(memory) or memory.scratchpad else "empty"
    return f"{sample}@{order}@{start}"
