"""The warm start: a policy imitates a teacher's recorded episodes before GRPO.

Episodes become records, those that scored become segments, and transformers' Trainer learns the replies. Every part
leaves its result in the folder and is passed over where that is there, so that a killed run goes on.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from memgym.extras import require
from memgym.pretrained import pretrained
from memgym.records import Episode, EpisodeRecord, read_records
from memgym.rollout import play

from .demonstrations import Demonstration, demonstrations
from .policy.makers import MAKERS, make_first
from .recipe import Recipe
from .recipe_files import load_recipe
from .segments import Segment, prompt_ids

TRACES, WORK = "traces.jsonl", "training"
_WHAT = ("train", "A warm start")
_AT_ONCE = 200
_UNMARKED = -100


def sft(
    recipe: Annotated[str, typer.Argument(help="A recipe by name or path; its section sft says how.")],
    overrides: Annotated[list[str] | None, typer.Argument(help="Changed values: sft.episodes=500 and so on.")] = None,
    model: Annotated[Path | None, typer.Option(help="The policy to warm up (default: the recipe's own).")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the result; a killed run goes on in it.")] = Path("warm"),
) -> None:
    """Warm a policy up: imitate the steps of a teacher's episodes that scored."""
    resolved = load_recipe(recipe, overrides or ())
    if resolved.sft is None:
        raise ValueError(f"The recipe {recipe!r} has no section sft: it says no teacher.")
    start = model or _first(resolved, out)
    warm_start(resolved, start, out)
    typer.echo(f"Wrote {out}: {start} after imitating {resolved.sft.teacher}.")


def _first(recipe: Recipe, out: Path) -> Path:
    """Return the recipe's policy; one that MAKERS has is made beside the result."""
    if recipe.model.path not in MAKERS:
        return Path(recipe.model.path)
    made = out.with_name(f"{out.name}-start")
    if not (made / "config.json").is_file():
        make_first(recipe, made)
    return made


def warm_start(recipe: Recipe, start: Path, folder: Path) -> None:
    """Write into ``folder`` the policy ``start`` after it has imitated the teacher of ``recipe.sft``.

    A ValueError if no episode of the teacher scored enough.
    """
    torch, transformers = require("torch", *_WHAT), require("transformers", *_WHAT)
    said = recipe.sft
    if said is None:
        raise ValueError("The recipe has no section sft.")
    folder.mkdir(parents=True, exist_ok=True)
    traces = _traces(recipe, folder / TRACES)
    tokenizer = pretrained(transformers.AutoTokenizer, start, trust_remote_code=recipe.model.trust_remote_code)
    kept = [one for one in traces if one.outcome is not None and one.outcome.reward >= said.keep]
    segments = [one for one in _segments(recipe, kept, tokenizer) if _length(one) <= said.max_tokens]
    if not segments:
        raise ValueError(f"None of {len(traces)} episodes of {said.teacher!r} gave a step: sft.keep is {said.keep}.")
    if recipe.hardware.device == "cpu":
        torch.set_num_threads(recipe.hardware.threads)
    network = pretrained(transformers.AutoModelForCausalLM, start, dtype=torch.float32)
    _imitate(recipe, network, segments, folder / WORK, tokenizer.pad_token_id)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    shutil.rmtree(folder / WORK)


def _traces(recipe: Recipe, path: Path) -> list[EpisodeRecord]:
    """Return the teacher's records, played as far as they are not there yet."""
    assert recipe.sft is not None
    records = list(read_records(path)) if path.is_file() else []
    episodes = _episodes(recipe)[len(records) :]
    # A killed run may have left half a line, which must not come to stand before others.
    path.write_text("".join(one.line() + "\n" for one in records), "utf-8")
    with open(path, "a", encoding="utf-8") as file:
        for start in range(0, len(episodes), _AT_ONCE):
            played = play(episodes[start : start + _AT_ONCE])
            file.writelines(one.line() + "\n" for one in played)
            file.flush()
            records += played
    return records


def _episodes(recipe: Recipe) -> list[Episode]:
    import numpy as np

    said, settings = recipe.sft, dict(recipe.env.settings)
    assert said is not None
    if recipe.data.split is not None:
        settings["split"] = recipe.data.split
    seeds = np.random.default_rng([recipe.seed, 3]).integers(2**31, size=said.episodes)
    return [
        Episode(
            f"{said.teacher}/{at:06d}", recipe.env.id, said.teacher, int(seed), options=settings,
            agent_options=said.options, model=said.model, model_options=said.model_options,
        )
        for at, seed in enumerate(seeds)
    ]  # fmt: skip


def _segments(recipe: Recipe, records: Sequence[EpisodeRecord], tokenizer: Any) -> Iterator[Segment]:
    """Yield one segment a step: the prompt that the policy's agent gets, and the teacher's reply with its end."""
    for steps in demonstrations(records, recipe.agent.name, recipe.agent.options):
        for at, step in enumerate(steps):
            yield _segment(step, at, tokenizer, recipe.model.template)


def _segment(step: Demonstration, at: int, tokenizer: Any, template: Any) -> Segment:
    prompt = prompt_ids(tokenizer, step.request, template)
    reply = tokenizer(step.reply, add_special_tokens=False)["input_ids"]
    return Segment(tuple(prompt), (*reply, tokenizer.eos_token_id), None, at, name=step.request.name)


def _length(segment: Segment) -> int:
    return len(segment.prompt_ids) + len(segment.response_ids)


def _imitate(recipe: Recipe, network: Any, segments: Sequence[Segment], work: Path, pad: int) -> None:
    """Train on the replies, from the last checkpoint where there is one."""
    transformers = require("transformers", *_WHAT)
    said = recipe.sft
    assert said is not None
    settings = transformers.TrainingArguments(
        output_dir=str(work), seed=recipe.seed, num_train_epochs=said.epochs, learning_rate=said.lr,
        per_device_train_batch_size=said.batch, warmup_steps=said.warmup, lr_scheduler_type="cosine",
        adam_beta2=0.95, weight_decay=0.01, max_grad_norm=1.0, save_steps=500, save_total_limit=1, report_to=[],
        logging_steps=100, disable_tqdm=True, use_cpu=recipe.hardware.device == "cpu", remove_unused_columns=False,
        dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = transformers.Trainer(
        model=network, args=settings, train_dataset=list(segments), data_collator=_Padded(pad)
    )
    last = any(work.glob("checkpoint-*"))
    trainer.train(resume_from_checkpoint=last or None)


class _Padded:
    """Puts segments into one batch, padded on the right; only replies are learned."""

    def __init__(self, pad: int) -> None:
        self._pad = pad

    def __call__(self, segments: Sequence[Segment]) -> dict[str, Any]:
        torch = require("torch", *_WHAT)
        width = max(_length(one) for one in segments)
        rows = [(*one.prompt_ids, *one.response_ids) for one in segments]
        return {
            "input_ids": torch.tensor([(*row, *[self._pad] * (width - len(row))) for row in rows]),
            "attention_mask": torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows]),
            "labels": torch.tensor([_labels(one, width) for one in segments]),
        }


def _labels(segment: Segment, width: int) -> list[int]:
    marked = [_UNMARKED] * len(segment.prompt_ids) + list(segment.response_ids)
    return marked + [_UNMARKED] * (width - len(marked))
