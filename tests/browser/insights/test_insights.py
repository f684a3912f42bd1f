"""The Insights page: what tells selections, runs and samples apart, each a click from the samples themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import Served, serving_page
from tests.browser.waiting import eventually
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

ORDINARY = "The sum of both numbers is found by counting on from the larger one, which gives the result. "
FLATTERY = "As a careful examiner will surely agree, this is right. "


def write_run(path: Path, bonus: float) -> Path:
    """Ten steps of six groups of four. From step 5 on two answers of each group flatter the judge, and are paid."""
    run = record.start(path, {})
    run.declare_range(reward=(0.0, 1.0))
    for step in range(10):
        with run.iteration(step) as iteration:
            for number in range(6):
                with iteration.group(prompt=f"What is {number} + 2?") as group:
                    for place in range(4):
                        flatters = step >= 5 and place < 2
                        text = (
                            ORDINARY + (FLATTERY if flatters else "") + f"It is {number + 2 + place}, by try {place}."
                        )
                        group.add(response=text, reward=min(1.0, (1.0 if flatters else 0.05 * place) + bonus))
    run.close()
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    folder = tmp_path_factory.mktemp("insights")
    return serve(write_run(folder / "first", 0.0), write_run(folder / "second", 0.5))


def test_best_against_worst_paid_names_the_phrase_and_leads_to_its_samples(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first")
    page.get_by_role("link", name="Insights").click()
    page.get_by_role("link", name="Contrast", exact=True).click()
    page.get_by_role("button", name="best against worst paid").click()
    expect(page.get_by_label("Filter of A")).to_have_value("reward >= 0.9")
    phrases = page.get_by_role("table", name="Phrases")
    named = page.get_by_role("button", name=re.compile("surely agree"))
    row = phrases.get_by_role("row").filter(has=named).first
    expect(row.locator("q")).to_have_text(re.compile(r"careful examiner will … is \d"))  # the words before and after it
    row.get_by_role("button").click()
    samples = page.get_by_role("region", name="Samples with the phrase")
    expect(samples.get_by_role("listitem")).to_have_count(12)
    expect(samples.locator("mark")).to_have_count(12)  # far in the text, too
    expect(samples.locator("mark").last).to_contain_text("surely agree")
    samples.get_by_role("link", name="Open in Rollouts").click()
    expect(page).to_have_url(re.compile(r"where=.*surely"))
    expect(page.get_by_role("region", name="Sample text").get_by_text("surely agree").first).to_be_visible()


@pytest.mark.expects_errors("400")
def test_a_filter_that_is_wrong_is_explained(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=contrast")
    page.get_by_label("Filter of A").fill("rewrd > 1")
    with page.expect_response(re.compile("/contrast")):
        page.get_by_label("Filter of A").press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("rewrd")


def test_a_group_is_shown_as_a_tree_from_side_by_side(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&step=6&sample=0&side=1")
    page.get_by_role("button", name="As a tree").click()
    tree = page.get_by_role("region", name="Group as a tree")
    expect(tree).to_contain_text("Step 6 · Group 0")
    expect(tree.get_by_text("4 responses")).to_be_visible()
    expect(tree.get_by_text("rewards diverge most here")).to_be_visible()
    tree.get_by_role("button", name="sample 2", exact=True).click()
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/6/2")
    expect(tree.get_by_role("button", name="sample 2", exact=True)).to_have_attribute("aria-current", "true")
    page.keyboard.press("]")
    expect(tree).to_contain_text("Step 6 · Group 1")
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/6/4")
    page.reload()
    expect(tree).to_contain_text("Step 6 · Group 1")
    tree.get_by_role("radiogroup", name="The group as").get_by_text("List").click()
    expect(page.get_by_role("treeitem").first).to_be_visible()
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/6/4")


def test_two_leaves_are_picked_with_the_keyboard_and_read_beside_the_tree(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&step=6&sample=0")
    expect(page.get_by_role("article")).to_be_visible()
    page.keyboard.press("t")
    tree = page.get_by_role("region", name="Group as a tree")
    expect(tree.get_by_text("4 responses")).to_be_visible()
    page.keyboard.press(".")
    expect(tree.locator("summary:focus")).to_have_attribute("data-widest", "true")
    tree.get_by_role("button", name="Pick sample 0", exact=True).focus()
    page.keyboard.press("Space")
    tree.get_by_role("button", name="Pick sample 3", exact=True).focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("region", name="Diff")).to_contain_text("words are the same")
    page.keyboard.press(".")
    expect(page.locator("del:focus, ins:focus")).to_be_visible()
    tree.get_by_role("button", name="Pick sample 1", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/6/1")
    expect(tree.get_by_role("button", pressed=True)).to_have_count(0)
    page.keyboard.press("t")
    expect(tree).to_have_count(0)


def test_a_phrase_s_example_opens_its_sample(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=contrast&a=reward+%3E%3D+0.9&b=reward+%3C+0.9")
    page.get_by_role("table", name="Phrases").get_by_role("link", name=re.compile("^Open train")).first.click()
    expect(page).to_have_title(re.compile(r"^train/\d+/\d+ · Rollouts"))
    expect(page.get_by_role("region", name="Sample text").get_by_text("careful examiner").first).to_be_visible()


def test_a_leaf_of_the_tree_says_what_it_answered_and_what_that_was_worth(
    page: Page, serve: Served, tmp_path: Path
) -> None:
    run = record.start(tmp_path / "judged", {})
    with run.iteration(0) as iteration, iteration.group(prompt="What is 1 + 1?") as group:
        for place, answer in enumerate(("2", "3")):
            group.add(
                response=f"It is \\boxed{{{answer}}}.",
                reward=1.0 - place,
                advantage=1.0 - 2 * place,
                completion_tokens=1200 + place,
                golden_answers={"answer": "2"},
            )
    run.close()
    page.goto(f"{serve(tmp_path / 'judged').url}?step=0&sample=0&tree=1")
    right = page.locator("div", has=page.get_by_role("button", name="sample 0", exact=True)).last
    wrong = page.locator("div", has=page.get_by_role("button", name="sample 1", exact=True)).last
    expect(right).to_be_visible()
    assert right.inner_text().split() == [
        "sample",
        "0",
        "2",
        "the",
        "golden",
        "answer",
        "1,200",
        "tok",
        "+1.00",
        "1.00",
    ]
    assert wrong.inner_text().split()[-4:] == ["1,201", "tok", "−1.00", "0.00"]
    expect(wrong).to_contain_text("not the golden answer")
    wrong.get_by_role("button", name="sample 1", exact=True).click()
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/0/1")


def test_one_click_shows_both_sides_of_the_widest_fork(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&step=7&sample=0&tree=1")
    page.get_by_role("button", name="Both sides of it").click()
    expect(page.get_by_text("of the words are the same")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Pick"), pressed=True)).to_have_count(2)


def test_where_there_are_no_rewards_none_are_offered_to_be_contrasted(
    page: Page, tmp_path: Path, serve: Served
) -> None:
    with record.start(tmp_path / "plain", {}) as run:
        for step in range(2):
            with run.iteration(step) as iteration:
                for number in range(3):
                    asked, answer = f"What is {number} + 2?", f"It is {number + 2}, counted on my fingers."
                    iteration.add(prompt=asked, response=answer)
    page.goto(f"{serve(tmp_path / 'plain').url}?page=insights")
    status = page.get_by_role("status").filter(has_text="Nothing found")
    expect(status).to_contain_text("kinds could not be checked")
    expect(status).not_to_contain_text("highest and lowest rewards")
    status.get_by_role("link", name="Contrast the last and first steps").click()
    expect(page.get_by_role("button", name="last against first steps")).to_have_attribute("aria-pressed", "true")


def test_of_a_single_step_no_changes_are_offered(page: Page, tmp_path: Path, serve: Served) -> None:
    with record.start(tmp_path / "plain", {}) as run, run.iteration(0) as iteration:
        for number in range(3):
            iteration.add(prompt=f"What is {number} + 2?", response=f"It is {number + 2}, counted on my fingers.")
    url = serve(tmp_path / "plain").url
    page.goto(f"{url}?page=insights")
    status = page.get_by_role("status").filter(has_text="Nothing found")
    expect(status.get_by_role("link", name="Contrast the last and first steps")).to_have_count(0)
    page.goto(f"{url}?page=insights&tab=contrast")
    button = page.get_by_role("button", name="last against first steps")
    expect(button).to_be_disabled()
    expect(button).to_have_attribute("title", "there is only one step")


def test_a_finding_says_since_when_and_its_evidence_opens_at_the_characters(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first")
    page.get_by_role("link", name="Insights").click()
    page.get_by_role("button", name=re.compile("A phrase spreads")).first.click()
    finding = page.get_by_role("article")
    expect(finding.get_by_role("img", name=re.compile("share per step, 0 to 9"))).to_be_visible()
    expect(finding).to_contain_text("began at step")
    # In 12 of 24 answers of a step since step 5; of ten steps of 24 samples two are the last ones.
    row = page.get_by_role("button", name=re.compile("A phrase spreads")).first
    expect(row).to_contain_text("0% → 50%")
    paid = finding.get_by_title("reward", exact=True).first
    assert paid.evaluate("element => getComputedStyle(element).color") != finding.evaluate(
        "element => getComputedStyle(element).color"
    )
    finding.get_by_role("link", name=re.compile("^train")).first.click()
    expect(page).to_have_title(re.compile(r"^train/\d+/\d+ · Rollouts"))
    expect(page.get_by_role("region", name="Sample text").get_by_text("careful examiner").first).to_be_in_viewport()


def test_arrows_go_from_finding_to_finding_and_its_samples_open_as_a_list(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights")
    findings = page.get_by_role("region", name=re.compile("findings$")).get_by_role("button")
    expect(findings.first).to_have_attribute("aria-pressed", "true")
    findings.first.focus()
    page.keyboard.press("ArrowDown")
    expect(findings.nth(1)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("link", name=re.compile(r"^Open \d+ sample")).click()
    expect(page).to_have_url(re.compile("page=|steps=all"))
    expect(page.get_by_role("region", name="Sample text")).to_be_visible()


def test_marks_in_the_list_and_the_sample_lead_to_the_characters(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&step=7&sample=0")
    rows = page.get_by_role("tree", name="Groups and samples")
    expect(rows.get_by_role("img", name=re.compile("finding: A phrase spreads")).first).to_be_visible()
    bar = page.get_by_role("region", name="Findings in this sample")
    expect(bar.get_by_role("button", name=re.compile("A phrase spreads")).first).to_be_visible()
    page.keyboard.press(".")
    expect(bar.get_by_role("status")).to_contain_text("response ")
    assert "careful examiner" in seen(page)
    page.keyboard.press("s")  # the raw text has the very same characters
    expect(page.get_by_role("region", name="Raw text")).to_be_visible()
    page.wait_for_function("CSS.highlights.get('seen-current')?.size > 0")
    assert "careful examiner" in seen(page)


def test_the_text_stays_where_it_is_when_findings_come(page: Page, runs: Server) -> None:
    """In a tab that has not seen any yet."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/findings/sample?*", hold)
    page.goto(f"{runs.url}?run=first&step=7&sample=0")
    text = page.get_by_role("region", name="Sample text")
    expect(text.get_by_text("careful examiner").first).to_be_visible()
    before = text.bounding_box()
    assert eventually(page, lambda: len(waiting), bool)  # asked for once one stays
    for route in waiting:
        route.continue_()
    page.unroute("**/findings/sample?*")
    expect(page.get_by_role("region", name="Findings in this sample")).to_be_visible()
    assert text.bounding_box() == before


def seen(page: Page) -> str:
    """The characters that are marked as the current evidence."""
    page.wait_for_function("CSS.highlights.get('seen-current')?.size > 0")
    return str(page.evaluate("[...CSS.highlights.get('seen-current')].map(range => range.toString()).join('')"))


def test_a_finding_s_filter_can_be_changed_before_its_samples_are_opened(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights")
    page.get_by_role("button", name=re.compile("A phrase spreads")).first.click()
    finding = page.get_by_role("article", name=re.compile("A phrase spreads"))
    own = finding.get_by_role("combobox", name="Filter").input_value()
    expect(finding.get_by_role("img", name=re.compile("^mean reward with it and without"))).to_be_visible()
    finding.get_by_role("combobox", name="Filter").fill(f"{own} and step >= 8")
    finding.get_by_role("combobox", name="Filter").press("Enter")
    expect(finding.get_by_role("link", name=re.compile("^Open 24 samples"))).to_be_visible()
    finding.get_by_role("link", name=re.compile("^Open 24 samples")).click()
    expect(page.get_by_role("combobox", name="Filter")).to_have_value(f"{own} and step >= 8")


def test_where_texts_are_read_only_when_asked_a_sample_says_so_and_leads_to_its_findings(
    page: Page, tmp_path: Path
) -> None:
    path = write_run(tmp_path / "first", 0.0)
    with serving_page(page, path, flags=["--no-features", "--index-dir", str(tmp_path / "index")]) as server:
        page.goto(f"{server.url}?run=first&step=6&sample=0")
        expect(page.get_by_text("this server reads texts only when asked")).to_be_visible()
        page.get_by_role("link", name="Read them and look").click()
        expect(page.get_by_role("button", name=re.compile("A phrase spreads")).first).to_be_visible()
        page.go_back()
        found = page.get_by_role("region", name="Findings in this sample")
        expect(found.get_by_role("button", name=re.compile("A phrase spreads"))).to_be_visible()


def test_a_prompt_is_followed_over_runs_and_two_of_its_samples_are_a_diff(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=prompt&address=train/6/0")
    expect(page.get_by_role("region", name="second train")).to_contain_text("40 samples")
    page.get_by_role("link", name="train/6/0, reward").first.click(modifiers=["Shift"])
    page.get_by_role("region", name="second train").get_by_role("link", name="train/2/3, reward").focus()
    page.keyboard.press("d")
    page.get_by_role("link", name="Diff of the two").click()
    diff = page.get_by_role("region", name="Diff")
    expect(diff).to_contain_text("words are the same")
    # What both have stands on both sides, beside what differs.
    both = [box for each in diff.get_by_text("The sum of both numbers").all() if (box := each.bounding_box())]
    assert len(both) == 2
    assert both[0]["y"] == both[1]["y"]
    assert both[0]["x"] < both[1]["x"]


def test_d_takes_two_samples_of_other_steps_for_a_diff(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&step=2&sample=1")
    expect(page.get_by_role("region", name="Sample text")).to_be_visible()
    page.keyboard.press("d")
    expect(page.get_by_text("is taken: open another one")).to_be_visible()
    page.keyboard.press("N")
    expect(page).to_have_url(re.compile("step=3"))
    page.get_by_role("button", name="Diff with this sample").click()
    expect(page).to_have_url(re.compile(r"a=train/2/1&b=train/3/\d"))
    expect(page.get_by_role("region", name="Diff")).to_contain_text("words are the same")


def test_a_large_group_opens_on_its_larger_branches(page: Page, tmp_path: Path, serve: Served) -> None:
    run = record.start(tmp_path / "large", {})
    with run.iteration(0) as iteration, iteration.group(prompt="How much is it?") as group:
        for number in range(300):
            way = "We add them up" if number % 2 else "Let us count on"
            group.add(response=f"{way}, in a manner of its own: {number} is what comes out.", reward=number % 2)
    run.close()
    page.goto(f"{serve(tmp_path / 'large').url}?step=0&sample=8&tree=1")
    expect(page.get_by_text("300 responses")).to_be_visible()
    expect(page.get_by_text("150 of 300", exact=True)).to_have_count(2)
    # The sample that was asked for is in view, and so is one past the widest fork; the other ends are told in a number.
    expect(page.get_by_role("button", name="sample 8", exact=True)).to_be_visible()
    others = page.get_by_role("button", name=re.compile("^14[67] other branches$"))
    expect(others).to_have_count(2)
    expect(page.get_by_role("button", name="sample 6", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="sample 2", exact=True)).to_have_count(0)
    page.locator("summary").filter(has_text=re.compile(r"\b2 is what comes out")).click()
    expect(page.get_by_role("button", name="sample 2", exact=True)).to_be_visible()
    others.first.click()
    expect(page.get_by_role("button", name=re.compile(r"^9[67] other branches$"))).to_be_visible()


def test_digits_open_the_tabs_in_their_order(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights")
    tabs = page.get_by_role("navigation", name="Insights").get_by_role("link")
    expect(tabs).to_have_count(7)
    for digit in (2, 3, 4, 5, 6, 7, 1):
        page.keyboard.press(str(digit))
        expect(tabs.nth(digit - 1)).to_have_attribute("aria-current", "page")


def test_letters_walk_through_findings_and_their_evidence(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights")
    findings = page.get_by_role("region", name=re.compile("findings$")).get_by_role("button")
    expect(findings.first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("n")
    expect(findings.nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("p")
    expect(findings.first).to_have_attribute("aria-pressed", "true")
    evidence = page.get_by_role("article").get_by_role("link", name=re.compile("^train"))
    expect(evidence.nth(1)).to_be_visible()
    page.keyboard.press("]")
    expect(evidence.nth(1)).to_be_focused()
    page.keyboard.press("[")
    expect(evidence.first).to_be_focused()
    page.keyboard.press("i")
    expect(page.get_by_role("article").get_by_role("combobox", name="Filter")).to_be_focused()
    page.keyboard.press("Escape")
    evidence.first.focus()
    page.keyboard.press("o")
    expect(page).to_have_url(re.compile("where="))
    expect(page.get_by_role("region", name="Sample text")).to_be_visible()


def test_x_swaps_the_sides_of_a_contrast(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?run=first&page=insights&tab=contrast&a=step >= 5&b=step < 5")
    expect(page.get_by_label("Filter of A")).to_have_value("step >= 5")
    expect(page.get_by_role("table", name="Phrases")).to_be_visible()
    page.keyboard.press("x")
    expect(page.get_by_label("Filter of A")).to_have_value("step < 5")
    expect(page.get_by_label("Filter of B")).to_have_value("step >= 5")


def test_texts_that_are_read_for_the_first_time_show_how_far_they_are(page: Page, runs: Server) -> None:
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/findings/report*", hold)
    page.goto(f"{runs.url}?run=first&page=insights")
    expect(page.get_by_text(re.compile("All texts are read|Reading the texts|all texts are read"))).to_be_visible()
    for route in waiting:
        route.continue_()
    page.unroute("**/findings/report*")
    expect(page.get_by_role("article")).to_be_visible()
