"""The key table of the page: every key does what the help says."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.browser.school import write_school
from tests.browser.waiting import eventually, eventually_equal, settle
from tests.server.client import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("keys") / "school"))


def open_at(page: Page, server: Server, query: str) -> None:
    page.goto(f"{server.url}?{query}")
    expect(page.get_by_role("article")).to_be_visible()
    expect(page.get_by_role("treeitem").first).to_be_visible()


def expect_sample(page: Page, address: str) -> None:
    expect(page.get_by_role("article")).to_have_attribute("aria-label", f"Sample {address}")


@pytest.mark.parametrize(
    ("key", "start", "address"),
    [
        ("n", "step=1&sample=0", "train/1/1"),
        ("ArrowRight", "step=1&sample=3", "train/1/4"),
        ("p", "step=1&sample=4", "train/1/3"),
        ("ArrowLeft", "step=1&sample=1", "train/1/0"),
        ("]", "step=1&sample=1", "train/1/4"),
        ("[", "step=1&sample=9", "train/1/4"),
        ("N", "step=1&sample=5", "train/2/0"),
        ("P", "step=1&sample=5", "train/0/0"),
    ],
)
def test_moving(page: Page, school: Server, key: str, start: str, address: str) -> None:
    open_at(page, school, start)
    page.keyboard.press(key)
    expect_sample(page, address)


def test_the_ends_hold(page: Page, school: Server) -> None:
    open_at(page, school, "step=0&sample=0")
    page.keyboard.press("p")
    page.keyboard.press("P")
    page.keyboard.press("[")
    expect_sample(page, "train/0/0")
    expect(page.get_by_role("button", name=re.compile("^Previous sample")).first).to_be_disabled()


def test_buttons_and_the_small_navigator_do_the_same(page: Page, school: Server) -> None:
    open_at(page, school, "step=1&sample=0")
    page.get_by_role("button", name=re.compile("^Next sample")).first.click()
    expect_sample(page, "train/1/1")
    navigator = page.get_by_role("navigation", name="Samples")
    expect(navigator).to_contain_text("2 / 4")
    navigator.get_by_role("button", name=re.compile("next sample$")).click()
    expect_sample(page, "train/1/2")
    navigator.get_by_role("button", name=re.compile("previous sample$")).click()
    expect_sample(page, "train/1/1")


def test_j_and_k_go_from_turn_to_turn(page: Page, school: Server) -> None:
    page.set_viewport_size({"width": 1400, "height": 520})
    open_at(page, school, "step=4&sample=16")
    body = page.get_by_role("region", name="Sample text")
    settle(page)

    def top_after(key: str, moved: Callable[[float], bool]) -> float:
        page.keyboard.press(key)
        top: float = eventually(page, lambda: body.evaluate("body => body.scrollTop"), moved)
        assert moved(top)
        return top

    first = top_after("j", lambda top: top > 0)
    second = top_after("j", lambda top: top > first)
    top_after("k", lambda top: top < second)
    top_after("k", lambda top: top == 0)


def test_g_and_shift_g_go_to_both_ends(page: Page, school: Server) -> None:
    page.set_viewport_size({"width": 1400, "height": 520})
    open_at(page, school, "step=4&sample=16")
    body = page.get_by_role("region", name="Sample text")
    page.keyboard.press("G")
    at_end = "body => body.scrollTop + body.clientHeight >= body.scrollHeight - 2"
    eventually_equal(page, lambda: body.evaluate(at_end), True)
    page.keyboard.press("g")
    eventually_equal(page, lambda: body.evaluate("body => body.scrollTop"), 0)


@pytest.mark.parametrize("key", ["/", "f"])
def test_find_opens_and_escape_clears_it(page: Page, school: Server, key: str) -> None:
    open_at(page, school, "step=1&sample=0")
    page.keyboard.press(key)
    box = page.get_by_label("Find in the sample")
    expect(box).to_be_focused()
    page.keyboard.type("easy")
    expect(page).to_have_url(re.compile("find=easy"))
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)


@pytest.mark.parametrize(("button", "menu"), [("Sort:", "Sort"), ("Render", "Render"), ("Choose columns", "Columns")])
def test_escape_closes_a_menu(page: Page, school: Server, button: str, menu: str) -> None:
    open_at(page, school, "step=1&sample=0")
    page.get_by_role("button", name=re.compile(f"^{button}")).click()
    opened = page.get_by_role("dialog", name=menu)
    expect(opened).to_be_visible()
    page.keyboard.press("Escape")
    expect(opened).to_be_hidden()


def test_letters_typed_into_a_box_are_text(page: Page, school: Server) -> None:
    open_at(page, school, "step=1&sample=0")
    page.keyboard.press("i")
    box = page.get_by_role("combobox", name="Filter")
    expect(box).to_be_focused()
    page.keyboard.type("nNpP?")
    expect(box).to_have_value("nNpP?")
    expect_sample(page, "train/1/0")
    expect(page.get_by_role("dialog", name="Keys")).to_have_count(0)


def test_the_help_names_every_key(page: Page, school: Server) -> None:
    open_at(page, school, "step=1&sample=0")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    for key in ["n", "p", "N", "P", "j", "k", "[", "]", "/", "?", "→", "←"]:
        # Some mean something else on Insights, and stand there again.
        expect(keys.locator("kbd", has_text=re.compile(f"^{re.escape(key)}$")).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)


def test_keys_for_raw_text_folds_and_panes(page: Page, school: Server) -> None:
    open_at(page, school, "step=1&sample=0")
    page.keyboard.press("s")
    expect(page.get_by_role("region", name="Raw text")).to_be_visible()
    page.keyboard.press("s")
    page.keyboard.press("e")
    expect(page.get_by_role("button", name=re.compile("^User"))).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("b")
    expect(page.get_by_role("tree")).to_have_count(0)
    page.keyboard.press("m")
    expect(page.get_by_role("button", name=re.compile("^Show the metrics"))).to_be_visible()


def test_keys_for_all_steps_the_tree_and_the_scatter(page: Page, school: Server) -> None:
    open_at(page, school, "step=1&sample=0")
    page.keyboard.press("a")
    expect(page).to_have_url(re.compile("steps=all"))
    page.keyboard.press("a")
    expect(page).not_to_have_url(re.compile("steps="))
    page.keyboard.press("t")
    expect(page.get_by_role("region", name="Group as a tree")).to_contain_text("Step 1")
    expect_sample(page, "train/1/0")
    page.keyboard.press("t")
    expect(page.get_by_role("treeitem").first).to_be_visible()
    page.keyboard.press("v")
    expect(page).to_have_url(re.compile("tab=scatter"))
    tabs = page.get_by_role("navigation", name="Insights")
    expect(tabs).to_be_visible()
    page.keyboard.press("2")
    expect(tabs.get_by_role("link", name="Contrast", exact=True)).to_have_attribute("aria-current", "page")
    page.keyboard.press("7")
    expect(tabs.get_by_role("link", name="Diff", exact=True)).to_have_attribute("aria-current", "page")


def test_control_k_leads_to_the_search_over_the_run(page: Page, school: Server) -> None:
    open_at(page, school, "step=1&sample=0")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("searchbox", name="Search all rollouts")).to_be_focused()
    page.keyboard.type("hard sum of step 3")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"page=search.*q=hard"))
