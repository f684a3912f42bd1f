"""All steps in one list: with a curve of what matches, along which one scrubs and brushes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.browser.school import STEPS, write_school
from tests.browser.waiting import settle
from tests.server.client import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("across") / "school"))


def test_all_steps_are_one_list_that_is_filtered_read_and_linked(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1&sample=5")
    page.get_by_text("All steps", exact=True).click()
    rows = page.get_by_role("listbox", name="Samples").get_by_role("option")
    expect(rows.first).to_contain_text(re.compile(rf"^{STEPS - 1}"))
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/1/5")

    box = page.get_by_role("combobox", name="Filter")
    box.fill("reward = 0.25")
    box.press("Enter")
    expect(page.get_by_role("status", name="Matching samples")).to_have_text(f"{STEPS} of {12 * STEPS + 2}")
    expect(rows).to_have_count(STEPS)
    expect(rows.nth(3)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/0/5")
    page.keyboard.press("N")
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/1/5")

    page.reload()
    expect(rows).to_have_count(STEPS)
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/1/5")
    page.get_by_text("One step", exact=True).click()
    expect(page.get_by_text("1 group · 1 sample")).to_be_visible()
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/1/5")


def test_the_curve_of_matches_opens_steps_and_is_brushed_to_a_range(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?steps=all&list=samples&where=reward %3D 0.25")
    curve = page.get_by_role("slider", name="Step, over the curve of matching samples")
    expect(curve).to_have_attribute("aria-valuetext", "step 0, 1 matching")
    settle(page)
    place = curve.bounding_box()
    assert place is not None
    at = [place["x"] + place["width"] * (step + 0.5) / STEPS for step in range(STEPS)]
    page.mouse.click(at[3], place["y"] + 20)
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/3/5")

    page.mouse.move(at[1], place["y"] + 20)
    page.mouse.down()
    page.mouse.move(at[2], place["y"] + 25, steps=3)
    page.mouse.up()
    expect(page).to_have_url(re.compile("steps=1:3"))
    expect(page.get_by_role("listbox", name="Samples").get_by_role("option")).to_have_count(2)
    expect(page.get_by_role("textbox", name="Last step")).to_have_value("2")
    last = page.get_by_role("slider", name="Last step of the range")
    last.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("listbox", name="Samples").get_by_role("option")).to_have_count(3)
    page.get_by_role("button", name="All steps again").click()
    expect(page).to_have_url(re.compile("steps=all"))


def test_groups_of_all_steps_open_and_are_walked_through(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?steps=all&sort=-spread&where=reward %3E 0")
    groups = page.get_by_role("tree", name="Groups and samples").get_by_role("treeitem", level=1)
    expect(groups).to_have_count(3 * STEPS + 1)
    expect(groups.first).to_contain_text(re.compile("step [0-4].*even"))
    groups.nth(1).click()
    expect(groups.nth(1)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("]")
    expect(groups.nth(1)).to_have_attribute("aria-selected", "true")


def test_discarded_samples_and_evals_go_over_all_steps_too(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=discarded&steps=all&list=samples")
    rows = page.get_by_role("listbox", name="Samples").get_by_role("option")
    expect(rows).to_have_count(STEPS * 2 + 3 * 2)
    page.goto(f"{school.url}?page=evals&steps=all&list=samples&sort=-reward")
    expect(rows).to_have_count(8)
    expect(rows.first).to_contain_text(re.compile(rf"^{STEPS - 1}"))


def test_a_filter_without_a_text_finds_samples_on_the_search_page(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=search")
    page.get_by_label("Only in samples that match this filter").fill('env = "calculator"')
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_text("2 samples in the whole run")).to_be_visible()
    page.get_by_role("link").filter(has_text="Let me ask the calculator").first.click()
    expect(page.get_by_role("article")).to_contain_text("17 times 24")
