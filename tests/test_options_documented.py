"""Each option, status, preset and name stands in the page where a reader looks for it, with the value that it has."""

from __future__ import annotations

import ast
import inspect
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from small_world import Colours

from benchmarks.parsing import BOUNDS
from memgym import registry
from memgym.cli import command
from memgym.contracts import STAGES
from memgym.dialects.atommem import AtomMemDialect
from memgym.env import MemoryEnv
from memgym.eval.config import RunConfig
from memgym.eval.table import table as bench_table
from memgym.masks import PRESETS
from memgym.memory import Entry
from memgym.operations import OPERATIONS, Status
from memgym.options import Options
from memgym.pomdp import TEXTS
from memgym.records import Episode, EpisodeRecord
from memgym.rollout import play

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
LONGEST = 200
PAGE_OF = {
    "benchmark": "benchmarks.md",
    "metric": "scores.md",
    "tokenizer": "benchmarks.md",
    "agent": "agents.md",
    "component": "systems.md",
    "model": "agents.md",
    "protocol": "protocols.md",
    "encoder": "memory.md",
    "dialect": "dialects.md",
    "command": "index.md",
}
"""Where a reader looks for the names of each kind."""


def text(page: str) -> str:
    return (DOCS / page).read_text("utf-8")


def table(page: str, *header: str) -> dict[str, list[str]]:
    """Return the rows of the table with this header, by what stands in their first cell between backquotes."""
    line = re.escape("| " + " | ".join(header))
    [found] = re.findall(rf"^{line}[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)", text(page), re.M)
    rows = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in found.splitlines()]
    return {name: row for row in rows for name in quoted(row[0])}


def quoted(cell: str) -> list[str]:
    return [name.strip('"') for name in re.findall(r"`([^`]+)`", cell)]


def values(rows: dict[str, list[str]]) -> dict[str, Any]:
    """Return what the second cells say, read as Python."""
    return {name: ast.literal_eval(quoted_value(row[1])) for name, row in rows.items()}


def quoted_value(cell: str) -> str:
    [value] = re.findall(r"`([^`]+)`", cell)
    return str(value)


def defaults(function: Any) -> dict[str, Any]:
    """Return the keyword options of a class or function with their defaults; what has none is left out."""
    given = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in given if one.default is not one.empty}


def test_every_option_of_an_environment_is_in_the_table_with_its_default() -> None:
    done = Options().resolve({})
    assert values(table("step.md", "option", "default")) == {name: getattr(done, name) for name in Options.names()}


def test_every_status_is_explained() -> None:
    assert list(table("step.md", "status")) == [str(status) for status in Status]


def test_every_preset_is_in_the_table_with_what_it_allows() -> None:
    said = {name: set(re.findall(r"\w+", row[1])) - {"none"} for name, row in table("step.md", "preset").items()}
    assert said == {name: set(kinds) for name, kinds in PRESETS.items()}


def test_every_part_of_an_observation_is_explained() -> None:
    assert list(table("step.md", "key | what it shows")) == list(TEXTS)


def test_every_key_of_info_is_explained() -> None:
    env = MemoryEnv(Colours(), max_steps=1)
    env.reset(seed=0)
    assert list(table("step.md", "key of `info`")) == list(env.step("")[-1])


def test_every_option_of_reset_is_explained() -> None:
    with pytest.raises(registry.UnknownName) as error:
        MemoryEnv(Colours()).reset(options={"?": 1})
    assert str(error.value).endswith(f"Known: {', '.join(table('step.md', 'key of `options`'))}.")


def test_every_operation_is_explained() -> None:
    assert {name.lower() for name in table("memory.md", "operation")} == set(OPERATIONS)


def test_every_field_of_an_entry_is_named() -> None:
    unsaid = {one.name for one in fields(Entry)} - set(table("memory.md", "field")) - {"id", "version", "contents"}
    assert unsaid == set()


def test_the_options_that_the_atommem_dialect_brings_are_in_its_table() -> None:
    assert values(table("dialects.md", "option", "under `atommem`")) == dict(AtomMemDialect.defaults)


def test_every_switch_of_the_atommem_dialect_is_in_its_table() -> None:
    assert values(table("dialects.md", "switch", "default")) == defaults(AtomMemDialect)


@pytest.mark.parametrize("name", ["HotpotQA", "2WikiMultihopQA", "MuSiQue"])
def test_every_option_of_the_published_benchmarks_is_in_their_table(name: str) -> None:
    said = values(table("benchmarks.md", "option", "default", "HotpotQA, 2WikiMultihopQA, MuSiQue"))
    assert said == defaults(registry.load("benchmark", name))


def test_every_option_of_the_synthetic_world_is_in_its_table() -> None:
    said = values(table("benchmarks.md", "option", "default", "meaning"))
    assert said == defaults(registry.load("benchmark", "Synthetic"))


def test_every_option_of_the_openai_model_is_in_its_table() -> None:
    assert values(table("agents.md", "option", "default")) == defaults(registry.load("model", "openai"))


def test_every_option_of_bench_is_in_its_table() -> None:
    options = {name for one in command("bench").params for name in (*one.opts, *one.secondary_opts)} - {"--help"}
    assert {name.partition(" ")[0] for name in table("bench.md", "option")} == options


def test_every_column_of_the_table_of_bench_is_explained() -> None:
    shown = [str(column.header) for column in bench_table([], RunConfig()).columns]
    said = [name.replace("/", "/ ").split() for name in table("bench.md", "column")]
    assert said == [header.replace("/", "/ ").split() for header in shown]


def test_every_field_of_a_record_and_of_its_steps_is_explained() -> None:
    [record] = play([Episode("one", "MemGym/Synthetic-50doc", "oracle", seed=0)])
    assert record.error is None
    assert list(table("bench.md", "field | meaning")) == list(record.to_json())
    assert list(table("bench.md", "field of a step")) == list(record.steps[0].to_json())


def test_the_example_of_a_record_can_be_read() -> None:
    assert EpisodeRecord.from_json(json.loads(block("json"))).steps[0].results[0].ok


def test_the_example_of_a_run_as_yaml_can_be_read() -> None:
    assert RunConfig.model_validate(yaml.safe_load(block("yaml"))).agents[1].name == "two rounds"


def block(language: str) -> str:
    [found] = re.findall(rf"^```{language}\n(.*?)^```$", text("bench.md"), re.M | re.S)
    return str(found)


def test_every_knob_of_a_protocol_is_in_the_table_with_its_default() -> None:
    made = [registry.load("protocol", name) for name in registry.names("protocol")]
    knobs = {
        name: field.get_default(call_default_factory=True) for one in made for name, field in one.model_fields.items()
    }
    assert values(table("protocols.md", "knob", "default")) == knobs


def test_the_bounds_of_parsing_are_those_that_are_measured() -> None:
    said = {name: float(row[1]) for name, row in table("performance.md", "what is read", "at most").items()}
    assert said == BOUNDS


def test_every_component_is_in_the_table_with_its_contract() -> None:
    said = {name: (row[1], keys(row[2]), keys(row[3])) for name, row in table("systems.md", "component").items()}
    made = [registry.load("component", name).contract() for name in registry.names("component")]
    assert said == {one.name: (one.stage, set(one.requires), set(one.provides)) for one in made}


def keys(cell: str) -> set[str]:
    return set(re.findall(r"\w+", cell))


def test_every_stage_is_explained_in_the_order_of_the_data() -> None:
    assert list(table("systems.md", "stage")) == list(STAGES)


def test_every_kind_of_thing_has_a_page() -> None:
    assert set(PAGE_OF) == set(registry.KINDS)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in registry.KINDS for name in registry.names(kind)])
def test_a_name_is_in_the_page_of_its_kind(kind: str, name: str) -> None:
    written = f"`memgym {name}`" if kind == "command" else f"`{name}`"
    assert written in text(PAGE_OF[kind]), f"docs/{PAGE_OF[kind]} lacks {written}: every new name gets a line there"


@pytest.mark.parametrize("id", registry.names("environment"))
def test_an_environment_is_in_the_page_of_benchmarks(id: str) -> None:
    """Ids of haystacks are written with ``<n>`` once, and their sizes are named beside."""
    page = text("benchmarks.md")
    family, size = re.sub(r"-\d+doc$", "-<n>doc", id), re.search(r"-(\d+)doc$", id)
    assert f"`{family}`" in page, f"docs/benchmarks.md lacks `{family}`: every new id gets a line there"
    assert size is None or re.search(rf"\b{size[1]}\b", page)


@pytest.mark.parametrize("group", registry.GROUPS)
def test_an_entry_point_group_is_in_the_page_for_developers(group: str) -> None:
    assert f"`{group}`" in text("develop.md")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_short_and_the_map_leads_to_it(page: str) -> None:
    assert len(text(page).splitlines()) < LONGEST
    assert page == "index.md" or f"]({page})" in text("index.md")
