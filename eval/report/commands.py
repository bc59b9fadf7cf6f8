"""``memgym rescore``, ``report``, ``view`` and ``map``: what can be done with a run once it is played."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from memgym.collecting import uncollected
from memgym.registry import unknown

from ..scored import Scored, score
from ..table import show
from .rescoring import Change, changes, described, metric_of, prepare, rescored
from .runs import Run, read_run, read_runs
from .texts import write_page
from .training_run import is_training

RESCORED = "rescored.json"
METHODS = ("pca", "tsne")
_TOLD = 10
"""Changes of scores that are listed one by one."""

Metrics = Annotated[list[str] | None, typer.Option("--metric", help="One more metric; may be given several times.")]


def rescore(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    metric: Metrics = None,
    out: Annotated[Path | None, typer.Option(help=f"The file to write (default: {RESCORED} in the folder).")] = None,
) -> None:
    """Score the records of a run again, without any model or environment; ends with 1 if a score is not what it was."""
    with uncollected():
        scored, changed, count, cut = _again(run, metric or ())
    path = out or run / RESCORED
    show(scored)
    models = described(metric or ())
    write_page(path, json.dumps({**scored.to_json(), **({"metrics": models} if models else {})}, indent=1) + "\n")
    if cut:
        typer.echo(cut)
    for one in changed[:_TOLD]:
        typer.echo(str(one))
    equal = count - len({one.episode for one in changed})
    typer.echo(f"{equal:,} of {count:,} episodes score as they did. Written: {path}")
    if changed:
        raise typer.Exit(1)


def _again(path: Path, metrics: Sequence[str]) -> tuple[Scored, list[Change], int, str]:
    """Return the scores, what changed, the number of records and what was cut off; the records themselves go here."""
    read = read_run(path)
    again = scored_again(read, metrics)
    changed = [one for old, new in zip(read.records, again.records, strict=True) for one in changes(old, new)]
    return score(again.config, again.records), changed, len(read.records), read.cut


def scored_again(run: Run, metrics: Sequence[str]) -> Run:
    """Return the run with every record scored again, and by these metrics as well."""
    for name in metrics:
        prepare(metric_of(name), run.records)
    return replace(run, records=tuple(rescored(record, metrics) for record in run.records))


def report(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more runs.")],
    metric: Metrics = None,
    out: Annotated[Path | None, typer.Option(help="The page to write (default: report.html in the first run).")] = None,
    figures: Annotated[Path | None, typer.Option(help="Write each figure to this folder too, as SVG.")] = None,
) -> None:
    """Write one page of one or more runs, of agents or of training; it needs no server and no network."""
    from .report_page import report as make
    from .report_page import save_figures

    if any(is_training(run) for run in runs):
        _report_training(runs, metric, out, figures)
        return
    read = read_runs(runs)
    if metric:
        read = [scored_again(run, metric) for run in read]
    page, groups = make(read)
    path = out or runs[0] / "report.html"
    write_page(path, page)
    typer.echo(str(path))
    if figures is not None:
        typer.echo(f"{len(save_figures(groups, figures))} figures in {figures}")
    for run in read:
        if run.cut:
            typer.echo(f"{run.name}: {run.cut}")


def _report_training(runs: list[Path], metric: list[str] | None, out: Path | None, figures: Path | None) -> None:
    from .training_page import save_figures, training_page

    if metric:
        raise ValueError(
            "--metric scores the runs of agents; the comparisons of a training are such runs, in its test/."
        )
    if other := [str(run) for run in runs if not is_training(run)]:
        raise ValueError(f"{', '.join(other)}: no training; runs of agents and of training are reported apart.")
    page, drawn, table = training_page(runs)
    path = out or runs[0] / "report.html"
    write_page(path, page)
    typer.echo(str(path))
    if figures is not None:
        typer.echo(f"{len(save_figures(drawn, table, figures))} figures in {figures}")


def view(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    episode: Annotated[str, typer.Option(help="An episode's id, or its place in the records (0 is the first).")] = "0",
    out: Annotated[Path | None, typer.Option(help="The page to write (default: in the folder of the run).")] = None,
) -> None:
    """Write one page of one episode, step by step; it is played again, without agent or model."""
    from ..credit.totals import credits_of
    from .episode_page import view as make
    from .playback import find_record

    read = read_run(run)
    record = find_record(read.records, episode)
    path = out or run / f"episode-{re.sub(r'[^A-Za-z0-9._]+', '-', record.episode.id)}.html"
    write_page(path, make(record, read.records, read.name, credits_of(run, record.episode.id)))
    typer.echo(str(path))
    if read.cut:
        typer.echo(read.cut)


def map_entries(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more runs.")],
    method: Annotated[list[str] | None, typer.Option(help="pca, tsne; may be given twice (default: both).")] = None,
    by: Annotated[
        str | None, typer.Option(help="Group by run, agent, store or episode (default: what differs).")
    ] = None,
    encoder: Annotated[str, typer.Option(help="The encoder of the entries' vectors.")] = "hashing",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of each agent whose memory is drawn.")] = 1,
    limit: Annotated[int, typer.Option(min=3, help="Entries that are drawn; more are thinned evenly.")] = 2000,
    out: Annotated[Path | None, typer.Option(help="The page to write (default: map.html in the first run).")] = None,
) -> None:
    """Draw the entries in the memories of one or more runs as points, with the silhouette of their groups."""
    from .map_page import map_page

    methods = list(dict.fromkeys(method or METHODS))
    for name in methods:
        if name not in METHODS:
            raise unknown("method", name, METHODS)
    page = map_page(read_runs(runs), episodes=episodes, encoder=encoder, by=by, limit=limit, methods=methods)
    path = out or runs[0] / "map.html"
    write_page(path, page)
    typer.echo(str(path))
