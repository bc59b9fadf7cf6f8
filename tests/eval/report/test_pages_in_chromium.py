"""Pages in a real browser, without a display: no error, no request off the page, every step by keyboard.

Needs the package playwright (extra "browser") and a Chromium: the one that MEMGYM_CHROMIUM or PATH names.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_world import registered

from memgym.eval.bench import run_bench
from memgym.eval.config import AgentConfig, RunConfig
from memgym.eval.report.episode_page import view
from memgym.eval.report.map_page import map_page
from memgym.eval.report.report_page import report
from memgym.eval.report.runs import read_run
from memgym.eval.report.texts import write_page

pytestmark = pytest.mark.slow
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
NAMES = ("chromium", "chromium-browser", "google-chrome")
PAGES = ("report.html", "linked.html", "hostile.html", "map.html")
CONTRAST = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const below = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const poor = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const held = node.parentElement;
    if (!node.textContent.trim() || held.closest("svg, script, style, button:disabled") || !held.checkVisibility()) continue;
    const [one, other] = [light(getComputedStyle(held).color), light(below(held))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) poor.push(node.textContent.trim().slice(0, 40));
  }
  return poor;
}"""


def chromium() -> str:
    found = os.environ.get("MEMGYM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium: install the package chromium, or set MEMGYM_CHROMIUM")
    return found


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Any]:
    """A browser, started when the pages are there: its loop would not let a run start another."""
    api = pytest.importorskip("playwright.sync_api", reason='no playwright: pip install "memgym[browser]"')
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The four pages of one run: of all agents, of an episode with links, of one that breaks pages, a map."""
    for package, extra in (("playwright.sync_api", "browser"), ("onnxruntime", "embed")):
        pytest.importorskip(package, reason=f'no {package}: pip install "memgym[{extra}]"')
    path = tmp_path_factory.mktemp("pages")
    agents = [AgentConfig(agent=name) for name in ("a-mem", "bm25-rag", "oracle", "no-memory", "hostile")]
    config = RunConfig(
        env="MemGym/Synthetic-50doc", env_options={"questions": 3}, agents=agents, episodes=1, bounds=False
    )
    with registered("agent", hostile="hostile:Hostile"):
        run_bench(config, out=path / "run")
        run = read_run(path / "run")
        write_page(path / "report.html", report([run])[0])
        by_agent = {record.episode.agent: record for record in run.records}
        write_page(path / "linked.html", view(by_agent["a-mem"]))
        write_page(path / "hostile.html", view(by_agent["hostile"]))
        drawn = map_page([run], episodes=1, encoder="hashing", by=None, limit=500, methods=["pca"])
        write_page(path / "map.html", drawn)
    return path


class Opened:
    """A page that was opened, with everything that it complained of or asked for."""

    def __init__(self, browser: Any, path: Path, scheme: str = "light", width: int = 1200, **context: Any) -> None:
        size = {"width": width, "height": 900}
        self.context = browser.new_context(color_scheme=scheme, viewport=size, **context)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.address = path.as_uri()
        self.page.goto(self.address)

    @property
    def step(self) -> str:
        """The heading of the step that is shown; there must be exactly one."""
        [shown] = [one for one in self.page.locator("section.step").all() if one.is_visible()]
        return str(shown.get_attribute("id"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_a_complaint_or_a_request_off_itself(
    browser: Any, folder: Path, name: str, scheme: str
) -> None:
    opened = Opened(browser, folder / name, scheme)
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith("data:")] == [opened.address]
    assert "memgym" in opened.page.title()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_another_background_in_the_dark_and_can_be_seen(browser: Any, folder: Path, name: str) -> None:
    shots = [Opened(browser, folder / name, scheme).page.screenshot() for scheme in ("light", "dark")]
    assert shots[0] != shots[1]
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light, dark = (Opened(browser, folder / name, scheme).page.evaluate(ground) for scheme in ("light", "dark"))
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(21, 24, 28)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_text_has_the_contrast_that_wcag_asks_for(browser: Any, folder: Path, name: str, scheme: str) -> None:
    assert Opened(browser, folder / name, scheme).page.evaluate(CONTRAST) == []


def test_poor_contrast_is_seen(browser: Any, folder: Path) -> None:
    page = Opened(browser, folder / "map.html").page
    page.add_style_tag(content="h1 { color: #888 !important; background: #999; }")
    assert page.evaluate(CONTRAST) == ["Map of entries"]


@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_its_window(browser: Any, folder: Path, name: str, width: int) -> None:
    page = Opened(browser, folder / name, width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_keys_move_through_the_steps(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "linked.html")
    last = opened.page.locator("section.step").count()
    moves = [("ArrowRight", 2), ("j", 3), ("ArrowLeft", 2), ("k", 1), ("k", 1), ("End", last), ("j", last), ("Home", 1)]
    for key, step in moves:
        opened.page.keyboard.press(key)
        assert opened.step == f"step-{step}"
        assert opened.page.locator("#where").inner_text() == f"Step {step} of {last}"
        assert opened.page.locator("#slider").input_value() == str(step)
    assert opened.said == []


def test_q_moves_from_answer_to_answer(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "linked.html")
    answered = []
    for _ in range(4):
        opened.page.keyboard.press("q")
        answered.append(opened.step)
    assert len(set(answered)) == 3
    assert opened.page.locator(f"#{answered[0]} .question").count() == 1


def test_the_controls_are_reached_by_tab_and_work_by_keyboard(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "linked.html")
    reached = []
    for _ in range(3):
        opened.page.keyboard.press("Tab")
        reached.append(opened.page.evaluate("document.activeElement.id"))
    assert reached[:2] == ["on", "slider"]
    opened.page.locator("#on").focus()
    opened.page.keyboard.press("Enter")
    assert opened.step == "step-2"
    opened.page.locator("#slider").focus()
    opened.page.keyboard.press("ArrowRight")
    assert opened.step == "step-3"


def test_an_address_opens_a_step_and_links_lead_to_steps(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "linked.html")
    opened.page.goto(f"{opened.address}#step-5")
    assert opened.step == "step-5"
    opened.page.locator("a[href^='#step-']:visible").last.click()
    assert opened.step != "step-5"


def test_the_memory_beside_a_step_is_that_after_it(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "hostile.html")
    sizes = []
    for _ in range(3):
        shown = [one for one in opened.page.locator("#entries > li").all() if one.is_visible()]
        assert opened.page.locator("#size").inner_text() == str(len(shown))
        sizes.append(len(shown))
        opened.page.keyboard.press("j")
    assert sizes == [3, 3, 3]
    opened.page.keyboard.press("Home")
    assert opened.page.locator("#entries .now .mark").first.inner_text() == "+ created now"


def test_links_appear_in_the_graph_with_the_step_that_makes_them(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "linked.html")
    there = "document.querySelectorAll('.edge:not(.absent)').length"
    first = opened.page.evaluate(there)
    opened.page.keyboard.press("End")
    assert first == 0
    assert opened.page.evaluate(there) > 0


def test_what_an_agent_wrote_does_not_run(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "hostile.html")
    assert opened.page.title() != "broken"
    assert opened.page.locator("img").count() == 0
    assert "<script>document.title" in opened.page.locator("#step-1").inner_text()


def test_without_javascript_every_step_is_there(browser: Any, folder: Path) -> None:
    opened = Opened(browser, folder / "linked.html", java_script_enabled=False)
    steps = opened.page.locator("section.step").all()
    assert len(steps) > 10
    assert all(one.is_visible() for one in steps)
    assert not opened.page.locator(".controls").is_visible()
