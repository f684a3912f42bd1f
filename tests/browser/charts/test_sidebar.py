"""The metrics sidebar beside the samples: charts of one's own, in one's own order, that lead to steps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.charted import SPIKES, write_charted_run
from tests.browser.conftest import Served
from tests.browser.waiting import eventually_equal, settle
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    root = tmp_path_factory.mktemp("sidebar")
    write_charted_run(root / "first")
    write_charted_run(root / "second", learning_rate=5e-7, steps=25)
    return serve(root)


def open_sidebar(page: Page, server: Server, query: str = "run=first&step=12") -> Locator:
    page.goto(f"{server.url}?{query}")
    sidebar = page.get_by_role("region", name="Metrics sidebar")
    expect(sidebar.get_by_role("figure").first).to_be_visible()
    return sidebar


def names(sidebar: Locator) -> list[str | None]:
    return [figure.get_attribute("aria-label") for figure in sidebar.get_by_role("figure").all()]


def add_chart(page: Page, sidebar: Locator, name: str) -> None:
    sidebar.get_by_role("button", name=re.compile(r"^Charts \d+")).click()
    picker = page.get_by_role("dialog", name="Charts of the sidebar")
    picker.get_by_label("Search the catalog").fill(name)
    picker.get_by_title(name, exact=True).click()
    page.keyboard.press("Escape")


def menu_of(page: Page, figure: Locator) -> Locator:
    figure.scroll_into_view_if_needed()
    figure.get_by_role("button", name=re.compile("^Settings of")).click()
    return page.get_by_role("dialog", name=re.compile("^Settings of"))


def test_it_opens_with_what_one_looks_at_first(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    eventually_equal(page, lambda: names(sidebar)[:3], ["reward, mean", "reward, distribution over steps", "entropy"])
    expect(sidebar.get_by_role("slider", name="reward, mean")).to_have_attribute("aria-valuenow", "12")


def test_a_click_on_a_chart_opens_that_step(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    plot = sidebar.get_by_role("figure", name="entropy").locator(".u-over")
    settle(page)
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] - 1, "y": 30})
    expect(page).to_have_url(re.compile(r"step=39\b"))
    expect(sidebar.get_by_role("slider", name="reward, mean")).to_have_attribute("aria-valuenow", "39")


def test_the_line_follows_the_step_one_reads(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    slider = sidebar.get_by_role("slider", name="reward, mean")
    expect(slider).to_have_attribute("aria-valuenow", "12")
    page.keyboard.press("N")
    expect(slider).to_have_attribute("aria-valuenow", "13")


def test_the_same_plot_is_there_twice_each_with_its_own_settings(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    add_chart(page, sidebar, "optim/grad_norm")
    twice = sidebar.get_by_role("figure", name="optim/grad_norm")
    expect(twice).to_have_count(2)
    menu_of(page, twice.nth(1)).get_by_text("Ignore outliers").click()
    page.keyboard.press("Escape")
    hidden = f"{len(SPIKES)} outliers hidden"
    expect(twice.nth(1).get_by_text(hidden)).to_be_visible()
    expect(twice.nth(0).get_by_text(hidden)).to_have_count(0)


def test_charts_reorder_by_their_handle_and_take_their_settings_along(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    first = sidebar.get_by_role("figure").first
    menu_of(page, first).get_by_text("Ignore first step").click()
    page.keyboard.press("Escape")
    first.hover()
    settle(page)
    handle = sidebar.get_by_role("button", name="Move rollouts/reward/mean").bounding_box()
    below = sidebar.get_by_role("figure").nth(2).bounding_box()
    assert handle is not None
    assert below is not None
    page.mouse.move(handle["x"] + 5, handle["y"] + 8)
    page.mouse.down()
    page.mouse.move(handle["x"] + 5, handle["y"] + 40, steps=4)
    page.mouse.move(handle["x"] + 5, below["y"] + below["height"] - 10, steps=12)
    page.mouse.up()
    expect(sidebar.get_by_role("figure").first).not_to_have_attribute("aria-label", "reward, mean")
    settle(page)
    moved = names(sidebar)
    page.reload()
    # Charts have their short names once the catalog has come.
    expect(sidebar.get_by_role("button", name="Settings of reward, mean, 1 changed")).to_be_visible()
    eventually_equal(page, lambda: names(sidebar), moved)


def test_the_handle_appears_on_hover(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    handle = sidebar.get_by_role("button", name="Move rollouts/reward/mean")
    expect(handle).to_have_css("opacity", "0")
    sidebar.get_by_role("figure").first.hover()
    expect(handle).to_have_css("opacity", "1")


def test_the_keyboard_reorders_and_says_so(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    before = names(sidebar)
    sidebar.get_by_role("button", name="Move rollouts/reward/mean").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text(re.compile(r"Lifted rollouts/reward/mean, 1 of \d"))).to_be_attached()
    settle(page)  # The lifted chart takes keys from the next turn of the event loop on.
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("is over place 2 of")).to_be_attached()
    page.keyboard.press("Space")
    expect(sidebar.get_by_role("figure").nth(1)).to_have_attribute("aria-label", "reward, mean")
    assert sorted(map(str, names(sidebar))) == sorted(map(str, before))
    # The arrow moved the chart, not the sample.
    expect(page).to_have_url(re.compile(r"step=12\b"))


def test_a_chart_is_duplicated_moved_and_removed_from_its_menu(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    count = len(names(sidebar))
    menu_of(page, sidebar.get_by_role("figure").first).get_by_role("button", name="Duplicate").click()
    assert names(sidebar)[:2] == ["reward, mean", "reward, mean"]
    menu_of(page, sidebar.get_by_role("figure").first).get_by_role("button", name="Move down").click()
    menu_of(page, sidebar.get_by_role("figure").first).get_by_role("button", name="Remove").click()
    expect(sidebar.get_by_role("figure")).to_have_count(count)


def test_a_manual_range_survives_a_reload(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs)
    menu = menu_of(page, sidebar.get_by_role("figure", name="entropy"))
    menu.get_by_label("Y minimum").fill("0.5")
    menu.get_by_label("Y maximum").fill("2.5")
    page.reload()
    menu = menu_of(page, sidebar.get_by_role("figure", name="entropy"))
    expect(menu.get_by_label("Y minimum")).to_have_value("0.5")
    expect(menu.get_by_label("Y maximum")).to_have_value("2.5")


def test_it_smooths_and_overlays_as_the_metrics_page_does(page: Page, runs: Server) -> None:
    sidebar = open_sidebar(page, runs, "run=first&compare=second&step=20&ema=off")
    add_chart(page, sidebar, "optim/lr")
    slider = sidebar.get_by_role("slider", name="optim/lr")
    slider.scroll_into_view_if_needed()
    expect(slider).to_have_attribute("aria-valuetext", "step 20: first 4.00e−5, second 5.00e−7")
    sidebar.get_by_role("button", name="EMA off").click()
    page.get_by_text("Smooth the lines").click()
    expect(sidebar.get_by_role("button", name="EMA 10")).to_be_visible()
    page.get_by_role("navigation", name="Pages").get_by_text("Metrics").click()
    expect(page.get_by_role("button", name="EMA 10")).to_be_visible()


def test_a_chart_added_on_the_metrics_page_is_in_the_sidebar(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?page=metrics&run=first")
    page.get_by_label("Search metrics").fill("loss")
    menu_of(page, page.get_by_role("figure", name="loss")).get_by_role("button", name="Add to the sidebar").click()
    sidebar = open_sidebar(page, runs)
    assert names(sidebar)[-1] == "loss"


def test_new_steps_appear_on_the_charts_while_training_writes(page: Page, tmp_path: Path, serve: Served) -> None:
    directory = write_charted_run(tmp_path / "live", steps=5)
    server = serve(directory)
    sidebar = open_sidebar(page, server, "run=live&step=latest")
    slider = sidebar.get_by_role("slider", name="reward, mean")
    expect(slider).to_have_attribute("aria-valuemax", "4")
    with record.start(directory, code_dir=tmp_path) as run, run.iteration(5) as iteration:
        iteration.add(prompt="What is 2 + 2?", response="4", reward=1.0)
        iteration.log_metrics({"entropy": 1.5})
    expect(slider).to_have_attribute("aria-valuemax", "5")
    # Following the latest step, the line moves with it.
    expect(slider).to_have_attribute("aria-valuenow", "5")
