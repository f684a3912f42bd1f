"""A run with two hundred sample metrics: menus are searched, and the prompt stays near."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

METRICS = 200
LONG = "a_metric_of_the_judge_with_a_name_that_no_column_has_room_for_in_the_second_rubric_7"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    directory = tmp_path_factory.mktemp("wide") / "wide"
    prompt = "Measure everything."
    with record.start(directory, {}) as run, run.iteration(0) as iteration, iteration.group(prompt=prompt) as group:
        for number in range(3):
            values = {LONG: 0.5} | {f"probe_{place:03d}": (place + number) / METRICS for place in range(METRICS)}
            group.add(response="measured", reward=float(number), metrics=values)
    return serve(directory)


def open_run(page: Page, server: Server) -> None:
    page.goto(f"{server.url}?step=0&sample=0")
    expect(page.get_by_role("article")).to_be_visible()


def test_metrics_fold_beyond_a_dozen_and_the_prompt_stays_in_view(page: Page, wide: Server) -> None:
    open_run(page, wide)
    table = page.get_by_role("table", name="Metrics")
    expect(table.get_by_role("row")).to_have_count(12)
    expect(page.get_by_text("Measure everything.").last).to_be_in_viewport()
    page.get_by_role("button", name=f"{METRICS - 11} more metrics").click()
    expect(table.get_by_role("row")).to_have_count(METRICS + 1)
    page.get_by_label("Search metrics").fill("probe_17 4")
    expect(table.get_by_role("row")).to_have_count(1)
    expect(table).to_contain_text("probe_174")


def test_metrics_whose_names_begin_alike_are_told_apart(page: Page, wide: Server) -> None:
    page.set_viewport_size({"width": 900, "height": 800})
    open_run(page, wide)
    name = page.get_by_role("table", name="Metrics").get_by_title(LONG, exact=True)
    shown = name.evaluate("name => [...name.children].at(-1).innerText")
    assert LONG.endswith(shown)
    assert name.evaluate("name => [...name.children].at(-1).scrollWidth <= [...name.children].at(-1).clientWidth")


def test_columns_are_searched(page: Page, wide: Server) -> None:
    open_run(page, wide)
    page.get_by_role("button", name="Choose columns").click()
    menu = page.get_by_role("dialog", name="Columns of dots")
    menu.get_by_label("Search columns").fill("probe_123")
    expect(menu.get_by_role("checkbox")).to_have_count(1)
    menu.get_by_text("probe_123").click()
    menu.get_by_label("Search columns").fill("")
    expect(menu.get_by_label("probe_123")).to_be_checked()
    expect(menu.get_by_label("probe_123")).to_be_in_viewport()


def test_sorts_are_searched(page: Page, wide: Server) -> None:
    open_run(page, wide)
    page.get_by_role("button", name=re.compile("^Sort: ")).click()
    menu = page.get_by_role("dialog", name="Sort")
    menu.get_by_label("Search what to sort by").fill("probe_042")
    menu.get_by_role("button", name="probe_042").click()
    expect(page.get_by_role("button", name="Sort: probe_042, ascending")).to_be_visible()
    menu.get_by_label("Search what to sort by").fill("nothing like it")
    expect(menu.get_by_text("Nothing has “nothing like it” in its name.")).to_be_visible()
