"""An agent that writes what breaks pages: markup, half a surrogate pair, NUL, and a text that is very long."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import ClassVar

from memgym.agent import Observation, ScriptedAgent
from memgym.operations import Action, Advance, Answer, Create, Delete, Link, Operation, Read, Scratchpad, Update

MARKUP = "</div></script><script>document.title = 'broken'</script><img src=x onerror=alert(1)><!-- & "
BREAKING = f"{MARKUP}\x00\ud800\u202e 記憶"


class Hostile(ScriptedAgent):
    """Creates, links, updates and deletes with such texts, then answers with one."""

    name: ClassVar[str] = "hostile"

    async def episode(self, observation: Observation) -> AsyncGenerator[Action, Observation]:
        first: tuple[Operation, ...] = (
            Create(BREAKING, keywords=(MARKUP,)),
            Create("x" * 5000),
            Create("ไทย <i>"),
            Scratchpad(BREAKING),
        )
        yield Action(first)
        yield Action((Link("m1", ("m2",)), Update("m2", f"{BREAKING} changed"), Read(BREAKING)))
        observation = yield Action((Create("kept"), Delete("m2"), Delete("m99")))
        while True:
            reading = observation.view.phase == "read"
            observation = yield Action((), Advance() if reading else Answer(BREAKING))
