"""axe finds no serious fault on any page, light or dark; the page has names and roles for those who hear it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.browser.school import write_school
from tests.browser.waiting import settle
from tests.fixtures import REPOSITORY
from tests.server.client import Server

pytestmark = pytest.mark.browser

AXE = REPOSITORY / "web" / "node_modules" / "axe-core" / "axe.min.js"

PAGES = {
    "rollouts": "step=4&sample=16",
    "raw": "step=4&sample=16&raw=1",
    "side by side": "step=4&sample=4&side=1",
    "samples": "step=4&list=samples",
    "discarded": "page=discarded",
    "evals": "page=evals",
    "metrics": "page=metrics",
    "run": "page=run",
    "search": "page=search&q=sum",
    "all steps": "steps=all&list=samples",
    "runs": "page=runs",
    "findings": "page=insights",
    "contrast": "page=insights&tab=contrast&preset=changes",
    "scatter": "page=insights&tab=scatter",
    "tokens": "page=insights&tab=tokens",
    "prompt": "page=insights&tab=prompt&address=train/4/4",
    "tree": "step=4&sample=4&tree=1",
    "tree and diff": "step=4&sample=4&tree=1&a=train/4/4&b=train/4/5",
    "diff": "page=insights&tab=diff&a=train/4/4&b=train/4/7",
}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("axe") / "school"))


@pytest.fixture(scope="module")
def axe() -> str:
    return AXE.read_text(encoding="utf-8")


def serious_faults(page: Page, axe: str) -> list[str]:
    # Injected by the test, past the content security policy that keeps everyone else out.
    page.evaluate(axe)
    result: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{fault['id']}: {fault['help']}: {[node['html'][:160] for node in fault['nodes'][:3]]}"
        for fault in result["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("query", PAGES.values(), ids=list(PAGES))
def test_no_serious_fault(page: Page, school: Server, axe: str, query: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    page.goto(f"{school.url}?{query}")
    expect(page.get_by_role("main")).not_to_be_empty()
    settle(page)
    assert serious_faults(page, axe) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_fault_where_runs_are_compared(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served, axe: str, theme: str
) -> None:
    runs = [write_school(tmp_path_factory.mktemp("compared") / name) for name in ("first", "second")]
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    page.goto(f"{serve(*runs).url}?run=first&page=insights&tab=compare")
    expect(page.get_by_role("table", name="Prompts").get_by_role("row").nth(1)).to_be_visible()
    settle(page)
    assert serious_faults(page, axe) == []


def test_no_serious_fault_in_menus_and_help(page: Page, school: Server, axe: str) -> None:
    page.goto(f"{school.url}?step=1")
    expect(page.get_by_role("article")).to_be_visible()
    for opener in ["Appearance and help", "Choose columns"]:
        page.get_by_role("button", name=opener).click()
        settle(page)
        assert serious_faults(page, axe) == []
        page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    settle(page)
    assert serious_faults(page, axe) == []


def test_everything_is_reached_with_the_tab_key(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1")
    expect(page.get_by_role("article")).to_be_visible()
    expect(page.get_by_role("tree")).to_be_visible()
    reached: set[str] = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(() => { const e = document.activeElement;"
            " return e?.getAttribute('aria-label') ?? e?.innerText?.split('\\n')[0] ?? '' })()"
        )
        reached.add(str(name))
    wanted = ["Rollouts", "Metrics", "Search all rollouts", "Step", "Follow", "Filter", "Groups and samples", "Raw"]
    wanted += ["Render 5", "Sample text", "Width of the list", "Next sample (n, →)", "Copy link"]
    assert [name for name in wanted if name not in reached] == []


#: What has the focus: its name, whether it is in view, and whether it shows that it has the focus. The boxes that one types
#: into have a caret and a border; an edge that is dragged has a line drawn along it.
FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { outlineStyle, boxShadow, backgroundImage } = getComputedStyle(element);
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const label = element.closest("label");
  return {
    name: (element.ariaLabel ?? element.innerText ?? element.tagName).split("\\n")[0],
    inView: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    isSeen: outlineStyle !== "none" || boxShadow !== "none" || backgroundImage !== "none" ||
      /^(INPUT|TEXTAREA)$/.test(element.tagName) && !/radio|checkbox/.test(element.type) ||
      label !== null && getComputedStyle(label).outlineStyle !== "none",
  };
}"""
MOST_STOPS = 1000


@pytest.mark.parametrize("query", PAGES.values(), ids=list(PAGES))
def test_the_tab_key_goes_through_every_page_and_out_again_and_is_seen(page: Page, school: Server, query: str) -> None:
    page.goto(f"{school.url}?{query}")
    expect(page.get_by_role("main")).not_to_be_empty()
    settle(page)
    skip = "Skip to the content"
    stops: list[dict[str, Any]] = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None or (stops and focused["name"] == skip):
            break
        stops.append(focused)
    assert skip in [stop["name"] for stop in stops[:1]]
    assert 10 < len(stops) < MOST_STOPS, "the focus never leaves"
    assert [stop["name"] for stop in stops if not (stop["inView"] and stop["isSeen"])] == []


def test_the_first_tab_stop_leads_to_what_one_came_for(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1")
    expect(page.get_by_role("article")).to_be_visible()
    skip = page.get_by_role("button", name="Skip to the content", exact=True)
    page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Sample text")).to_be_focused()
    page.goto(f"{school.url}?page=run")
    expect(page.get_by_role("tablist")).to_be_visible()
    skip.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_the_focus_is_seen(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1")
    expect(page.get_by_role("article")).to_be_visible()
    page.get_by_role("button", name="Follow").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_where_axe_lies_is_not_where_users_are() -> None:
    """The checker is a development dependency: the page that is shipped does not hold it."""
    static = Path(REPOSITORY / "src" / "rollscope" / "server" / "static" / "assets")
    assert static.exists(), "make page builds it"
    assert not any("axe.run" in path.read_text(encoding="utf-8", errors="ignore") for path in static.glob("*.js"))
