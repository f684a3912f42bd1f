"""In a narrow window, at 200 % zoom and in 4K: what matters is in view, and what is read never jumps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser.conftest import Served
from tests.browser.waiting import eventually, eventually_equal, settle
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

#: A window of 1440 pixels at 200 % zoom.
ZOOMED = {"width": 720, "height": 450}
REASONS = ("zero advantage", "the environment timed out after 300 s while its container image was being pulled")
UUID = "ab698b61-b98b-4586-9897-c61a5efb84b{}"
STEPS = re.compile("/steps")
FILTER = 'reward < 0.5 and env = "a_long_name_of_an_environment" and response contains "the answer" and reward >= 0'


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    """Two groups that are discarded for reasons of one word and of twenty; names as trainers make them."""
    directory: Path = tmp_path_factory.mktemp("windows") / "a-run-with-a-name-that-is-not-short"
    with record.start(directory, {}, total_steps=2) as run:
        run.declare_range(reward=(0.0, 1.0))
        for step in range(2):
            with run.iteration(step) as iteration:
                for number in range(4):
                    env = "a_long_name_of_an_environment"
                    with iteration.group(UUID.format(number), prompt=f"How much is {number} + 2?", env=env) as group:
                        for place in range(4):
                            sample = group.add(response=f"I say the answer is {number}.", reward=place / 3)
                            if number < len(REASONS):
                                sample.discard(REASONS[number])
            with (
                run.evaluation("problems-of-the-second-olympiad", step=step) as evaluation,
                evaluation.group(prompt="How much is 1 + 1?") as group,
            ):
                group.add(response="2", reward=1.0)
    return serve(directory)


def box(locator: Locator) -> dict[str, float]:
    found = locator.bounding_box()
    assert found is not None
    return dict(found)


@pytest.mark.parametrize("width", [720, 900, 1440])
def test_a_long_reason_moves_nothing_below_it(page: Page, odd: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{odd.url}?page=discarded&step=1&sample=0")
    text = page.get_by_role("region", name="Sample text")
    expect(text).to_contain_text("How much is 0")
    short = box(text)
    page.keyboard.press("]")
    expect(text).to_contain_text("How much is 1")
    assert box(text) == short
    expect(page.get_by_role("article").locator("header").get_by_title(re.compile(REASONS[1]))).to_be_in_viewport(
        ratio=1
    )
    # Its bars stand beside a reason that is as long as this.
    for reason in REASONS:
        row = page.get_by_role("button", name=re.compile(f"^{reason}"))
        assert box(row.locator("svg"))["width"] > 60


def test_at_twice_the_size_the_run_and_the_sample_are_named_and_no_button_is_cut(page: Page, odd: Server) -> None:
    page.set_viewport_size(ZOOMED)
    page.goto(f"{odd.url}?page=evals")
    article = page.get_by_role("article")
    for word in ("Step 1", "Sample 0"):
        expect(article.get_by_text(re.compile(word)).first).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("pass@1", exact=True)).to_be_in_viewport(ratio=1)
    assert box(page.get_by_role("button", name=re.compile("a-run-with")).first)["width"] > 110
    page.goto(f"{odd.url}?page=runs")
    expect(page.get_by_role("button", name="Config columns")).to_be_in_viewport(ratio=1)
    # The field for searching is an icon until it is used.
    page.keyboard.press("Control+k")
    page.keyboard.type("answer")
    expect(page.get_by_role("searchbox", name="Search all rollouts")).to_have_value("answer")
    assert box(page.get_by_role("searchbox", name="Search all rollouts"))["width"] > 60


def test_a_filter_is_read_whole_in_the_box_it_is_typed_in(page: Page, odd: Server) -> None:
    page.goto(f"{odd.url}?step=1")
    filter_box = page.get_by_role("combobox", name="Filter")
    one_line = box(filter_box)["height"]
    filter_box.fill(FILTER)
    filter_box.press("Enter")
    expect(page.get_by_text("2 groups · 4 samples")).to_be_visible()
    assert box(filter_box)["height"] > 2 * one_line
    assert filter_box.evaluate("(box) => box.scrollHeight <= box.clientHeight")
    page.get_by_role("button", name="Clear the filter").click()
    eventually_equal(page, lambda: box(filter_box)["height"], one_line)


def test_tab_leads_past_a_filter_and_leaves_it_as_it_is(page: Page, odd: Server) -> None:
    page.goto(f"{odd.url}?step=1&where=reward < 0.5")
    filter_box = page.get_by_role("combobox", name="Filter")
    filter_box.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Clear the filter")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(filter_box).to_be_focused()
    expect(filter_box).to_have_value("reward < 0.5")


def test_a_group_named_by_a_uuid_leaves_its_row_to_the_prompt(page: Page, odd: Server) -> None:
    page.goto(f"{odd.url}?step=1")
    row = page.get_by_role("treeitem", name=re.compile("How much is 2"))
    expect(row).to_contain_text("…")
    expect(row.get_by_title(f"group {UUID.format(2)}")).to_be_visible()
    row.click()
    expect(page.get_by_role("article").get_by_title(UUID.format(2))).to_be_visible()


def test_the_list_appears_below_its_heading_without_moving_it(page: Page, odd: Server) -> None:
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        if is_held:
            held.append(route)
        else:
            route.continue_()

    page.route(STEPS, hold)
    page.goto(f"{odd.url}?step=1")
    heading = page.get_by_role("complementary", name="the list").get_by_text("…", exact=True)
    expect(heading).to_be_visible()
    above = box(heading)["y"]
    is_held = False
    for route in held:
        route.continue_()
    counted = page.get_by_text("2 groups · 8 samples")
    expect(counted).to_be_visible()
    assert abs(box(counted)["y"] - above) < 40


@pytest.mark.parametrize("query", ["page=insights", "page=insights&tab=tokens", "page=search&q=therefore", "page=runs"])
def test_what_comes_late_has_its_room_already(page: Page, demo: Server, query: str) -> None:
    page.add_init_script(
        """window.moved = []
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => moved.push(entry.value)))
          .observe({ type: "layout-shift", buffered: true })"""
    )
    page.goto(f"{demo.url}?{query}")
    expect(page.get_by_role("main").get_by_role("status").first).to_be_attached()
    settle(page)
    assert sum(page.evaluate("moved")) < 0.04


def test_in_4k_the_evidence_stands_beside_what_it_is_for(page: Page, demo: Server) -> None:
    page.set_viewport_size({"width": 3840, "height": 2160})
    page.goto(f"{demo.url}?page=insights")
    page.get_by_role("button", name=re.compile("A phrase spreads")).first.click()
    chart = box(page.get_by_role("slider", name="Share over the steps"))
    evidence = box(page.get_by_role("region", name="Evidence"))
    assert evidence["x"] > chart["x"] + chart["width"]
    assert evidence["y"] < chart["y"]


@pytest.mark.parametrize("width", [480, 900])
def test_in_a_narrow_window_the_tree_stands_above_what_is_read_of_it(page: Page, odd: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{odd.url}?step=1&sample=8&tree=1")
    tree = page.get_by_role("region", name="Group as a tree")
    expect(tree.get_by_text("How much is 2 + 2?")).to_be_visible()
    expect(page.get_by_role("article")).to_be_in_viewport()
    assert box(tree)["width"] >= width - 1
    assert box(tree)["y"] + box(tree)["height"] <= box(page.get_by_role("article"))["y"] + 1
    tree.get_by_role("button", name="Pick sample 8", exact=True).click()
    tree.get_by_role("button", name="Pick sample 9", exact=True).click()
    expect(page.get_by_text("of the words are the same")).to_be_in_viewport()
    page.keyboard.press("b")
    expect(tree).to_have_count(0)
    diff = page.get_by_role("region", name="Diff")
    assert eventually(page, lambda: box(diff)["y"], lambda y: y < 200) < 200
    page.keyboard.press("b")
    expect(tree).to_be_visible()


def test_in_480_pixels_the_run_is_named_and_the_list_stands_above_the_sample(page: Page, demo: Server) -> None:
    page.set_viewport_size({"width": 480, "height": 900})
    page.goto(f"{demo.url}?step=24&sample=18")
    article, rows = page.get_by_role("article"), page.get_by_role("tree")
    expect(article).to_be_visible()
    assert box(rows)["y"] + box(rows)["height"] <= box(article)["y"]
    assert min(box(rows)["width"], box(article)["width"]) > 460
    name = page.get_by_role("button", name=re.compile("choose a run"))
    tabs = page.get_by_role("navigation", name="Pages")
    expect(name.get_by_text("demo")).to_be_in_viewport(ratio=1)
    assert box(name)["y"] + box(name)["height"] <= box(tabs)["y"] + 4
    for tab in tabs.get_by_role("link").all():
        tab.click(trial=True)
    # What is found is seen, whatever stands before it.
    page.goto(f"{demo.url}?page=search&q=therefore")
    for found in page.locator("mark").all()[:8]:
        expect(found).to_be_in_viewport(ratio=1)
    # Nothing makes a page wider than the window.
    for query in (
        "page=insights",
        "page=insights&tab=contrast&preset=changes",
        "page=metrics",
        "page=run",
        "page=runs",
    ):
        page.goto(f"{demo.url}?{query}")
        settle(page)
        assert page.evaluate("document.querySelector('main').firstElementChild.scrollWidth <= innerWidth"), query


def test_in_4k_every_difference_is_listed_beside_the_texts(page: Page, demo: Server) -> None:
    page.set_viewport_size({"width": 3840, "height": 2160})
    page.goto(f"{demo.url}?page=insights&tab=diff&a=train/30/3&b=train/30/4")
    differences = page.get_by_role("navigation", name="Differences").get_by_role("button")
    expect(differences.first).to_be_visible()
    differences.last.click()
    expect(page.locator("del:focus, ins:focus")).to_be_visible()


#: Panes that scroll and show through to what is behind them: the browser paints those anew for every frame. The boxes of
#: long texts inside a sample are small and on grounds of their own.
SEEN_THROUGH = """() => [...document.querySelectorAll("main *:not([aria-label='Sample text'] *)")].flatMap((element) => {
  const { overflowY, backgroundColor } = getComputedStyle(element);
  const scrolls = /auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight + 1;
  return scrolls && /^rgba|transparent/.test(backgroundColor) ? [element.ariaLabel ?? element.className] : [];
})"""


@pytest.mark.parametrize(
    ("query", "scrolls"),
    [
        ("step=24&sample=8", "Tool · query"),
        ("step=24&sample=8&raw=1", "warehouse"),
        ("steps=all&list=samples", "step 0"),
        ("page=metrics", "distribution over steps"),
        ("page=run", "learning_rate"),
        ("page=insights", "A phrase spreads"),
        ("page=insights&tab=contrast&preset=changes", "More in A"),
        ("step=30&sample=3&tree=1", "rewards diverge most here"),
        ("page=insights&tab=diff&a=train/30/3&b=train/30/4", "of the words are the same"),
        ("page=search&q=therefore", "reward"),
    ],
)
def test_panes_scroll_without_being_painted_anew(page: Page, demo: Server, query: str, scrolls: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 400})
    page.goto(f"{demo.url}?{query}")
    expect(page.get_by_text(scrolls).first).to_be_attached()
    settle(page)
    assert page.evaluate(SEEN_THROUGH) == []
