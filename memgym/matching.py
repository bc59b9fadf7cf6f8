"""``memgym match``: which memory systems can be assembled for a benchmark, and at which stage the others fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from memgym import registry
from memgym.contracts import STAGES, Contract, Matching, Violation, check
from memgym.contracts import match as match_components
from memgym.extras import require

_BAR = "#0072b2"


def match(
    parts_named: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMPONENT]...", help="Components to explain, with or without --explain."),
    ] = None,
    benchmark: Annotated[str | None, typer.Option(help="A benchmark: its keys are what pipelines start from.")] = None,
    stage: Annotated[str | None, typer.Option(help="Only list pipelines' parts of this stage.")] = None,
    explain: Annotated[
        list[str] | None, typer.Option(help="Components, one for each stage you care for: --explain A B C.")
    ] = None,
    protocols: Annotated[bool, typer.Option("--protocols", help="Match protocols and benchmarks instead.")] = False,
    figure: Annotated[Path | None, typer.Option(help="Draw the causes by stage to this file (.svg, .png).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Enumerate every pipeline of the known components, or explain one; or say which protocol fits which benchmark."""
    if protocols:
        _match_protocols(benchmark, figure, as_json=as_json)
        return
    given = given_by(benchmark)
    if explained := [*(explain or ()), *(parts_named or ())]:
        _explain(explained, given, as_json=as_json)
        return
    if stage is not None and stage not in STAGES:
        raise registry.unknown("stage", stage, STAGES)
    matching = match_components(all_contracts(), given)
    if figure is not None:
        draw(matching, benchmark or "any benchmark", figure)
    if as_json:
        typer.echo(json.dumps(summary(matching, given, stage), indent=1))
    else:
        _print(matching, given, stage)


def _match_protocols(benchmark: str | None, figure: Path | None, *, as_json: bool) -> None:
    from memgym import compatibility

    found = compatibility.cells(benchmark)
    if figure is not None:
        compatibility.draw(found, figure)
    if as_json:
        typer.echo(json.dumps(compatibility.to_json(found), indent=1))
    else:
        compatibility.show(found)


def given_by(benchmark: str | None) -> frozenset[str]:
    """Return the keys that a benchmark provides, or without one all that samples can have."""
    if benchmark is None:
        return frozenset().union(*(registry.load("benchmark", name).provides for name in registry.names("benchmark")))
    folded = {name.casefold(): name for name in registry.names("benchmark")}
    return frozenset(registry.load("benchmark", folded.get(benchmark.casefold(), benchmark)).provides)


def all_contracts() -> list[Contract]:
    """Return the contract of every registered component, by name."""
    return [registry.load("component", name).contract() for name in registry.names("component")]


def summary(matching: Matching, given: frozenset[str], stage: str | None = None) -> dict[str, Any]:
    """Return a matching as JSON values; shares are of the pipelines that fail and add up to 1."""
    failed = matching.total - len(matching.valid)
    shares = {name: count / failed if failed else 0.0 for name, count in matching.causes.items()}
    data: dict[str, Any] = {
        "given": sorted(given),
        "systems": {name: [str(one) for one in why] for name, why in fitting(given).items()},
        "pipelines": matching.total,
        "valid": len(matching.valid),
        "causes": dict(matching.causes),
        "shares": shares,
    }
    return data | {"parts": parts(matching, stage)} if stage else data | {"pipelines_valid": matching.valid}


def parts(matching: Matching, stage: str) -> dict[str, int]:
    """Return, for each component of a stage, in how many valid pipelines it stands."""
    place = STAGES.index(stage)
    counts = {name: 0 for name in registry.names("component") if name.endswith(f".{stage}")}
    for pipeline in matching.valid:
        counts[pipeline[place]] = counts.get(pipeline[place], 0) + 1
    return counts


def systems() -> dict[str, dict[str, Contract]]:
    """Return the contracts of each registered memory system, by stage; an agent is one if it names its parts."""
    found = {}
    for name in registry.names("agent"):
        try:
            named = getattr(registry.load("agent", name), "system", None)
        except ImportError:
            continue  # a plug-in whose packages are missing; `memgym list agents` says which
        if named:
            found[name] = {stage: registry.load("component", part).contract() for stage, part in named.items()}
    return found


def fitting(given: frozenset[str]) -> dict[str, tuple[Violation, ...]]:
    """Return for each memory system, as it is published, why it does not fit what is given; nothing if it does."""
    others = all_contracts()
    return {name: check(parts, given, others) for name, parts in systems().items()}


def _print(matching: Matching, given: frozenset[str], stage: str | None) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    whole = fitting(given)
    console.print(f"Systems that fit: {', '.join(name for name, why in whole.items() if not why) or 'none'}.")
    for name, why in whole.items():
        if why:
            console.print(f"{name} does not: {why[0].stage} requires {', '.join(why[0].missing)}.")
    told = f"Of all combinations of parts, {matching.total:,} pipelines, {len(matching.valid):,} fit"
    console.print(f"{told}; given: {', '.join(sorted(given))}")
    failed = matching.total - len(matching.valid)
    table = Table("first failure at", "pipelines", "share")
    for name, count in matching.causes.items():
        table.add_row(name, f"{count:,}", f"{count / failed:.1%}" if failed else "-")
    console.print(table)
    if stage is not None:
        found = Table(stage, "in valid pipelines")
        for name, count in sorted(parts(matching, stage).items(), key=lambda pair: (-pair[1], pair[0])):
            found.add_row(name, f"{count:,}")
        console.print(found)


def _explain(names: Sequence[str], given: frozenset[str], *, as_json: bool) -> None:
    contracts = [_component(name) for name in names]
    pipeline = {contract.stage: contract for contract in contracts}
    if len(pipeline) < len(contracts):
        raise ValueError(f"Two of {', '.join(names)} are of one stage; a pipeline has one part a stage.")
    violations = check(pipeline, given, all_contracts())
    if as_json:
        rows = [{"stage": one.stage, "component": one.component, "missing": one.missing, "providers": one.providers}
                for one in violations]  # fmt: skip
        typer.echo(json.dumps(rows, indent=1))
    else:
        typer.echo("\n".join(str(one) for one in violations) or "These parts fit.")


def _component(name: str) -> Contract:
    """Return the contract of a component; who names a benchmark in its place is told the option for it."""
    if name not in registry.names("component"):
        meant = {one.casefold(): one for one in registry.names("benchmark")}.get(name.casefold())
        if meant is not None:
            raise ValueError(f"{name!r} is a benchmark, not a component; write: memgym match --benchmark {meant}")
    contract: Contract = registry.load("component", name).contract()
    return contract


def draw(matching: Matching, title: str, path: Path) -> None:
    """Draw the share of failing pipelines by the stage at which they first fail (MemTools, Figure 4)."""
    require("matplotlib", "plot", "A figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    failed = max(1, matching.total - len(matching.valid))
    drawing = Figure(figsize=(6, 3), layout="constrained")
    FigureCanvasAgg(drawing)
    axes = drawing.add_subplot()
    stages = list(reversed(STAGES))
    axes.barh(stages, [100 * matching.causes[name] / failed for name in stages], color=_BAR)
    axes.set_xlabel(f"% of {failed:,} pipelines that do not fit, by first failure")
    axes.set_title(f"{title}: {len(matching.valid):,} of {matching.total:,} fit", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
