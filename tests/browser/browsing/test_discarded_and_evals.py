"""The same view over discarded samples and eval sets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.browser.school import write_school
from tests.runs import write_relax
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("pages") / "school"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    """A run that discards nothing and evaluates nothing."""
    root: Path = tmp_path_factory.mktemp("plain")
    return serve(write_relax(root))


def test_discarded_samples_carry_their_reason(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=discarded&step=4")
    groups = page.get_by_role("treeitem", level=1)
    expect(groups).to_have_count(2)
    expect(groups.first).to_contain_text("async staleness")
    expect(groups.nth(1)).to_contain_text("zero advantage")
    expect(page.get_by_role("article")).to_contain_text("discarded: async staleness")


def test_reasons_are_counted_over_the_steps_and_filter_the_list(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=discarded&step=4")
    reasons = page.get_by_role("region", name="Discard reasons")
    # 62 kept and 16 discarded samples in all: 10 stale, 6 flat.
    expect(reasons.get_by_role("button", name=re.compile("async staleness.*10.*12.8%"))).to_be_visible()
    flat = reasons.get_by_role("button", name=re.compile("zero advantage.*6.*7.7%"))
    # Both have one axis: all steps, whether the reason has samples there or not.
    expect(reasons.get_by_text("step 0", exact=True)).to_be_visible()
    expect(reasons.get_by_text("step 4", exact=True)).to_be_visible()
    expect(reasons.get_by_text("at most 2 in a step")).to_be_visible()
    stale_bars, flat_bars = (reasons.get_by_role("button").nth(nth).locator("rect") for nth in (0, 1))
    expect(stale_bars).to_have_count(5)
    expect(flat_bars).to_have_count(3)
    assert flat_bars.nth(1).get_attribute("x") == stale_bars.nth(2).get_attribute("x")
    flat.click()
    expect(page.get_by_role("treeitem", level=1)).to_have_count(1)
    expect(page.get_by_role("article")).to_contain_text("discarded: zero advantage")
    expect(page).to_have_url(re.compile("where=discard_reason"))
    flat.click()
    expect(page.get_by_role("treeitem", level=1)).to_have_count(2)


def test_percentages_are_of_all_that_was_generated_and_a_reason_leads_to_a_step_that_has_it(
    page: Page, tmp_path: Path, serve: Served
) -> None:
    with record.start(tmp_path / "run") as run:
        for step, reason in enumerate([None, "flat", "stale", None]):
            with run.iteration(step) as iteration, iteration.group(prompt="1 + 1?") as group:
                samples = [group.add(response="2", reward=1.0) for _ in range(4)]
                if reason:
                    samples[0].discard(reason)
    page.goto(f"{serve(tmp_path / 'run').url}?page=discarded")
    expect(page.get_by_label("Step", exact=True)).to_have_value("2")
    page.get_by_role("button", name=re.compile(r"flat.*1.*6\.3%")).click()
    expect(page.get_by_label("Step", exact=True)).to_have_value("1")
    expect(page.get_by_role("article")).to_contain_text("discarded: flat")


def test_only_steps_with_discarded_samples_are_offered(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=discarded&where=discard_reason+%3D+%22zero_advantage%22&step=2")
    expect(page.get_by_role("article")).to_contain_text("Thrown away in step 2.")


def test_kept_samples_are_not_among_the_discarded_nor_the_other_way(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=discarded&step=4&list=samples")
    expect(page.get_by_role("listbox", name="Samples").get_by_role("option")).to_have_count(4)
    page.goto(f"{school.url}?step=3&list=samples")
    expect(page.get_by_role("listbox", name="Samples").get_by_role("option")).to_have_count(12)


def test_the_tab_says_how_many_were_discarded(page: Page, school: Server) -> None:
    page.goto(school.url)
    expect(page.get_by_role("link", name="Discarded 16")).to_be_visible()


def test_an_eval_set_has_pass_at_k_over_its_steps(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=evals")
    summary = page.get_by_role("region", name="Eval summary")
    expect(summary).to_contain_text("eval/AIME_24")
    expect(summary).to_contain_text("2 problems · 4 completions")
    # One of two right in both problems: half for one try, certain for two.
    expect(summary).to_contain_text(re.compile(r"mean reward\s*0\.50"))
    expect(summary).to_contain_text(re.compile(r"pass@1\s*50\.0%"))
    expect(summary).to_contain_text(re.compile(r"pass@2\s*100\.0%"))
    expect(summary.get_by_text(re.compile("^Pass: verdict"))).to_be_in_viewport()
    page.get_by_role("button", name="First step").click()
    expect(summary).to_contain_text(re.compile(r"pass@2\s*0\.0%"))


def test_completions_of_one_problem_are_compared_in_its_group(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?page=evals")
    expect(page.get_by_role("treeitem", level=2)).to_have_count(2)
    page.get_by_role("button", name=re.compile("^Compare the group side by side")).click()
    completions = page.get_by_role("region", name=re.compile("^Completion "))
    expect(completions.first).to_contain_text("Try 0 at problem 0.")
    expect(completions.nth(1)).to_contain_text("Try 1 at problem 0.")
    expect(page.get_by_text("Problem 0 of the exam.").first).to_be_visible()


@pytest.mark.parametrize(("name", "words"), [("discarded", "Nothing was discarded"), ("evals", "No evals")])
def test_a_page_with_nothing_to_show_says_why(page: Page, plain: Server, name: str, words: str) -> None:
    page.goto(f"{plain.url}?page={name}")
    expect(page.get_by_text(words)).to_be_visible()


@pytest.mark.parametrize(
    ("tab", "query", "address"),
    [
        ("Discarded", "page=discarded&step=2&sample=13", "train/2/13"),
        ("Evals", "page=evals&step=0&sample=2", "eval/AIME_24/0/2"),
    ],
)
def test_a_tab_leads_back_to_the_sample_that_was_open_there(
    page: Page, school: Server, tab: str, query: str, address: str
) -> None:
    page.goto(f"{school.url}?{query}")
    sample = page.get_by_role("article", name=f"Sample {address}", exact=True)
    expect(sample).to_be_visible()
    tabs = page.get_by_role("navigation", name="Pages")
    for other in ("Metrics", "Rollouts", "Run"):
        tabs.get_by_role("link", name=other, exact=True).click()
        expect(tabs.get_by_role("link", name=other, exact=True)).to_have_attribute("aria-current", "page")
        expect(sample).to_have_count(0)
    tabs.get_by_role("link", name=re.compile(f"^{tab}")).click()
    expect(sample).to_be_visible()
