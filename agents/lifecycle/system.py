"""MemorySystem: five parts that fit, played as one agent through the environment's own step.

Forming, evolving and reading are memory-only steps (the environment is asked for ``advance="explicit"``), so that a
pipeline can look before it writes; only then is the next input read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from memgym import registry
from memgym.agent import Briefing, Observation, ScriptedAgent
from memgym.contracts import ContractError, check
from memgym.memory.entry import Hit
from memgym.model import ChatModel
from memgym.operations import Act, Action, Advance, Create, Read
from memgym.tokens import make_tokenizer

from ..asking import answer, needed, question
from ..passages import Splitter
from .acting import act
from .components import Backend, Component, Evolution, Formation, Piece, Play, Retrieval, Utilization
from .experience import experience_of
from .promises import Promises

GIVEN = frozenset({"sample_id", "question", "reference", "raw_text", "task_spec", "steps", "success"})
"""What a pipeline may count on when the benchmark is not known yet; ``memgym match`` asks per benchmark."""


class MemorySystem(ScriptedAgent):
    """An agent made of a backend, a formation, a retrieval, an evolution (or none) and a utilization.

    Each part is an instance, or the name of a component, which is then built with ``model`` and the options that are
    given for it (``formation_options={...}``). Parts that do not fit are a ContractError when it is built.
    """

    name: ClassVar[str] = "memory-system"
    system: ClassVar[Mapping[str, str | None]] = {}

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        backend: Backend | str | None = None,
        formation: Formation | str | None = None,
        retrieval: Retrieval | str | None = None,
        evolution: Evolution | str | None = None,
        utilization: Utilization | str | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.model = needed(model, self.name)
        chosen = {
            "backend": backend, "formation": formation, "retrieval": retrieval, "evolution": evolution,
            "utilization": utilization,
        }  # fmt: skip
        given = {stage: part if part is not None else self.system.get(stage) for stage, part in chosen.items()}
        self.parts = _build(given, self.model, dict(options or {}))
        self.check()

    def check(self) -> None:
        """Raise a ContractError if a part requires what no part before it provides."""
        pipeline = {stage: part.contract() for stage, part in self.parts.items()}
        violations = check(pipeline, GIVEN, others=contracts())
        if violations:
            raise ContractError(violations)

    @property
    def needs(self) -> Mapping[str, Any]:
        """The environment options that this system plays under."""
        backend = self.parts["backend"]
        assert isinstance(backend, Backend)
        return {"advance": "explicit", **backend.needs}

    async def reset(self, briefing: Briefing) -> None:
        await super().reset(briefing)
        for part in self.parts.values():
            part.reset(briefing)
        self._promises = Promises([part.contract() for part in self.parts.values()])

    # ---------------------------------------------------------------- the episode

    async def episode(self, observation: Observation) -> Play:
        formation, evolution = self.part("formation", Formation), self.evolution
        splitter = Splitter(make_tokenizer("cl100k").count, _granularity(formation))
        while observation.view.phase == "read":
            for piece in _pieces(splitter, formation, observation):
                formed = await formation.form(piece, observation)
                self._promises.formed(formed)
                steps = evolution.integrate(formed, observation)
                async for observation in _played(steps):  # noqa: PLR1704
                    observation = yield observation  # noqa: PLW2901
            observation = yield Action(command=Advance())
