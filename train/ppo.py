"""``memgym ppo``: PPO on the structured view over several seeds, in one table with the scripts that play the same view.

Learning is in ``sb3``, the scripts are in ``scripts``; here is what is played, said and written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from memgym.seeds import over_seeds
from memgym.settings import parse_settings
from memgym.structured import FEATURES, SLOT_FEATURES

from .ppo_figure import draw
from .sb3 import PpoRecipe, decide, evaluate, learn, lexicon, save, view
from .scripts import scripts

NOTE = (
    "All rows play the structured view: they decide on one sentence at a time and see every entry; the reader answers, "
    "not the policy. PPO sees hand-made features (docs/structured.md lists them), not text."
)  # fmt: skip
RESULTS = "results.json"
WINDOW = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a mean reward with a 95 % interval, over ``n`` episodes or, for all seeds, seeds."""

    name: str
    mean: float
    low: float
    high: float
    n: int
    seconds: float | None = None
    decisions: int | None = None


def ppo(
    out: Annotated[Path, typer.Option(help="The folder for policies, results and the figure.")] = Path("ppo"),
    seeds: Annotated[int, typer.Option(help="Seeds 0 to this number less one.", min=1)] = 5,
    episodes: Annotated[int, typer.Option(help="Test samples that every row plays.", min=1)] = 500,
    workers: Annotated[int, typer.Option(help="Processes; each learns one seed on one core.", min=1)] = 1,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A field of the recipe: name=value, options={capacity: 3}.")
    ] = None,
) -> None:
    """Learn memory decisions with Stable-Baselines3's PPO on the structured view, beside scripts."""
    recipe = PpoRecipe.model_validate(parse_settings(settings or ()))
    results = compare(recipe, range(seeds), episodes, out, workers)
    out.mkdir(parents=True, exist_ok=True)
    (out / RESULTS).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    said = table(results)
    (out / "table.md").write_text(said, encoding="utf-8")
    typer.echo(said)
    typer.echo(f"Written to {out}. A figure: memgym ppo-figure {out}")


def ppo_figure(
    run: Annotated[Path, typer.Argument(help="The folder of a run of memgym ppo.")],
    out: Annotated[
        Path | None, typer.Option(help="The file, .svg or .png (default: figure.svg in the folder).")
    ] = None,
) -> None:
    """Draw a run of memgym ppo: the curve of every seed, and the scripts' scores."""
    path = out or run / "figure.svg"
    draw(json.loads((run / RESULTS).read_text(encoding="utf-8")), path)
    typer.echo(str(path))


def compare(recipe: PpoRecipe, seeds: Sequence[int], episodes: int, out: Path, workers: int = 1) -> dict[str, Any]:
    """Learn with every seed, play the same test samples with all policies and scripts; return rows and curves as JSON.

    Policies are saved under ``out``. What a seed learns does not depend on ``workers``.
    """
    words = lexicon(recipe)
    env = view(recipe, recipe.test, words)
    played = [proportion(name, evaluate(env, policy, episodes)) for name, policy in scripts().items()]
    one = partial(_one, recipe, episodes, out)
    if workers == 1:
        learned = [one(seed) for seed in seeds]
    else:
        # Spawned: a forked process would share the parent's thread pools, which do not survive it.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            learned = list(pool.map(one, seeds))
    mean, low, high = over_seeds([row.mean for row, _ in learned])
    every = Row("PPO, all seeds", mean, max(0.0, low), min(1.0, high), len(learned))
    rows = [*played, *(row for row, _ in learned), every]
    return {
        "recipe": recipe.model_dump(mode="json"),
        "features": {"sentence": FEATURES, "word": list(words), "slot": SLOT_FEATURES},
        "rows": [asdict(row) for row in rows],
        "curves": {str(seed): points for seed, (_, points) in zip(seeds, learned, strict=True)},
    }


def _one(recipe: PpoRecipe, episodes: int, out: Path, seed: int) -> tuple[Row, list[tuple[int, float]]]:
    learned = learn(recipe, seed, lambda said: typer.echo(f"seed {seed}: {said}"))
    save(learned, recipe, out / f"seed-{seed}")
    rewards = evaluate(view(recipe, recipe.test, learned.lexicon), decide(learned.model), episodes)
    row = replace(proportion(f"PPO, seed {seed}", rewards), seconds=learned.seconds, decisions=recipe.decisions)
    typer.echo(f"seed {seed}: EM {row.mean:.3f} after {row.seconds:.1f} s of CPU time")
    return row, curve(learned.rewards)


def proportion(name: str, rewards: Sequence[float]) -> Row:
    """Return the mean of rewards in [0, 1] with its Wilson interval (Wilson 1927), exact enough near 0 and 1."""
    n, mean, z = len(rewards), fmean(rewards), 1.96
    middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return Row(name, mean, max(0.0, middle - half), min(1.0, middle + half), n)


def curve(rewards: Sequence[float]) -> list[tuple[int, float]]:
    """Return (episodes, mean reward of the last ``WINDOW`` of them) at every ``WINDOW`` episodes."""
    return [(end, fmean(rewards[end - WINDOW : end])) for end in range(WINDOW, len(rewards) + 1, WINDOW)]


def table(results: dict[str, Any]) -> str:
    """Return the rows as a table in Markdown, with what has to be known beside the numbers."""
    recipe = results["recipe"]
    lines = ["| policy | EM | 95 % interval | n | CPU s |", "|---|---|---|---|---|"]
    for row in results["rows"]:
        spent = "" if row["seconds"] is None else f"{row['seconds']:.0f}"
        lines.append(
            f"| {row['name']} | {row['mean']:.3f} | {row['low']:.3f} to {row['high']:.3f} | {row['n']} | {spent} |"
        )
    return "\n".join([*lines, "", f"{recipe['env']}, split {recipe['test']}. {NOTE}", ""])
