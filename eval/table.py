"""The table that `memgym bench` prints, with everything that a reader needs in order to doubt it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table

from memgym.printing import console_for

from .config import RunConfig
from .judging.agreement import Judgement
from .metrics.bounds import BOUNDS
from .metrics.intervals import Estimate
from .metrics.paired import LEAST, LEVEL, Comparison
from .metrics.rows import Row, is_scored
from .protocols.protocol import Measure
from .scored import Scored

_COLUMNS = ("agent", "n", "reward", "95 % interval", "F1", "evidence\nshown", "evidence\nstored", "ops/\nstep",
            "tokens/\nepisode", "calls/\nepisode", "model tokens/\nepisode")  # fmt: skip
_PLAYED = "reward,\nplayed"
"""A column that is there when an episode failed."""
_LONGEST = 40
"""Characters of an option's value in a title."""


def table(rows: Sequence[Row], config: RunConfig) -> Table:
    """Return the rows, best reward first, as a rich table; bounds stand below a line, dimmed and named so."""
    failed = any(row.failed for row in rows)
    shown = Table(title=title(config))
    for column in (*_COLUMNS[:4], *([_PLAYED] if failed else ()), *_COLUMNS[4:]):
        shown.add_column(column, justify="left" if column == "agent" else "right", no_wrap=True)
    agents, bounds = ([row for row in rows if bool(row.bound) == bound] for bound in (False, True))
    for group, style in ((agents, None), (bounds, "dim")):
        for row in best_first(group):
            scored = is_scored(row, config.model)
            shown.add_row(*_cells(row, scored=scored, failed=failed), style=style)
        shown.add_section()
    return shown


def best_first(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.reward.mean, row.agent))


def title(config: RunConfig) -> str:
    """Return what was played in one line; a data path and what is long are left to the saved config."""
    options = [f"{name}={_brief(value)}" for name, value in config.env_options.items() if name != "data"]
    played = [
        config.env,
        *options,
        f"{config.episodes} episodes an agent",
        f"seed {config.seed}",
        f"model {config.model}",
        *([] if config.protocol["name"] == "isolated" else [f"protocol {config.protocol['name']}"]),
    ]
    return ", ".join(played)


def _brief(value: Any) -> str:
    text = str(value)
    if len(text) <= _LONGEST:
        return text
    if isinstance(value, (list, tuple, Mapping)):
        return f"({len(value)} of them)"
    return f"{text[: _LONGEST - 1]}…"


def _cells(row: Row, *, scored: bool, failed: bool) -> list[str]:
    played = f"{row.n}" if not row.failed else f"{row.n} ({row.failed} failed)"
    score = [_number(row.reward.mean), _interval(row.reward)] if scored else ["-", "-"]
    if failed:
        score.append(_number(row.reward_played.mean) if scored else "-")
    return [
        row.agent + ("*" if row.privileged else "") + (" (bound)" if row.bound else ""),
        played, *score, _mean(row, "f1") if scored else "-", _mean(row, "evidence_shown"),
        _mean(row, "evidence_stored"), f"{row.operations:.2f}", f"{row.tokens:,.0f}", f"{row.calls:.1f}",
        f"{row.model_tokens:,.0f}",
    ]  # fmt: skip


def _mean(row: Row, name: str) -> str:
    return _number(row.metrics[name].mean) if name in row.metrics else "-"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _interval(estimate: Estimate) -> str:
    return f"[{_number(estimate.low)}, {_number(estimate.high)}]"


def notes(rows: Sequence[Row], config: RunConfig, comparisons: Sequence[Comparison] = ()) -> list[str]:
    """Return the lines below the table: what was played, what can be told apart, what read, what failed."""
    lines = ["Reward is the mean over all episodes, a failed one counting 0; the interval is a 95 % bootstrap."]
    lines += told_apart(rows, config, comparisons)
    if any(row.privileged for row in rows):
        lines.append("* sees the answer key: an upper bound, not a competitor.")
    if config.model == "rules":
        lines.append("rules is a deterministic reader of the synthetic world's sentences, not a language model.")
    if config.model == "none" and any(not is_scored(row, config.model) for row in rows):
        lines.append("No language model was given: answers are not scored, only what memory stored and showed.")
    encoder = config.env_options.get("encoder")
    if encoder and str(encoder).startswith("hashing"):
        lines.append("Dense reads used the hashing encoder, which is meant for tests: --encoder minilm is a real one.")
    for why in dict.fromkeys(config.left_out.values()):
        names = ", ".join(name for name, said in config.left_out.items() if said == why)
        lines.append(f"Left out as a bound: {names}: {why}.")
    if config.model not in ("rules", "none") and any(row.bound == BOUNDS["full-context"] for row in rows):
        lines.append("full-context sends the whole text with every question; --no-bounds leaves bounds out.")
    for row in rows:
        lines += [f"{row.agent}: {error}" for error in row.errors[:3]]
        if row.degraded:
            lines.append(f"{row.agent}: {row.degraded} model replies could not be parsed even after retries.")
        if row.truncated:
            lines.append(f"{row.agent}: {row.truncated} episodes ran out of steps.")
    return lines


def told_apart(rows: Sequence[Row], config: RunConfig, comparisons: Sequence[Comparison]) -> list[str]:
    """Return in a line which rows a paired test does not tell from the best one that is no bound; none of one row."""
    able = [row for row in rows if is_scored(row, config.model) and not row.privileged]
    best = next(iter(best_first([row for row in able if not row.bound] or able)), None)
    pairs = [one for one in comparisons if best is not None and best.agent in (one.first, one.second)]
    if best is None or not pairs:
        return []
    counts = sorted({one.difference.n for one in pairs})
    shared = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if counts[-1] < LEAST:
        return [f"No test can tell rows apart on {shared} shared episodes; {LEAST} are the least."]
    alike = [one.second if one.first == best.agent else one.first for one in pairs if not one.shown]
    how = f"by a paired test on {shared} episodes (sign flips, Holm, p < {LEVEL})"
    if not alike:
        return [f"{best.agent} is told apart from every other row {how}."]
    return [f"Not told apart from {best.agent}, the best that is no bound, {how}: {', '.join(alike)}."]


def measured(measures: Sequence[Measure], *, scored: bool) -> Table:
    """Return what a protocol measured, as a table; what is made of rewards is left open where they say nothing."""
    shown = Table("row", "measure", "n", "mean", "95 % interval", title="What the protocol measures")
    for one in measures:
        value = one.value
        said = (_number(value.mean), _interval(value)) if scored or not one.rewarded else ("-", "-")
        shown.add_row(one.row, one.name, str(value.n), *said)
    return shown


def judged(judgements: Sequence[Judgement]) -> Table:
    """Return what the judge says of each row, with both denominators and how far exact match says the same."""
    judge = judgements[0].judge
    how = f"prompt {judge['prompt']} ({judge['digest']}), temperature {judge['temperature']:g}"
    title = f"Judged by {judge['model']}, {how}"
    shown = Table(
        "row", "questions", "judged", "no\nverdict", "correct", "95 % interval", "says as\nEM", "kappa", title=title
    )
    if judge["model"] == "rules":
        shown.caption = "rules is no judge of language: its verdicts are exact match."
    for one in judgements:
        counts = (str(count) for count in (one.questions, one.judged, one.failed))
        rates = (_number(math.nan if rate is None else rate) for rate in (one.agreement, one.kappa))
        shown.add_row(one.row, *counts, _number(one.score.mean), _interval(one.score), *rates)
    return shown


def show(scored: Scored) -> None:
    """Print the table, what the protocol measured, and the notes.

    Without a terminal the width is what the tables need, not 80 columns.
    """
    config, rows = scored.config, scored.rows
    tables = [table(rows, config)]
    if scored.measures:
        said = config.model != "none" or not any(row.asked for row in rows)
        tables.append(measured(scored.measures, scored=said))
    if scored.judgements:
        tables.append(judged(scored.judgements))
    console = console_for(*tables)
    for one in tables:
        console.print(one)
    for line in notes(rows, config, scored.comparisons):
        console.print(line, style="dim", markup=False, soft_wrap=True)
