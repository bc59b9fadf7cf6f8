"""A checkpoint as a Hugging Face folder, by verl's own merger in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_TAIL = 2000


class ExportFailed(RuntimeError):
    """verl's merger ended with an error; the message has the end of what it printed."""


def export(checkpoint: Path, target: Path, *, trust_remote_code: bool = False) -> None:
    """Merge the shards of ``checkpoint`` ("global_step_<n>") into ``target``: weights, config and tokenizer."""
    command = [
        sys.executable, "-m", "verl.model_merger", "merge", "--backend", "fsdp",
        "--local_dir", str(checkpoint / "actor"), "--target_dir", str(target),
        *(["--trust-remote-code"] if trust_remote_code else []),
    ]  # fmt: skip
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or not (target / "config.json").is_file():
        raise ExportFailed(
            f"{checkpoint} could not be merged (status {done.returncode}). "
            f"The end of the output:\n{done.stdout[-_TAIL:]}"
        )
