"""The left pane: steps, groups, dots, order, filter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import Served
from tests.browser.school import LENGTHS, STEPS, write_school
from tests.browser.waiting import eventually_equal, settle
from tests.server.client import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("browsing") / "school"))


def list_of(page: Page) -> Locator:
    return page.get_by_role("tree", name="Groups and samples")


def group_row(page: Page, name: str) -> Locator:
    return list_of(page).get_by_role("treeitem", level=1).filter(has_text=f"An {name} sum")


def shown_sample(page: Page) -> Locator:
    return page.get_by_role("article")


def open_step(page: Page, server: Server, query: str = "") -> None:
    page.goto(f"{server.url}?{query}")
    expect(shown_sample(page)).to_be_visible()


def test_it_opens_at_the_newest_step_with_its_first_sample(page: Page, school: Server) -> None:
    open_step(page, school)
    expect(page.get_by_label("Step", exact=True)).to_have_value(str(STEPS - 1))
    expect(shown_sample(page)).to_have_attribute("aria-label", f"Sample train/{STEPS - 1}/0")
    expect(page).to_have_url(re.compile(rf"run=school&step={STEPS - 1}&sample=0$"))


def test_the_step_control_goes_first_previous_next_last(page: Page, school: Server) -> None:
    open_step(page, school, "step=2")
    box = page.get_by_label("Step", exact=True)
    for button, step in [("Next step", 3), ("Last step", 4), ("Previous step", 3), ("First step", 0)]:
        page.get_by_role("button", name=re.compile(f"^{button}")).click()
        expect(box).to_have_value(str(step))
    expect(page.get_by_role("button", name="First step")).to_be_disabled()


def test_a_typed_step_opens_and_the_nearest_stands_for_one_that_is_not_there(page: Page, school: Server) -> None:
    open_step(page, school)
    box = page.get_by_label("Step", exact=True)
    box.fill("1")
    box.press("Enter")
    expect(shown_sample(page)).to_contain_text("step 1")
    box.fill("999")
    box.press("Enter")
    expect(box).to_have_value(str(STEPS - 1))


def test_all_steps_are_listed_with_size_and_mean_reward(page: Page, school: Server) -> None:
    open_step(page, school)
    page.get_by_role("button", name=re.compile("^All steps")).click()
    steps = page.get_by_role("dialog", name="All steps").get_by_role("option")
    expect(steps).to_have_count(STEPS)
    expect(steps.nth(1)).to_contain_text(re.compile(r"1\s*12.*KB\s*0\.65"))
    steps.nth(1).click()
    expect(page.get_by_label("Step", exact=True)).to_have_value("1")


def test_the_curve_is_a_slider_over_the_steps(page: Page, school: Server) -> None:
    open_step(page, school, "step=2")
    slider = page.get_by_role("slider", name=re.compile("^Step, over the curve of reward"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "step 3")
    settle(page)
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 1, box["y"] + box["height"] / 2)
    expect(slider).to_have_attribute("aria-valuetext", "step 0")


def test_groups_show_their_prompt_and_open_into_samples(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    expect(list_of(page).get_by_role("treeitem", level=1)).to_have_count(3)
    expect(page.get_by_text("3 groups · 12 samples")).to_be_visible()
    hard = group_row(page, "hard")
    expect(hard).to_have_attribute("aria-expanded", "false")
    hard.get_by_text("An hard sum of step 1.").click()
    expect(hard).to_have_attribute("aria-expanded", "true")
    opened = list_of(page).get_by_role("treeitem", level=2).filter(has_text="hard sum")
    expect(opened).to_have_count(4)
    expect(opened.nth(1)).to_contain_text(re.compile(rf"Answer 1 to the hard.*0\.25.*{LENGTHS[1]}"))
    opened.nth(3).click()
    expect(shown_sample(page)).to_have_attribute("aria-label", "Sample train/1/7")


def test_a_dot_says_metric_and_value_and_opens_its_sample(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    dot = group_row(page, "hard").get_by_title("reward 0.25 · sample 5", exact=True)
    expect(dot).to_be_visible()
    colours = [
        group_row(page, "hard")
        .get_by_title(f"reward {value} · sample {index}", exact=True)
        .evaluate("dot => getComputedStyle(dot).backgroundColor")
        for value, index in [("0", 4), ("0.25", 5), ("0.5", 6), ("1", 7)]
    ]
    assert len(set(colours)) == 4, "four rewards, four colours"
    dot.click()
    expect(shown_sample(page)).to_have_attribute("aria-label", "Sample train/1/5")


def test_columns_have_headers_and_are_the_users_choice(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    for name in ("reward", "advantage", "completion tokens"):
        expect(page.get_by_title(name, exact=True).first).to_be_visible()
    page.get_by_role("button", name="Choose columns").click()
    menu = page.get_by_role("dialog", name="Columns of dots")
    menu.get_by_label("correct", exact=True).check()
    menu.get_by_label("advantage", exact=True).uncheck()
    page.keyboard.press("Escape")
    expect(group_row(page, "even").get_by_role("img", name=re.compile("^correct: 1, 0, 1, 0"))).to_be_visible()
    expect(group_row(page, "even").get_by_role("img", name=re.compile("^advantage"))).to_have_count(0)
    page.reload()
    expect(group_row(page, "even").get_by_role("img", name=re.compile("^correct"))).to_be_visible()


def sort_by(page: Page, *names: str) -> None:
    page.get_by_role("button", name=re.compile("^Sort:")).click()
    menu = page.get_by_role("dialog", name="Sort")
    for name in names:
        menu.get_by_role("button", name=name, exact=True).first.click()
    page.keyboard.press("Escape")


def first_groups(page: Page) -> list[str]:
    return [
        re.findall("easy|hard|even", row.inner_text())[0]
        for row in list_of(page).get_by_role("treeitem", level=1).all()
    ]


def test_groups_sort_by_spread_and_by_reward(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    eventually_equal(page, lambda: first_groups(page), ["easy", "hard", "even"])
    sort_by(page, "spread of reward")
    expect(page).to_have_url(re.compile("sort=-spread"))
    expect(list_of(page).get_by_role("treeitem", level=1).first).to_contain_text("even")
    eventually_equal(page, lambda: first_groups(page), ["even", "hard", "easy"])
    sort_by(page, "reward")
    expect(list_of(page).get_by_role("treeitem", level=1).first).to_contain_text("hard")
    sort_by(page, "Descending")
    expect(list_of(page).get_by_role("treeitem", level=1).first).to_contain_text("easy")


def test_all_samples_of_a_step_sort_by_response_length(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    sort_by(page, "All samples", "completion tokens")
    rows = page.get_by_role("listbox", name="Samples").get_by_role("option")
    expect(rows.first).to_contain_text("240")
    expect(rows).to_have_count(12)
    # What one reads stays open, wherever the new order puts it; the next one is the next in that order.
    expect(rows.nth(3)).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name=re.compile("^Next sample")).first.click()
    expect(rows.nth(4)).to_have_attribute("aria-selected", "true")
    expect(shown_sample(page)).to_have_attribute("aria-label", "Sample train/1/4")


def test_a_filter_narrows_the_list_and_is_kept_in_the_address(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    box = page.get_by_role("combobox", name="Filter")
    box.fill("reward < 0.3")
    box.press("Enter")
    expect(page.get_by_text("2 groups · 4 samples")).to_be_visible()
    expect(page).to_have_url(re.compile(r"where=reward"))
    page.reload()
    expect(page.get_by_role("combobox", name="Filter")).to_have_value("reward < 0.3")
    expect(page.get_by_text("2 groups · 4 samples")).to_be_visible()
    page.get_by_role("button", name="Clear the filter").click()
    expect(page.get_by_text("3 groups · 12 samples")).to_be_visible()


def test_the_filter_completes_fields_and_values(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    box = page.get_by_role("combobox", name="Filter")
    box.click()
    page.keyboard.type("stat")
    expect(page.get_by_role("option", name="status", exact=True)).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.type("=")
    page.get_by_role("option", name='"truncated"').click()
    expect(box).to_have_value('status = "truncated" ')
    box.press("Enter")
    expect(page.get_by_text("3 groups · 3 samples")).to_be_visible()


def test_the_samples_of_an_open_group_have_the_columns_values(page: Page, school: Server) -> None:
    open_step(page, school, "step=1&sample=0&columns=reward,advantage,completion_tokens,metrics.correct")
    sample = school.json("/api/runs/school/samples", step=1, split="train", limit=1)["rows"][0]
    row = page.get_by_role("treeitem", selected=True, level=2)
    expect(row.get_by_title(re.compile(r"^reward [\d.−]+$"))).to_have_text(f"{sample['reward']:.2f}")
    expect(row.get_by_title(re.compile("^advantage "))).to_be_visible()
    expect(row.get_by_title(f"completion tokens {sample['completion_tokens']}")).to_be_visible()
    expect(row.get_by_title(re.compile("^correct "))).to_be_visible()


@pytest.mark.parametrize(
    "typed",
    [
        ("golden ", "icontains", '"4"'),
        ("reward is ", "not nan", ""),
        ("env ", "not in", '("nowhere")'),
        ("advantage ", "is missing", ""),
    ],
)
def test_what_the_filter_offers_is_taken(page: Page, school: Server, typed: tuple[str, str, str]) -> None:
    field, offered, operand = typed
    open_step(page, school, "step=1")
    box = page.get_by_role("combobox", name="Filter")
    box.click()
    box.press_sequentially(field)
    page.get_by_role("option", name=offered, exact=True).click()
    box.press_sequentially(operand)
    with page.expect_response(lambda answer: "/groups?" in answer.url and "where=" in answer.url) as answered:
        box.press("Enter")
    assert answered.value.ok


@pytest.mark.expects_errors(r"400 \(Bad Request\).*where=rewrd")
def test_a_wrong_filter_says_what_is_wrong(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    box = page.get_by_role("combobox", name="Filter")
    box.fill("rewrd < 1")
    box.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="rewrd").first).to_be_visible()
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("alert")).to_contain_text("did you mean reward?")


def test_a_filter_that_matches_nothing_is_said_not_left_blank(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    box = page.get_by_role("combobox", name="Filter")
    box.fill("reward > 7")
    box.press("Enter")
    expect(page.get_by_text("Nothing matches the filter")).to_be_visible()


def test_the_switch_between_train_and_eval(page: Page, school: Server) -> None:
    open_step(page, school)
    page.get_by_role("button", name="Split: train").click()
    page.get_by_role("dialog", name="Split").get_by_role("button", name=re.compile("AIME_24")).click()
    expect(shown_sample(page)).to_contain_text("Problem 0 of the exam.")
    expect(page).to_have_url(re.compile("split=eval/AIME_24"))
    page.get_by_role("button", name=re.compile("^Split")).click()
    page.get_by_role("dialog", name="Split").get_by_role("button", name=re.compile("train")).click()
    expect(shown_sample(page)).to_contain_text("An easy sum of step 4.")


def test_the_list_is_walked_with_the_keyboard_alone(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    list_of(page).focus()
    page.keyboard.press("ArrowDown")
    expect(shown_sample(page)).to_have_attribute("aria-label", "Sample train/1/1")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(group_row(page, "hard")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(shown_sample(page)).to_have_attribute("aria-label", "Sample train/1/4")


def test_a_group_of_equal_rewards_has_a_badge(page: Page, school: Server) -> None:
    open_step(page, school, "step=1")
    expect(group_row(page, "easy").get_by_text("zero variance")).to_be_visible()
    expect(group_row(page, "hard").get_by_text("zero variance")).to_have_count(0)
    # It belongs to the group, not to what a filter leaves of it.
    page.get_by_role("combobox", name="Filter").fill('reward = 1 and stop_reason = "length"')
    page.keyboard.press("Enter")
    expect(group_row(page, "hard")).to_have_count(0)
    expect(group_row(page, "even").get_by_text("zero variance")).to_have_count(0)
    expect(group_row(page, "easy").get_by_text("zero variance")).to_be_visible()


def test_a_list_of_ten_thousand_rows_draws_only_what_is_in_view(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served
) -> None:
    server = serve(_write_long(tmp_path_factory.mktemp("long")))
    open_step(page, server, "list=samples")
    rows = page.get_by_role("listbox", name="Samples").get_by_role("option")
    expect(page.get_by_text("10,000 samples")).to_be_visible()
    expect(rows.first).to_be_visible()
    settle(page)
    assert rows.count() < 120
    page.get_by_role("listbox", name="Samples").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    expect(rows.last).to_contain_text("reply 9999")
    rows.last.click()
    expect(shown_sample(page)).to_have_attribute("aria-label", "Sample train/0/9999")


def test_a_link_into_a_long_list_shows_its_row(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served
) -> None:
    server = serve(_write_long(tmp_path_factory.mktemp("long")))
    open_step(page, server, "step=0&sample=8123")
    row = list_of(page).get_by_role("treeitem", level=2).filter(has_text="reply 8123")
    expect(row).to_be_in_viewport()
    expect(row).to_have_attribute("aria-selected", "true")


def _write_long(root: Path) -> Path:
    from tests.fixtures import write_jsonl

    records = [
        {
            "prompt": f"question {n // 4}",
            "response": f"reply {n}",
            "reward": n % 3,
            "group_index": n // 4,
            "response_length": 5,
        }
        for n in range(10_000)
    ]
    write_jsonl(root / "train" / "0.jsonl", records)
    return root
