"""A click on what one sees asks for more of it; what is listed can be taken along."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import Served
from tests.browser.school import STEPS, write_school
from tests.browser.waiting import settle
from tests.server.client import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("clicking") / "school"))


def test_values_of_the_sample_become_conditions_of_the_filter(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1&sample=5")
    box = page.get_by_role("combobox", name="Filter")
    sample = page.get_by_role("article")
    sample.get_by_role("button", name="0.25").first.click()
    expect(box).to_have_value("reward = 0.25")
    expect(page.get_by_text("1 group · 1 sample")).to_be_visible()
    page.get_by_role("article").get_by_title("Filter: completion_tokens = 80").click()
    expect(box).to_have_value("reward = 0.25 and completion_tokens = 80")
    expect(page).to_have_url(re.compile("where=reward"))
    sample.get_by_role("button", name="sums", exact=True).click()
    expect(box).to_have_value('reward = 0.25 and completion_tokens = 80 and env = "sums"')


def test_a_cell_of_a_distribution_lists_its_samples(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=4&sample=0")
    chart = page.get_by_role("figure", name=re.compile("^reward, distribution"))
    canvas = chart.get_by_role("slider")
    expect(canvas).to_be_visible()
    settle(page)
    place = chart.locator(".u-over").bounding_box()
    assert place is not None
    # The lowest rewards of the second step.
    page.mouse.click(place["x"] + place["width"] * 1.5 / STEPS, place["y"] + place["height"] - 2)
    box = page.get_by_role("combobox", name="Filter")
    expect(box).to_have_value(re.compile(r"^reward >= 0 and reward < 0\.\d+$"))
    expect(page.get_by_label("Step", exact=True)).to_have_value("1")
    expect(page.get_by_text("2 groups · 3 samples")).to_be_visible()


def drag_over(page: Page, chart: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From one place of a chart to another, in shares of its width and height."""
    expect(chart.get_by_role("slider")).to_be_visible()
    settle(page)
    place = chart.locator(".u-over").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + place["width"] * start[0], place["y"] + place["height"] * start[1])
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * end[0], place["y"] + place["height"] * end[1], steps=4)
    page.mouse.up()


def test_a_stretch_brushed_on_a_curve_is_a_condition_on_steps(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=4&sample=0&where=reward > 0.3")
    drag_over(page, page.get_by_role("figure", name=re.compile("^reward, mean")), (0.2, 0.5), (0.8, 0.5))
    box = page.get_by_role("combobox", name="Filter")
    expect(box).to_have_value("reward > 0.3 and step >= 1 and step <= 3")
    expect(page).to_have_url(re.compile(r"where=reward.*step.*1.*3"))
    expect(page.get_by_role("listbox", name="Samples").get_by_role("option").first).to_contain_text(re.compile("^3"))
    # The next brush takes the place of this one; the charts show its steps until one lets go.
    page.get_by_role("button", name="Zoomed").click()
    drag_over(page, page.get_by_role("figure", name=re.compile("^reward, mean")), (0.45, 0.5), (0.8, 0.5))
    expect(box).to_have_value("reward > 0.3 and step >= 2 and step <= 3")


def test_a_box_on_a_distribution_is_a_condition_on_values_and_steps(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=4&sample=0")
    drag_over(page, page.get_by_role("figure", name=re.compile("^reward, distribution")), (0.25, 0.95), (0.75, 0.6))
    box = page.get_by_role("combobox", name="Filter")
    expect(box).to_have_value(re.compile(r"^reward >= 0\.\d+ and reward < 0\.\d+ and step >= 1 and step <= 3$"))
    # In each of the three steps one reward is 0.25.
    expect(page.get_by_role("listbox", name="Samples").get_by_role("option")).to_have_count(3)


def test_a_stretch_of_the_metrics_page_is_listed_on_rollouts(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=metrics")
    drag_over(page, page.get_by_role("figure", name="reward, mean").first, (0.2, 0.5), (0.8, 0.5))
    page.get_by_role("button", name="1–3").click()
    expect(page.get_by_role("combobox", name="Filter")).to_have_value("step >= 1 and step <= 3")


def test_the_list_is_exported_and_copied_as_a_command(page: Page, school: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{school.url}?steps=1:3&list=samples&sort=-reward&where=reward > 0.3")
    rows = page.get_by_role("listbox", name="Samples").get_by_role("option")
    expect(rows.first).to_contain_text("1.00")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as coming:
        page.get_by_role("link", name="CSV").click()
    lines = coming.value.path().read_text().splitlines()
    assert lines[0].startswith('"address"')
    assert len(lines) == 1 + 2 * 8

    page.get_by_role("button", name="Copy as").click()
    page.get_by_role("button", name="Command").click()
    expect(page.get_by_text("copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    command = [sys.executable, "-m", "rollscope", *shlex.split(copied)[1:], "--json"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.count('"address"') == 2 * 8
