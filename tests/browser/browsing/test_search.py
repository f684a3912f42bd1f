"""Search over a whole run from the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.charted import write_charted_run
from tests.browser.conftest import Served
from tests.browser.school import STEPS, write_school
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_charted_run(tmp_path_factory.mktemp("search") / "first"))


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("search") / "school"))


def search(page: Page, server: Server, query: str) -> Locator:
    page.goto(f"{server.url}?page=search&{query}")
    return page.get_by_role("region", name="Search", exact=True)


def from_step(results: Locator, step: int) -> Locator:
    return results.get_by_role("link").filter(has_text=f"train/{step}/")


def test_the_box_at_the_top_searches_the_whole_run(page: Page, runs: Server) -> None:
    page.goto(runs.url)
    box = page.get_by_role("searchbox", name="Search all rollouts")
    expect(box).to_be_visible()
    page.keyboard.press("Control+k")
    expect(box).to_be_focused()
    page.keyboard.type("answer is 17.")
    page.keyboard.press("Enter")
    results = page.get_by_role("region", name="Search", exact=True)
    expect(from_step(results, 17).filter(has_text="response").first).to_be_visible()
    expect(results.get_by_text("in the whole run")).to_be_visible()


def test_a_match_is_marked_in_its_surroundings(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=answer%20is%2017.")
    expect(results.locator("mark").first).to_have_text("answer is 17.")
    expect(results.get_by_role("link").first).to_contain_text("I counted.")


def test_a_click_opens_the_sample_with_the_match_in_view(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=answer%20is%2017.")
    first = results.get_by_role("link").first
    address = re.match(r"train/(\d+)/(\d+)", first.inner_text())
    assert address is not None
    first.click()
    expect(page).to_have_url(re.compile(rf"step={address[1]}&sample={address[2]}&find=answer\+is\+17"))
    expect(page.get_by_role("region", name="Sample text").get_by_text("The answer is 17.").first).to_be_in_viewport()


def test_going_back_finds_the_list_as_it_was(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=counted")
    expect(results.get_by_text("in the whole run")).to_be_visible()
    matches = page.get_by_role("region", name="Matches")
    matches.evaluate("element => element.scrollTop = 2000")
    from_step(results, 10).first.click()
    expect(page).to_have_url(re.compile("step=10"))
    page.go_back()
    expect(from_step(results, 10).first).to_be_in_viewport()


def test_case_matters_only_when_asked_to(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=THE%20ANSWER")
    expect(results.get_by_text("in the whole run")).to_be_visible()
    results.get_by_role("button", name="Match case").click()
    expect(results.get_by_text("Nothing matches “THE ANSWER”")).to_be_visible()
    expect(page).to_have_url(re.compile("case=1"))


@pytest.mark.expects_errors(r"400 \(Bad Request\).*/search\?q=%28unclosed")
def test_a_regular_expression_finds_and_a_broken_one_is_explained(page: Page, runs: Server) -> None:
    results = search(page, runs, r"q=answer%20is%201%5Cd%5C.&regex=1")
    expect(results.locator("mark").first).to_have_text(re.compile(r"answer is 1\d\."))
    results.get_by_label("Regular expression to find").fill("(unclosed")
    results.get_by_role("button", name="Search").click()
    expect(results.get_by_role("alert")).to_contain_text(re.compile("missing|expression|parenth", re.IGNORECASE))


def test_one_can_look_only_into_responses(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=What%20is")
    expect(results.get_by_text("in the whole run")).to_be_visible()
    results.get_by_role("button", name="All text").click()
    page.get_by_role("dialog", name="Where to look").get_by_text("Responses").click()
    expect(page).to_have_url(re.compile("in=response"))
    expect(results.get_by_text("Nothing matches “What is”")).to_be_visible()


def test_a_filter_narrows_which_samples_are_searched(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=counted")
    results.get_by_label("Only in samples that match this filter").fill("step = 5 and reward = 1")
    results.get_by_role("button", name="Search").click()
    expect(results.get_by_role("link").first).to_have_text(re.compile("^train/5/"))
    expect(from_step(results, 6)).to_have_count(0)
    expect(page).to_have_url(re.compile("where="))
    results.get_by_role("button", name="Clear the filter").click()
    expect(page).not_to_have_url(re.compile("where="))
    expect(page).to_have_url(re.compile("q=counted"))
    expect(results.get_by_label("Only in samples that match this filter")).to_have_value("")


@pytest.mark.expects_errors(r"400 \(Bad Request\).*/search\?.*where=rewrad")
def test_a_wrong_filter_is_explained(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=counted&where=rewrad%20%3C%201")
    expect(results.get_by_role("alert")).to_contain_text("rewrad")
    expect(results.get_by_role("alert")).to_contain_text("reward")


def test_nothing_found_is_said(page: Page, runs: Server) -> None:
    results = search(page, runs, "q=zebra")
    expect(results.get_by_text("Nothing matches “zebra”")).to_be_visible()


def test_hits_say_their_reward_and_lead_to_the_next_sample_that_has_one(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=search&q=Answer 1 to the hard")
    expect(page.get_by_text(f"{STEPS} samples in the whole run")).to_be_visible()
    expect(page.get_by_role("slider", name=f"Samples with a hit per step, from step 0 to {STEPS - 1}")).to_be_visible()
    first = page.get_by_role("link").filter(has_text="train/0/5")
    expect(first).to_contain_text(re.compile(r"response\s*sums\s*reward 0\.25"))
    first.click()
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/0/5")
    page.keyboard.press(">")
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/1/5")
    page.keyboard.press("<")
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/0/5")


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    """More hits than a list of them holds."""
    directory = tmp_path_factory.mktemp("search") / "long"
    with record.start(directory, {}) as run:
        for step in range(12):
            with run.iteration(step) as iteration, iteration.group(prompt="Speak.") as group:
                for _ in range(90 + step):
                    group.add(response="the word", reward=1.0)
    return serve(directory)


def test_the_curve_counts_hits_that_the_list_does_not_hold(page: Page, long_run: Server) -> None:
    samples = sum(90 + step for step in range(12))
    results = search(page, long_run, "q=word")
    expect(results.get_by_text(f"the first 1,000 samples of {samples:,} samples")).to_be_visible()
    curve = results.get_by_role("slider", name="Samples with a hit per step, from step 0 to 11")
    curve.press("End")
    expect(curve).to_have_attribute("aria-valuetext", "step 11, 101 samples")
    curve.press("Enter")
    expect(results.get_by_label("Only in samples that match this filter")).to_have_value("step = 11")
    expect(results.get_by_text("101 samples in the whole run")).to_be_visible()


def test_a_brush_over_the_hits_writes_its_steps_into_the_filter(page: Page, long_run: Server) -> None:
    results = search(page, long_run, "q=word")
    curve = results.get_by_role("slider", name="Samples with a hit per step, from step 0 to 11")
    expect(results.get_by_text("of 1,146 samples")).to_be_visible()
    box = curve.bounding_box()
    assert box is not None
    bar = box["width"] / 12
    page.mouse.move(box["x"] + 2.5 * bar, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 4.5 * bar, box["y"] + 10, steps=4)
    expect(results.get_by_text("steps 2 to 4")).to_be_visible()
    page.mouse.up()
    expect(results.get_by_label("Only in samples that match this filter")).to_have_value("step >= 2 and step <= 4")
    expect(results.get_by_text("279 samples in the whole run")).to_be_visible()
