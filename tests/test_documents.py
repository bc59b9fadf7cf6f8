"""Runs what the documents show: every python block, and every ``$ memgym`` line of a console block.

A block is left out only where the line above its fence says why: ``<!-- no-run: reason -->``.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"(?:^<!-- no-run: (?P<reason>[^\n]+) -->\n)?^```(?P<language>python|console)\n(?P<text>.*?)^```$", re.M | re.S
)
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#|mailto:)([^)#\s]+)")
MINUTES = 5


@dataclass(frozen=True)
class Block:
    """One fenced block: where it stands, what it says, and why it is not run (None: it is)."""

    page: str
    line: int
    language: str
    text: str
    reason: str | None


def blocks_of(text: str, page: str) -> list[Block]:
    return [
        Block(page, text.count("\n", 0, match.start("text")), match["language"], match["text"], match["reason"])
        for match in FENCE.finditer(text)
    ]


def blocks(language: str) -> list[object]:
    """Return the blocks of a language as test parameters, those that say why they cannot run as skipped."""
    found = [block for page in PAGES for block in blocks_of(page.read_text("utf-8"), str(page.relative_to(ROOT)))]
    return [
        pytest.param(
            block,
            id=f"{block.page}:{block.line}",
            marks=[pytest.mark.skip(reason=block.reason)] if block.reason else [],
        )
        for block in found
        if block.language == language
    ]


def commands(text: str) -> list[list[str]]:
    """Return the ``$ memgym`` lines of a console block, each as arguments; a backslash goes on in the next line."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [shlex.split(line.removeprefix("$ memgym")) for line in lines if re.match(r"\$ memgym\b", line)]


def run(*arguments: str, cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, cwd=cwd, timeout=60 * MINUTES
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks("python"))
def test_a_python_block_runs(block: Block, tmp_path: Path) -> None:
    run("-c", block.text, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks("console"))
def test_the_commands_of_a_console_block_succeed_one_after_the_other(block: Block, tmp_path: Path) -> None:
    for command in commands(block.text):
        run("-m", "memgym", *command, cwd=tmp_path)


@pytest.mark.parametrize("block", blocks("console"))
def test_a_console_block_shows_a_command(block: Block) -> None:
    assert commands(block.text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_of_the_project_leads_somewhere(page: Path) -> None:
    lost = [link for link in LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()]
    assert lost == []


@pytest.mark.parametrize("name", ["bench", "test"])
def test_the_readme_has_each_of_its_two_commands_on_one_line(name: str) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    [command] = re.findall(rf"^<!-- command: {name} -->\n```bash\n([^\n]+)\n```$", text, re.M)
    install, _, then = command.partition(" && ")
    assert install.startswith("pip install -c constraints.txt -e ")
    assert then


def test_a_block_under_a_reason_is_left_out_and_others_are_not() -> None:
    text = "a\n<!-- no-run: no file -->\n```python\n1\n```\nb\n\n```python\n2\n```\n```text\n3\n```\n"
    assert [(block.text, block.reason) for block in blocks_of(text, "x")] == [("1\n", "no file"), ("2\n", None)]


def test_a_console_line_that_goes_on_is_one_command() -> None:
    text = "$ memgym bench \\\n    --agent 'a b'\nsome output\n$ memgymnast\n$ memgym list\n"
    assert commands(text) == [["bench", "--agent", "a b"], ["list"]]
