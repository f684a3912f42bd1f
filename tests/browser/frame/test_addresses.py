"""Every view is a URL: it can be pasted, reloaded, gone back to."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served, serving_page
from tests.browser.school import write_school
from tests.server.client import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("addresses") / "school"))


def expect_sample(page: Page, address: str) -> None:
    expect(page.get_by_role("article")).to_have_attribute("aria-label", f"Sample {address}")


def test_a_pasted_address_shows_the_same_view(page: Page, school: Server) -> None:
    page.goto(
        f"{school.url}?run=school&split=train&step=3&sample=7&where=reward+%3E+0.2&sort=-reward&columns=reward,metrics.correct"
    )
    expect_sample(page, "train/3/7")
    expect(page.get_by_role("combobox", name="Filter")).to_have_value("reward > 0.2")
    expect(page.get_by_role("button", name="Sort: reward, descending")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^correct:")).first).to_be_visible()


def test_back_and_forward_retrace_ones_steps(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?run=school&step=1&sample=0")
    expect_sample(page, "train/1/0")
    expect(page.get_by_role("treeitem").first).to_be_visible()
    page.keyboard.press("n")
    expect_sample(page, "train/1/1")
    page.keyboard.press("N")
    expect_sample(page, "train/2/0")
    page.get_by_role("link", name="Evals").click()
    expect_sample(page, "eval/AIME_24/4/0")
    page.go_back()
    expect_sample(page, "train/2/0")
    page.go_back()
    expect_sample(page, "train/1/1")
    page.go_back()
    expect_sample(page, "train/1/0")
    page.go_forward()
    expect_sample(page, "train/1/1")


def test_a_reload_restores_the_view(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?run=school&step=1&sample=5&raw=1&list=samples")
    expect(page.get_by_role("region", name="Raw text")).to_be_visible()
    before = page.url
    page.reload()
    expect(page.get_by_role("region", name="Raw text")).to_be_visible()
    expect(page.get_by_role("listbox", name="Samples")).to_be_visible()
    assert page.url == before


def test_tabs_are_links_that_open_elsewhere(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?run=school&step=1&sample=5")
    expect_sample(page, "train/1/5")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Discarded").click(modifiers=["Control"])
    expect(opened.value.get_by_role("article")).to_be_visible()
    expect_sample(page, "train/1/5")


def test_a_run_that_is_not_there_is_said_so_and_one_click_leads_on(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?run=gone")
    expect(page.get_by_text("There is no run “gone”")).to_be_visible()
    page.get_by_role("button", name="Open the first run").click()
    expect_sample(page, "train/4/0")


def test_a_step_that_is_not_there_is_said_so_and_one_click_leads_on(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?run=school&step=77")
    expect(page.get_by_text("There is no step 77")).to_be_visible()
    page.get_by_role("button", name="Open the newest").click()
    expect_sample(page, "train/4/0")


@pytest.mark.expects_errors(r"404 \(Not Found\).*/sample\?")
def test_a_sample_that_is_not_there_is_said_so_and_one_click_leads_on(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?run=school&step=1&sample=4711")
    expect(page.get_by_role("alert")).to_contain_text("train/1/4711")
    page.get_by_role("button", name="Open the first sample of the step").click()
    expect_sample(page, "train/1/0")


def test_the_page_works_below_a_prefix(page: Page, tmp_path_factory: pytest.TempPathFactory) -> None:
    run = write_school(tmp_path_factory.mktemp("prefix") / "school")
    with serving_page(page, run, flags=["--base-path", "/absproxy/8080"]) as server:
        page.goto(f"{server.url}?step=1")
        expect_sample(page, "train/1/0")
        assert "/absproxy/8080/" in page.url
        page.get_by_role("link", name="Metrics").click()
        expect(page.get_by_role("figure").first).to_be_visible()
        page.reload()
        expect(page.get_by_role("figure").first).to_be_visible()
