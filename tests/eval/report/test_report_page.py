"""The report of real runs: its rows are those of the run, and what must not be compared is said."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from small_world import registered
from typer.testing import CliRunner

from memgym.cli import app
from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig
from memgym.eval.report.comparing import differences, groups, unlike, within
from memgym.eval.report.lines import by_category, lines_of, sizes
from memgym.eval.report.report_page import report, save_figures
from memgym.eval.report.runs import Run, read_run

ENV = "MemGym/Synthetic-50doc"
VOID = {"meta", "link", "input", "br", "img", "hr"}


def played(folder: Path, *agents: str, **changes: object) -> Run:
    chosen = {"env": ENV, "env_options": {"questions": 3}, "episodes": 2, "bounds": False, **changes}
    run_bench(RunConfig(agents=[AgentConfig(agent=name) for name in agents], **chosen), out=folder)
    return read_run(folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return played(tmp_path_factory.mktemp("report") / "first", "bm25-rag", "oracle", "no-memory", "random")


class Tags(HTMLParser):
    """Collects what a page is made of, and whether its elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.loaded: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.loaded += [str(value) for name, value in attrs if name in ("src", "href", "action") and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open.pop() != tag:
            self.crossed.append(tag)


def tags(page: str) -> Tags:
    parser = Tags()
    parser.feed(page)
    return parser


def test_the_leaderboard_has_a_row_for_each_agent_best_first(run: Run) -> None:
    page, [group] = report([run])
    assert [line.row.reward.mean for line in group.lines] == sorted(
        (line.row.reward.mean for line in group.lines), reverse=True
    )
    shown = re.findall(r'<tr[^>]*><th scope="row">([\w-]+)', page)[: len(group.lines)]
    assert shown == [line.label for line in group.lines]


def test_bounds_are_marked(run: Run) -> None:
    bounds = {line.label: line.bound for line in lines_of([run])}
    assert bounds["bm25-rag"] == ""
    assert bounds["oracle"].startswith("upper bound")
    assert bounds["no-memory"].startswith("lower bound")


def test_a_page_loads_nothing_and_its_elements_are_closed(run: Run) -> None:
    page, _ = report([run])
    found = tags(page)
    assert [one for one in found.loaded if not one.startswith(("#", "data:,"))] == []
    assert (found.open, found.crossed, found.scripts) == ([], [], 0)
    assert "@import" not in page
    assert "url(" not in page


def test_every_link_within_the_page_leads_somewhere(run: Run) -> None:
    page, _ = report([run])
    ids = set(re.findall(r' id="([^"]+)"', page))
    assert {one.removeprefix("#") for one in tags(page).loaded if one.startswith("#")} <= ids


def test_a_figure_is_named_for_a_screen_reader(run: Run) -> None:
    _, [group] = report([run])
    for figure in group.figures:
        drawn = ElementTree.fromstring(str(figure.svg))
        assert drawn.attrib["role"] == "img"
        assert drawn.attrib["aria-label"]


def test_figures_are_saved_as_svg_files_with_their_colours(run: Run, tmp_path: Path) -> None:
    _, made = report([run])
    paths = save_figures(made, tmp_path / "figures")
    assert {"scores.svg", "memory.svg", "operations.svg", "statuses.svg", "size.svg", "cost-tokens.svg"} <= {
        path.name for path in paths
    }
    for path in paths:
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
        assert "prefers-color-scheme: dark" in path.read_text("utf-8")


def test_scores_by_category_average_to_the_reward(run: Run) -> None:
    for line in lines_of([run]):
        scores = [score for one in by_category(line).values() for score in one]
        assert sum(scores) / len(scores) == pytest.approx(line.row.reward.mean)


def test_the_size_of_memory_ends_at_the_mean_of_the_last_sizes(run: Run) -> None:
    for line in lines_of([run]):
        last = [record.steps[-1].size for record in line.records]
        assert sizes(line)[1][-1] == pytest.approx(sum(last) / len(last))


def test_runs_that_differ_only_in_agents_share_a_table_and_rows_are_named_by_run(run: Run, tmp_path: Path) -> None:
    other = played(tmp_path / "other", "scratchpad-only")
    assert [len(group) for group in groups([run, other])] == [2]
    page, _ = report([run, other])
    assert "must not be compared" not in page
    assert "scratchpad-only · other" in page


def test_runs_on_other_data_stand_apart_and_the_difference_is_said(run: Run, tmp_path: Path) -> None:
    other = played(tmp_path / "other", "bm25-rag", env_options={"questions": 2})
    page, made = report([run, other])
    assert len(made) == 2
    assert "must not be compared" in page
    assert {one.what for one in differences([run, other]) if one.forbids} == {"options", "data"}


@pytest.mark.parametrize(
    ("changed", "what"),
    [({"benchmark": {"benchmark": "Synthetic", "checksum": "another"}}, "data"), ({"memgym": "0.0.1"}, "memgym version"),
     ({"judge": {"model": "other", "prompt": "x"}}, "judge")],
)  # fmt: skip
def test_another_checksum_version_or_judge_forbids_to_compare(run: Run, changed: dict[str, object], what: str) -> None:
    records = tuple(replace(record, setting={**record.setting, **changed}) for record in run.records)
    other = replace(run, name="other", records=records)
    assert [one.what for one in differences([run, other]) if one.forbids] == [what]
    assert len(groups([run, other])) == 2


def test_other_samples_are_told_and_forbid_nothing(run: Run) -> None:
    other = replace(run, name="other", config=run.config.model_copy(update={"seed": 9}))
    [one] = differences([run, other])
    assert (one.what, one.forbids, len(groups([run, other]))) == ("samples", False, 1)


def test_runs_under_two_protocols_get_a_table_of_agents_by_protocols(run: Run) -> None:
    config = run.config.model_copy(update={"protocol": {"name": "offline-declarative"}})
    other = replace(run, name="other", config=config)
    [group] = report([run, other])[1]
    assert "protocols" in {figure.name for figure in group.figures}


def test_an_agent_with_other_options_in_another_run_is_told(run: Run) -> None:
    first = run.records[0]
    changed = replace(first, setting={**first.setting, "options": {**first.setting["options"], "k": 77}})
    other = replace(run, name="other", records=(changed, *run.records[1:]))
    [said] = unlike([run, other])
    assert "bm25-rag" in said
    assert "k: 77" in said


def test_a_run_whose_records_come_from_two_versions_is_told(run: Run) -> None:
    first = run.records[0]
    mixed = replace(run, records=(replace(first, setting={**first.setting, "memgym": "0"}), *run.records[1:]))
    assert ["version of memgym" in said for said in within(mixed)] == [True]
    assert within(run) == []


def test_without_a_model_answers_are_not_scored(tmp_path: Path) -> None:
    run = played(tmp_path / "run", "bm25-rag", "oracle", model="none")
    page, [group] = report([run])
    assert {line.label: line.scored for line in group.lines} == {"bm25-rag": False, "oracle": True}
    assert "not scored" in page


def test_failed_episodes_are_counted_with_both_denominators(run: Run) -> None:
    first = run.records[0]
    failed = replace(run, records=(replace(first, outcome=None, error="ModelError: <gone>"), *run.records[1:]))
    page, [group] = report([failed])
    assert group.failed == 1
    assert "reward,<br>played" in page
    assert "ModelError: &lt;gone&gt;" in page


def test_the_command_writes_the_page_and_the_figures(run: Run, tmp_path: Path) -> None:
    arguments = ["report", str(run.path), "--out", str(tmp_path / "a" / "page.html"), "--figures", str(tmp_path / "f")]
    result = CliRunner().invoke(app, [*arguments, "--metric", "a_mem_f1"])
    assert result.exit_code == 0, result.output
    assert "a_mem_f1" in (tmp_path / "a" / "page.html").read_text("utf-8")
    assert len(list((tmp_path / "f").glob("*.svg"))) >= 6


def test_what_an_agent_wrote_is_no_markup_on_any_page(tmp_path: Path) -> None:
    with registered("agent", hostile="hostile:Hostile"):
        run = played(tmp_path / "run", "hostile", episodes=1)
        assert run.records[0].error is None
        for command in (["report", str(run.path)], ["view", str(run.path)], ["map", str(run.path), "--method", "pca"]):
            result = CliRunner().invoke(app, command)
            assert result.exit_code == 0, result.output
    report_page = (run.path / "report.html").read_text("utf-8")
    episode = (run.path / "episode-hostile-000000.html").read_text("utf-8")
    drawn = (run.path / "map.html").read_text("utf-8")
    for page, scripts in ((report_page, 0), (episode, 1), (drawn, 0)):
        found = tags(page)
        assert (found.scripts, found.crossed, found.open) == (scripts, [], [])
        assert "<img" not in page
    assert "\u2400" in episode
    assert "\ufffd" in episode
    assert "\x00" not in episode
