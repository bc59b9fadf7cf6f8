"""Parts of one system in the place of another's: what the contracts allow plays to the end."""

from __future__ import annotations

import pytest
from small_house import as_json, experience

import memgym
from memgym.records import Episode
from memgym.rollout import play

READ = [
    {"formation": "lightmem.formation", "backend": "vector.backend", "retrieval": "simplemem.retrieval"},
    {"formation": "simplemem.formation", "backend": "structmem.backend", "evolution": "structmem.evolution",
     "retrieval": "structmem.retrieval"},
    {"formation": "structmem.formation", "backend": "vector.backend", "evolution": "lightmem.evolution",
     "retrieval": "expel.retrieval", "utilization": "expel.utilization"},
    {"formation": "passage.formation", "backend": "vector.backend", "retrieval": "awm.retrieval"},
]  # fmt: skip
LIVED = [
    {"formation": "awm.formation", "backend": "vector.backend", "retrieval": "a-mem.retrieval"},
    {"formation": "awm.formation", "backend": "vector.backend", "evolution": "expel.evolution",
     "retrieval": "expel.retrieval"},
    {"formation": "expel.formation", "backend": "structmem.backend", "evolution": "structmem.evolution",
     "retrieval": "simplemem.retrieval"},
    {"formation": "passage.formation", "backend": "vector.backend", "evolution": "expel.evolution",
     "retrieval": "text.retrieval"},
]  # fmt: skip
EXPERIENCES = [as_json(experience("mug", "shelf", success=success)) for success in (True, False)]


@pytest.mark.parametrize(
    ("env", "options", "parts"),
    [
        *(("MemGym/Synthetic-50doc", {"documents": 20}, parts) for parts in READ),
        *(("MemGym/Experience", {"experiences": EXPERIENCES}, parts) for parts in LIVED),
    ],
)
def test_parts_of_several_systems_play_as_one(env: str, options: dict[str, object], parts: dict[str, str]) -> None:
    agent = {**parts, "options": {"backend": {"encoder": "hashing"}}}
    needs = memgym.make_agent("memory-system", model=memgym.make_model("none"), **agent).needs  # type: ignore[attr-defined]
    episode = Episode(
        "one", env, "memory-system", 0, options={**needs, **options}, agent_options=agent, model="rules"
    )  # fmt: skip
    [record] = play([episode])
    assert (record.error, record.terminated) == (None, True)
