"""Two fields of the samples against each other: points open samples, a box becomes a filter."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.browser.school import write_school
from tests.browser.waiting import settle
from tests.fixtures import write_jsonl
from tests.runs import relax_record
from tests.server.client import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("scatter") / "school"))


def test_a_box_around_points_becomes_the_filter_and_a_point_opens_its_sample(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?steps=1:4&where=reward < 2")
    page.get_by_role("link", name="Scatter").click()
    expect(page.get_by_role("status").filter(has_text="points drawn")).to_have_text(
        "36 points drawn · 36 samples in the list"
    )
    expect(page).to_have_url(re.compile("tab=scatter"))
    plot = page.get_by_role("slider", name="Points: reward by completion tokens")
    settle(page)
    place = plot.bounding_box()
    assert place is not None
    # Rewards from 0 to 1 and lengths from 60 to 240: the lower left quarter holds the short ones that were paid little.
    page.mouse.move(place["x"] + 2, place["y"] + place["height"] - 2)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * 0.4, place["y"] + place["height"] * 0.6, steps=4)
    page.mouse.up()
    box = page.get_by_role("textbox", name="Filter")
    written = r"^completion_tokens >= 5\d and completion_tokens <= 1\d\d and reward >= -0\.0\d+ and reward <= 0\.\d+$"
    expect(box).to_have_value(re.compile(written))
    # Of each step: "hard" has 0 at 120 and 0.25 at 80 tokens, "even" has 0 at 80 and at 60.
    expect(page.get_by_role("status").filter(has_text="points drawn")).to_contain_text("12 points drawn")
    assert parse_qs(urlsplit(page.url).query)["where"] == [box.input_value()]

    page.reload()
    expect(box).to_have_value(re.compile(written))
    plot.focus()
    page.keyboard.press("Home")
    expect(plot).to_have_attribute(
        "aria-valuetext", re.compile(r"^train/1/11 · sums · .* 60 · reward 0 · and 2 more here$")
    )
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile("^train/1/11 · Rollouts"))


def test_an_integer_that_no_number_of_the_page_holds_is_told_as_it_is(
    page: Page, tmp_path: Path, serve: Served
) -> None:
    records = [{**relax_record(0, n, reward=n / 8), "response_length": 2**53 + 1 + 2 * n} for n in range(4)]
    write_jsonl(tmp_path / "exact" / "train" / "0.jsonl", records)
    page.goto(f"{serve(tmp_path / 'exact').url}?page=insights&tab=scatter&x=completion_tokens")
    plot = page.get_by_role("slider", name="Points: reward by completion tokens")
    settle(page)
    plot.focus()
    page.keyboard.press("Home")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(" 9007199254740993 · reward 0$"))
    page.keyboard.press("ArrowRight")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(" 9007199254740995 · "))


def test_other_fields_are_chosen_and_what_has_no_value_is_counted(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=insights&tab=scatter")
    says = page.get_by_role("status").filter(has_text="drawn")
    expect(says).to_contain_text("62 points drawn")
    page.get_by_role("button", name=re.compile("^Upward")).click()
    page.get_by_role("dialog", name="Upward").get_by_role("button", name="correct", exact=True).click()
    expect(says).to_have_text("60 points drawn · 62 samples in the list · 2 without correct")
    expect(page).to_have_url(re.compile("y=metrics.correct"))
    page.go_back()
    page.get_by_role("list", name="Environments").get_by_role("button", name="calculator").click()
    expect(says).to_contain_text("2 points drawn")
    plot = page.get_by_role("slider", name=re.compile("^Points"))
    settle(page)
    place = plot.bounding_box()
    assert place is not None
    # Two points: the longer one was paid, and lies in the upper right corner.
    page.mouse.click(place["x"] + place["width"] * (1.04 / 1.08), place["y"] + place["height"] * (0.04 / 1.08))
    expect(page).to_have_title(re.compile("^train/4/16 · Rollouts"))


def test_points_are_walked_through_and_a_box_is_marked_by_keys(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=insights&tab=scatter&steps=1:4")
    plot = page.get_by_role("slider", name="Points: reward by completion tokens")
    settle(page)
    plot.focus()
    page.keyboard.press("Home")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(" 60 · reward 0 "))
    page.keyboard.press("ArrowRight")
    there = plot.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft")
    expect(plot).not_to_have_attribute("aria-valuetext", there or "")
    page.keyboard.press("Space")
    page.keyboard.press("End")
    page.keyboard.press("Space")
    # From the shortest to the longest answer.
    expect(page.get_by_role("textbox", name="Filter")).to_have_value(
        re.compile("^completion_tokens >= 60 and completion_tokens <= 240 and reward >= ")
    )


def test_a_scatter_is_copied_as_the_list_of_its_samples(page: Page, school: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{school.url}?page=insights&tab=scatter&steps=1:4&where=reward > 0.3")
    settle(page)
    page.get_by_role("button", name=re.compile("^Copy as")).first.click()
    expect(page.get_by_text("copied").first).to_be_visible()
    copied = str(page.evaluate("navigator.clipboard.readText()"))
    assert copied.startswith("rollscope samples ")
    assert "reward > 0.3" in copied
    assert "1:4" in copied
