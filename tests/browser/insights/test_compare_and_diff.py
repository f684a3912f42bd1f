"""One run against another, prompt by prompt, and two samples word by word: what is drawn, filtered and walked through."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import Served
from tests.browser.waiting import eventually_equal
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

#: Of eight samples of each prompt, how many are right in the first and in the second run.
RIGHT = {
    "fixed one": (0, 8),
    "fixed two": (0, 8),
    "broken": (8, 0),
    "known": (8, 8),
    "too hard": (0, 0),
    "even": (3, 5),
}
SHARED = "We count on from the larger number, one step for each unit of the smaller one, and say where we end. "
OWN = ("Then I look again, to be safe. ", "Nothing is left to do after that. ")


def write_run(path: Path, side: int) -> Path:
    run = record.start(path, {"learning_rate": (1e-5, 2e-5)[side], "seed": 1})
    run.declare_range(reward=(0.0, 1.0))
    for step in range(3):
        with run.iteration(step) as iteration:
            for prompt, right in RIGHT.items():
                with iteration.group(prompt=f"The {prompt} sum?", golden_answers="4") as group:
                    for place in range(8):
                        answer = 4 if place < right[side] else 5
                        group.add(
                            response=f"{SHARED}{OWN[side]}{SHARED}It is \\boxed{{{answer}}}.",
                            reward=float(answer == 4),
                            completion_tokens=50 + place,
                        )
    run.close()
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    folder = tmp_path_factory.mktemp("compared")
    return serve(write_run(folder / "first", 0), write_run(folder / "second", 1))


def prompts_of(page: Page) -> Locator:
    return page.get_by_role("table", name="Prompts").locator("tbody").get_by_role("row")


def test_two_runs_are_compared_prompt_by_prompt(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights")
    page.get_by_role("link", name="Compare runs").click()  # the only other run needs no choosing
    expect(prompts_of(page)).to_have_count(6)
    expect(page.get_by_text("paired permutation test", exact=True)).to_be_visible()
    # Whether zero lies in the interval is drawn.
    expect(
        page.get_by_role("img", name=re.compile(r"difference \+0\.\d+, 95% interval .* on both sides of zero"))
    ).to_be_visible()
    fixed = prompts_of(page).filter(has_text="The fixed one sum?")
    expect(fixed.get_by_role("cell").nth(1)).to_have_text("4")  # the golden answer
    expect(fixed.get_by_text("fixed", exact=True)).to_be_attached()
    red, green = (fixed.get_by_role("cell").nth(cell).locator("i") for cell in (2, 7))
    expect(red).to_have_count(16)  # of 24
    expect(green).to_have_count(16)
    colours = {dots.first.evaluate("dot => getComputedStyle(dot).backgroundColor") for dots in (red, green)}
    assert len(colours) == 2
    # From worse to better: the order of two runs' samples has no relation.
    mixed = prompts_of(page).filter(has_text="The even sum?").get_by_role("cell").nth(2).locator("i")
    drawn = mixed.evaluate_all("dots => dots.map((dot) => getComputedStyle(dot).backgroundColor)")
    assert drawn == sorted(drawn, key=drawn.index)
    assert len(set(drawn)) == 2
    differs = page.get_by_role("region", name="Config differences").get_by_role("row")
    expect(differs.filter(has_text="learning_rate")).to_be_visible()
    expect(differs).to_have_count(2)  # the heading, and nothing about when or by which name they were recorded


def test_a_class_of_the_bar_lists_only_its_prompts_and_the_address_keeps_it(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=compare")
    bar = page.get_by_role("list", name="Classes of prompts")
    expect(bar.get_by_role("button")).to_have_text(["broken 1", "neither 1", "mixed 1", "both 1", "fixed 2"])
    bar.get_by_role("button", name="fixed").click()
    expect(prompts_of(page)).to_have_count(2)
    page.reload()
    expect(prompts_of(page)).to_have_count(2)
    bar.get_by_role("button", name="fixed").click()
    expect(prompts_of(page)).to_have_count(6)


def test_x_swaps_the_runs_and_n_and_enter_open_a_prompt_as_a_diff(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=compare")
    expect(prompts_of(page)).to_have_count(6)
    page.keyboard.press("x")
    expect(page).to_have_url(re.compile("run=second.*against=first|against=first.*run=second"))
    bar = page.get_by_role("list", name="Classes of prompts")
    expect(bar.get_by_role("button", name="broken")).to_have_text("broken 2")
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(prompts_of(page).nth(1).get_by_role("link")).to_be_focused()
    page.keyboard.press("p")
    expect(prompts_of(page).first.get_by_role("link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("tab=diff"))
    expect(page.get_by_text("words are the same")).to_be_visible()


def test_a_diff_says_what_both_answered_and_what_that_was_worth(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=diff&a=train/0/0&b=train/0/0&against=second")
    diff = page.get_by_role("region", name="Diff")
    expect(diff.get_by_text("words are the same")).to_be_visible()
    for name, answer, golden, worth in (
        ("first", "5", "not the golden answer", "0.00"),
        ("second", "4", "the golden answer", "1.00"),
    ):
        head = diff.locator("div:has(> p):has(> dl)").filter(has_text=name)
        expect(head).to_contain_text(f"answered {answer}")
        expect(head.get_by_text(golden, exact=True)).to_be_attached()
        expect(head.locator("dl")).to_contain_text(f"reward{worth}")
        expect(head.locator("dl")).to_contain_text("tokens50")


def test_differences_are_walked_by_key_and_the_strip_of_the_whole_leads_to_one(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=diff&a=train/0/0&b=train/0/0&against=second")
    diff = page.get_by_role("region", name="Diff")
    expect(diff.get_by_text("words are the same")).to_be_visible()
    page.keyboard.press(".")
    expect(page.locator("del:focus, ins:focus")).to_have_text(re.compile("Then I look again"))
    page.keyboard.press(".")
    expect(page.locator("del:focus, ins:focus")).to_have_text(re.compile("boxed"))
    page.keyboard.press(",")
    expect(page.locator("del:focus, ins:focus")).to_have_text(re.compile("Then I look again"))
    diff.get_by_title("differs").last.click()
    expect(page.locator("del:focus, ins:focus")).to_have_text(re.compile("boxed"))
    page.keyboard.press("x")
    expect(page).to_have_url(re.compile("run=second"))
    expect(diff.locator("del").first).to_have_text(re.compile("Nothing is left"))


def test_where_blue_and_orange_are_rewards_a_and_b_have_other_colours(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=diff&a=train/0/0&b=train/0/0&against=second")
    marked = page.get_by_role("region", name="Diff").locator("del, ins")
    expect(marked.first).to_be_visible()
    read = "all => [...new Set(all.map((each) => getComputedStyle(each).backgroundColor))]"
    before = marked.evaluate_all(read)
    page.get_by_role("button", name="Appearance and help").click()
    page.get_by_role("button", name=re.compile("^Colour-blind safe")).click()
    eventually_equal(page, lambda: len({*before, *marked.evaluate_all(read)}), 4)


@pytest.mark.expects_errors("500")
def test_curves_that_could_not_be_read_are_not_said_to_be_missing(page: Page, runs: Server) -> None:
    page.route("**/catalog*", lambda route: route.fulfill(status=500, json={"title": "Broken"}))
    page.goto(f"{runs.url}?run=first&page=insights&tab=compare")
    expect(prompts_of(page)).to_have_count(6)
    expect(page.get_by_role("figure").first).to_contain_text("could not be read")
    expect(page.get_by_text("neither run has it")).to_have_count(0)
