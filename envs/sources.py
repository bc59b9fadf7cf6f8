"""What each benchmark's data is called and where it may be fetched. Facts only.

The copies on the Hugging Face hub are pinned to a revision: the same id gives the same records next year.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memgym.registry import unknown

SPLITS = ("validation", "train")


@dataclass(frozen=True, slots=True)
class Hub:
    """A data set on the Hugging Face hub, at a fixed revision."""

    id: str
    config: str | None
    revision: str


@dataclass(frozen=True, slots=True)
class Source:
    """The data of one benchmark: its folder, its known file names by split (preferred first), its copy on the hub.

    ``also`` are other folder names that people use, ``joiner`` is what stands between two sentences of a paragraph.
    ``hub`` is None where no copy at a fixed revision was checked: then ``home`` says where the file is published.
    """

    benchmark: str
    folder: str
    also: tuple[str, ...]
    files: Mapping[str, tuple[str, ...]]
    hub: Hub | None
    licence: str
    joiner: str = ""
    home: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.folder, *self.also)


def _files(original: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the known names: the upstream file, what ``memgym data get`` writes, then the hub's own files."""
    stored = {split: (f"{split}.jsonl", f"{split}.json", f"{split}.parquet") for split in SPLITS}
    hub = {split: (f"{split}-*-of-*.parquet", f"hf_{split}*.jsonl", f"hf_{split}*.parquet") for split in SPLITS}
    return {split: (*original[split], *stored[split], *hub[split]) for split in SPLITS}


SOURCES = {
    source.benchmark: source
    for source in (
        Source(
            benchmark="HotpotQA",
            folder="hotpotqa",
            also=("hotpot_qa", "hotpot"),
            files=_files(
                {
                    "validation": ("hotpot_dev_distractor_v1.json", "hotpot_dev_distractor*.json*"),
                    "train": ("hotpot_train_v1.1.json", "hotpot_train*.json*"),
                }
            ),
            hub=Hub("hotpotqa/hotpot_qa", "distractor", "1908d6afbbead072334abe2965f91bd2709910ab"),
            licence="CC BY-SA 4.0",
        ),
        Source(
            benchmark="2WikiMultihopQA",
            folder="2wikimultihopqa",
            also=("2wikimultihop", "2wiki"),
            files=_files(
                {
                    "validation": ("dev.json", "dev.jsonl", "dev*.json*", "dev*.parquet"),
                    "train": ("train.json", "train_*.json*"),
                }
            ),
            hub=Hub("framolfese/2WikiMultihopQA", None, "fe713bfbd1afbca1a65246741a75890405d56a3a"),
            licence="Apache-2.0; passages: Wikipedia, CC BY-SA",
            joiner=" ",
        ),
        Source(
            benchmark="MuSiQue",
            folder="musique",
            also=("musique_ans", "musique_v1.0"),
            files=_files(
                {
                    "validation": ("musique_ans_v1.0_dev.jsonl", "musique_ans*dev*.json*", "musique_full*dev*.json*"),
                    "train": ("musique_ans_v1.0_train.jsonl", "musique_ans*train*.json*", "musique_full*train*.json*"),
                }
            ),
            hub=Hub("dgslibisey/MuSiQue", None, "c8f4f8c9465fb69d31a8eae894c3fd509c4ca321"),
            licence="CC BY 4.0; passages: Wikipedia, CC BY-SA",
        ),
        Source(
            benchmark="LoCoMo",
            folder="locomo",
            also=("locomo10",),
            files={"all": ("locomo10.json", "locomo10*.json")},
            hub=None,
            licence="CC BY-NC 4.0 (non-commercial)",
            home="data/locomo10.json of github.com/snap-research/locomo",
        ),
        Source(
            benchmark="LongMemEval",
            folder="longmemeval",
            also=("longmemeval-cleaned", "longmemeval_cleaned"),
            files={
                layout: (
                    f"longmemeval_{layout}_cleaned.json",
                    f"longmemeval_{layout}.json",
                    f"longmemeval_{layout}",
                    f"longmemeval_{layout}_*.json*",
                )
                for layout in ("oracle", "s", "m")
            },
            hub=None,
            licence="MIT",
            home="the data set xiaowu0162/longmemeval-cleaned on the Hugging Face hub",
        ),
    )
}


def source(name: str) -> Source:
    """Return the data row of a benchmark, by its name or folder in any spelling of case; else ``UnknownName``."""
    for row in SOURCES.values():
        if name.casefold() in (row.benchmark.casefold(), *row.names):
            return row
    raise unknown("published benchmark", name, SOURCES, "`memgym data status` shows all.")


def check_split(benchmark: str, split: str) -> str:
    """Return ``split`` if it is one with answers; else a ValueError that says which those are."""
    splits = tuple(SOURCES[benchmark].files) if benchmark in SOURCES else SPLITS
    if split in splits:
        return split
    if splits != SPLITS:
        raise ValueError(str(unknown(f"part of {benchmark} named", split, splits)))
    if split == "dev":
        raise ValueError(f"{benchmark} has no split 'dev': the development set is called 'validation' here.")
    if split == "test":
        raise ValueError(f"The test split of {benchmark} is published without answers; use 'validation' or 'train'.")
    raise ValueError(str(unknown(f"split of {benchmark} named", split, SPLITS)))
