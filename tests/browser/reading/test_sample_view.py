"""The middle pane: what came out of a sample, and all that was said in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import Served
from tests.browser.school import write_school
from tests.browser.waiting import eventually_equal, settle
from tests.fixtures import write_jsonl
from tests.runs import relax_record
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("sample") / "school"))


@pytest.fixture(scope="module")
def thinker(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    """Answers that think, one of them cut off inside its thought; one so long that it scrolls; one of five megabytes."""
    root = tmp_path_factory.mktemp("thinker")
    long = "\n\n".join(f"Paragraph {number} of the answer." for number in range(300))
    huge = "\n".join(f"line {number} of a very long answer" for number in range(150_000)) + "\nTHE END"
    responses = [
        "<think>\nLet me see.\n</think>\nIt is four.<|im_end|>",
        "<think>\nI never finish this thou",
        f"<think>\nLong.\n</think>\n{long}",
        huge,
    ]
    records = [relax_record(0, index, response=text, group_index=index) for index, text in enumerate(responses)]
    write_jsonl(root / "train" / "0.jsonl", records)
    return serve(root)


def open_sample(page: Page, server: Server, query: str) -> Locator:
    page.goto(f"{server.url}?{query}")
    article = page.get_by_role("article")
    expect(article).to_be_visible()
    return article


def section(article: Locator, title: str | re.Pattern[str]) -> Locator:
    """A section by its title, folded or not."""
    return article.locator("section").filter(has=article.page.get_by_role("button", name=title)).last


def test_the_outcome_is_always_in_view(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=6")
    outcome = article.locator("header")
    for text in ["Step 4", "Group hard", "Sample 6", "3 of 4", "sums", "truncated", "240", "1 step", "+0.06"]:
        expect(outcome).to_contain_text(text)
    expect(outcome).to_contain_text("reward · range 0 … 1 declared")
    page.keyboard.press("G")
    expect(outcome).to_be_in_viewport()


@pytest.mark.parametrize("width", [720, 900, 1280, 1440, 3840])
def test_which_sample_it_is_and_why_it_was_discarded_are_never_cut(page: Page, school: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    article = open_sample(page, school, "page=discarded")
    identity = article.locator("header").get_by_text(re.compile(r"^Step \d+ · Group"))
    reason = article.locator("header").get_by_title("Generated, but not trained on")
    for words in (identity, reason):
        expect(words).to_be_in_viewport(ratio=1)
        assert words.evaluate("words => words.scrollWidth <= words.clientWidth + 1"), words.inner_text()
    for fact in ("advantage", "status", "tokens", "staleness"):
        expect(article.locator("header").get_by_text(fact, exact=True)).to_be_in_viewport(ratio=1)
    buttons = article.locator("header").get_by_role("button", name="Copy link")
    expect(buttons).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("width", [900, 1440])
def test_the_text_does_not_jump_from_sample_to_sample(page: Page, school: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    heights = set()
    for sample in (0, 4, 6, 12, 13):
        article = open_sample(page, school, f"step=4&sample={sample}")
        expect(article).to_have_attribute("aria-label", f"Sample train/4/{sample}")
        box = article.locator("header").bounding_box()
        heights.add(box and box["height"])
    assert len(heights) == 1, heights


def test_the_text_does_not_jump_where_something_was_found_in_some_samples(page: Page, demo: Server) -> None:
    page.goto(f"{demo.url}?step=30&sample=3")
    article = page.get_by_role("article")
    expect(article.get_by_role("region", name="Findings in this sample")).to_be_visible()
    expect(page.get_by_role("treeitem", selected=True)).to_have_count(2)
    tops = set()
    for number in (3, 4, 5, 6):
        expect(article).to_have_attribute("aria-label", f"Sample train/30/{number}")
        tops.add(page.get_by_role("region", name="Sample text").evaluate("text => text.getBoundingClientRect().top"))
        page.keyboard.press("n")
    assert len(tops) == 1


def test_what_does_not_fit_the_head_is_one_click_away(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=6")
    article.get_by_role("button", name=re.compile("^Rewards and metrics")).click()
    expect(article.get_by_role("table", name="Rewards")).to_have_count(0)
    article.get_by_role("button", name="all 3 values").click()
    expect(article.get_by_role("table", name="Rewards")).to_be_visible()


def test_on_a_very_wide_window_metrics_stand_beside_the_text(page: Page, school: Server) -> None:
    page.set_viewport_size({"width": 3840, "height": 2160})
    article = open_sample(page, school, "step=4&sample=6")
    prompt = section(article, re.compile("^User")).bounding_box()
    rewards = article.get_by_role("table", name="Rewards").bounding_box()
    assert prompt
    assert rewards
    assert prompt["x"] + prompt["width"] <= rewards["x"] < 2200
    assert abs(prompt["y"] - rewards["y"]) < 300


def test_the_tab_names_sample_page_and_run(page: Page, school: Server) -> None:
    open_sample(page, school, "step=4&sample=6")
    expect(page).to_have_title("train/4/6 · Rollouts · school · Rollscope")
    page.get_by_role("button", name="Compare the group side by side").click()
    expect(page.get_by_role("region", name="Completions side by side")).to_be_visible()
    expect(page).to_have_title("train/4/6 · Rollouts · school · Rollscope")
    page.get_by_role("link", name="Metrics").click()
    expect(page).to_have_title("Metrics · school · Rollscope")


def test_each_environment_is_coloured_on_its_own_range(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served
) -> None:
    root = tmp_path_factory.mktemp("two")
    rewards = {"golf": [-5.0, -4.0, -3.0, -2.0, -1.5, -1.0, -0.5, -0.2, 0.0], "chess": [-100.0, -50.0, 0.0, 100.0]}
    rewards["dice"] = [place / 40 for place in range(41)] + [1e30]
    with record.start(root, {}) as run, run.iteration(0) as iteration:
        for env, values in rewards.items():
            with iteration.group(prompt=f"Play {env}.", env=env) as group:
                for value in values:
                    group.add(response="done", reward=value)
    article = open_sample(page, serve(root), "step=0&sample=0")
    expect(article.locator("header")).to_contain_text("range −5 … 0 observed")
    article = open_sample(page, serve(root), "step=0&sample=9")
    expect(article.locator("header")).to_contain_text("range −100 … 100 observed")
    article = open_sample(page, serve(root), "step=0&sample=13")
    expect(article.locator("header")).to_contain_text("range 0 … 1 observed, 1 outlier left out")
    # In the group's tree, too: nothing lost at golf is as good as it gets.
    page.goto(f"{serve(root).url}?step=0&sample=8&tree=1")
    tree = page.get_by_role("region", name="Group as a tree")
    expect(tree.get_by_text("0.00", exact=True)).to_have_attribute("style", re.compile("--ink-high"))


def test_a_run_without_rewards_claims_no_range(page: Page, tmp_path: Path, serve: Served) -> None:
    with record.start(tmp_path, {}) as run, run.iteration(0) as iteration, iteration.group(prompt="Say it.") as group:
        group.add(response="it")
    article = open_sample(page, serve(tmp_path), "step=0&sample=0")
    expect(article.locator("header")).to_contain_text("reward")
    expect(article.locator("header")).not_to_contain_text("range")


def test_rewards_have_their_breakdown_with_values_beside_colours(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=6")
    rewards = article.get_by_role("table", name="Rewards")
    for row in ["total 0.50", "answer 0.5", "format 0.5"]:
        expect(rewards.get_by_role("row", name=re.compile(f"^{row}"))).to_be_visible()
    expect(
        article.get_by_role("table", name="Metrics").get_by_role("row", name=re.compile("^correct 0"))
    ).to_be_visible()


def test_a_turns_reward_and_what_never_changes_are_not_coloured_on_the_totals_scale(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=6")
    rewards = article.get_by_role("table", name="Rewards")
    graded = "[style*='--ink']"
    expect(rewards.get_by_role("row", name=re.compile("^total")).locator(graded)).not_to_have_count(0)
    expect(rewards.get_by_role("row", name=re.compile("^format")).locator(graded)).to_have_count(0)
    article = open_sample(page, school, "step=4&sample=16")
    last = section(article, re.compile("^Assistant · turn 2"))
    expect(last.get_by_text("1.00", exact=True)).to_have_attribute("style", re.compile("--signed-ink"))


def test_a_range_nobody_declared_is_said_to_be_observed(page: Page, thinker: Server) -> None:
    article = open_sample(page, thinker, "step=0&sample=0")
    expect(article.locator("header")).to_contain_text(re.compile(r"range .* observed"))


def test_the_golden_answer_stands_beside_the_models(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=2&sample=0")
    golden = article.get_by_role("region", name="Golden answers")
    expect(golden).to_contain_text("Golden answer")
    expect(golden).to_contain_text("19")
    expect(golden).to_contain_text("model answered")
    expect(golden.get_by_title("The same text, spaces aside")).to_be_visible()


def test_a_conversation_with_tools_is_read_turn_by_turn(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=16")
    titles = ["System", "User", "Assistant · turn 1", "Tool · calculator", "Assistant · turn 2"]

    def shown() -> list[str]:
        headings = article.get_by_role("heading", level=3).all_inner_texts()
        return [first for first in (text.split("\n")[0] for text in headings) if first in titles]

    eventually_equal(page, shown, titles)
    first = section(article, re.compile("^Assistant · turn 1"))
    expect(first).to_contain_text("31 tokens · 3.1 s · reward 0.00")
    expect(first).to_contain_text('{"expression": "17 * 24"}')
    expect(first).to_contain_text("asked a tool")
    expect(section(article, re.compile("^Tool · calculator"))).to_contain_text("408")
    expect(section(article, re.compile("^Assistant · turn 2"))).to_contain_text("reward 1.00")


def test_think_blocks_fold(page: Page, thinker: Server) -> None:
    article = open_sample(page, thinker, "step=0&sample=0")
    think = article.get_by_role("button", name=re.compile("^Thinking"))
    expect(think).to_have_attribute("aria-expanded", "false")
    think.click()
    expect(think).to_have_attribute("aria-expanded", "true")
    expect(article.get_by_text("Let me see.")).to_be_visible()
    expect(article).not_to_contain_text("<think>")


def test_a_thought_that_was_cut_off_is_open_and_says_so(page: Page, thinker: Server) -> None:
    article = open_sample(page, thinker, "step=0&sample=1")
    think = article.get_by_role("button", name=re.compile("^Thinking"))
    expect(think).to_contain_text("cut off")
    expect(article.get_by_text("I never finish this thou")).to_be_visible()


def test_the_render_menu_formats_markdown_maths_and_code(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=2&sample=0")
    answer = section(article, re.compile("^Assistant"))
    expect(answer.get_by_role("table")).to_be_visible()
    expect(answer.locator("strong", has_text="plan")).to_be_visible()
    # $a^2+b^2$, \(c^2\), the integral, E = mc^2; not the money.
    expect(answer.locator(".katex")).to_have_count(4)
    expect(answer.get_by_text("it costs $5.00, not $6.00")).to_be_visible()
    expect(answer.locator("[data-scope=keyword]", has_text="def")).to_be_visible()
    # Where a link leads is seen; it leads nowhere, and no picture is loaded.
    expect(answer.get_by_title("Not followed: https://example.org/secret")).to_have_text("a link")
    expect(answer.get_by_title("Not loaded: https://example.org/p.png")).to_be_visible()
    expect(answer.locator("a, img")).to_have_count(0)


@pytest.mark.parametrize(
    ("switch", "formatted", "plain"),
    [
        ("Markdown", "table", "| 9 | 4 |"),
        ("LaTeX", ".katex", "$a^2 + b^2$"),
        ("Code blocks", "[data-scope=keyword]", "```python"),
    ],
)
def test_each_switch_turns_its_formatting_off_and_is_remembered(
    page: Page, school: Server, switch: str, formatted: str, plain: str
) -> None:
    article = open_sample(page, school, "step=2&sample=0")
    answer = section(article, re.compile("^Assistant"))
    expect(answer.locator(formatted).first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Render 5")).click()
    page.get_by_role("dialog", name="Render").get_by_label(switch).uncheck()
    page.keyboard.press("Escape")
    expect(answer.locator(formatted)).to_have_count(0)
    expect(answer).to_contain_text(plain)
    page.reload()
    expect(page.get_by_role("button", name=re.compile("^Render 4"))).to_be_visible()
    expect(answer).to_contain_text(plain)


def test_think_blocks_can_be_shown_as_the_text_they_are(page: Page, thinker: Server) -> None:
    article = open_sample(page, thinker, "step=0&sample=0")
    page.get_by_role("button", name=re.compile("^Render")).click()
    page.get_by_role("dialog", name="Render").get_by_label("Think blocks").uncheck()
    page.keyboard.press("Escape")
    expect(article).to_contain_text("<think>")
    expect(article.get_by_text("Let me see.")).to_be_visible()


def test_raw_is_the_whole_sample_as_one_string(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=16")
    article.get_by_role("button", name="Raw", exact=True).click()
    raw = article.get_by_role("region", name="Raw text")
    for text in ["You may use the calculator.", "17 * 24", r"\boxed{408}"]:
        expect(raw).to_contain_text(text)
    expect(page).to_have_url(re.compile("raw=1"))
    with page.expect_download() as download:
        article.get_by_role("link", name="Download").click()
    assert "17 * 24" in Path(download.value.path()).read_text()
    assert download.value.suggested_filename == "train-4-16.txt"


def test_raw_keeps_roles_where_a_message_holds_a_template_marker(page: Page, tmp_path: Path, serve: Served) -> None:
    seen = "<|vision_start|>" + "<|image_pad|>" * 3 + "<|vision_end|> What is it?"
    with record.start(tmp_path / "run") as run, run.iteration(0) as iteration, iteration.group(0) as group:
        group.add([{"role": "user", "content": seen}, {"role": "assistant", "content": "A cat."}], reward=1.0)
    article = open_sample(page, serve(tmp_path / "run"), "step=0&sample=0")
    expect(section(article, re.compile("^User"))).to_contain_text("× 3")
    page.keyboard.press("s")
    raw = article.get_by_role("region", name="Raw text")
    expect(raw).to_contain_text("[user]")
    expect(raw).to_contain_text("[assistant]")


def test_find_goes_from_match_to_match(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=16")
    page.keyboard.press("/")
    box = page.get_by_label("Find in the sample")
    box.fill("calculator")
    status = page.get_by_role("search").get_by_role("status").last
    expect(status).to_have_text(re.compile(r"1 of \d+"))
    box.press("Enter")
    expect(status).to_have_text(re.compile(r"2 of \d+"))
    # Folded sections open: what is found must be seen.
    expect(article.get_by_text("You may use the calculator.")).to_be_visible()
    box.press("Escape")
    expect(box).to_have_count(0)
    expect(page).not_to_have_url(re.compile("find="))


def test_find_looks_at_the_sample_and_not_at_the_page_s_own_words(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=1&sample=0")
    expect(article.get_by_text("Golden answer", exact=True)).to_be_visible()
    page.keyboard.press("/")
    page.get_by_label("Find in the sample").fill("Golden answer")
    expect(page.get_by_role("search").get_by_role("status").last).to_have_text("not found")


def test_find_works_in_raw_text_too(page: Page, thinker: Server) -> None:
    article = open_sample(page, thinker, "step=0&sample=3&raw=1")
    page.keyboard.press("/")
    page.get_by_label("Find in the sample").fill("line 77777 of")
    expect(page.get_by_role("search").get_by_role("status").last).to_have_text("1 of 1")
    expect(article.get_by_text("line 77777 of a very long answer")).to_be_in_viewport()


def test_sections_fold_unfold_and_copy(page: Page, school: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    article = open_sample(page, school, "step=4&sample=16")
    user = article.get_by_role("button", name=re.compile("^User"))
    expect(user).to_have_attribute("aria-expanded", "true")
    article.get_by_role("button", name="Fold all").first.click()
    expect(user).to_have_attribute("aria-expanded", "false")
    article.get_by_role("button", name="Unfold all").first.click()
    expect(article.get_by_text("You may use the calculator.")).to_be_visible()
    part = section(article, re.compile("^User"))
    part.hover()
    part.get_by_role("button", name="Copy section").click()
    eventually_equal(page, lambda: page.evaluate("navigator.clipboard.readText()"), "How much is 17 times 24?")


def test_long_text_scrolls_in_place_and_opens_at_its_end(page: Page, thinker: Server) -> None:
    article = open_sample(page, thinker, "step=0&sample=2")
    expect(article.get_by_text("Paragraph 299 of the answer.")).to_be_visible()
    box = section(article, re.compile("^Assistant")).locator("[data-scrolls]")
    at_end = "box => box.scrollHeight > box.clientHeight && box.scrollTop + box.clientHeight > box.scrollHeight - 20"
    page.wait_for_function(at_end, arg=box.element_handle())
    page.get_by_role("button", name=re.compile("^Render")).click()
    page.get_by_role("dialog", name="Render").get_by_label("Opens at its end").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    expect(article.get_by_text("Paragraph 0 of the answer.")).to_be_visible()
    settle(page)
    assert box.evaluate("box => box.scrollTop") == 0


def test_a_text_of_megabytes_opens_at_its_end_and_loads_as_one_scrolls(page: Page, thinker: Server) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/part?" in request.url else None)
    article = open_sample(page, thinker, "step=0&sample=3")
    expect(article.get_by_text("THE END")).to_be_in_viewport()
    assert not asked, "its end comes with the sample"
    assert len(article.inner_text()) < 500_000, "only what is in view is drawn"
    scroller = article.locator("[tabindex='0']").filter(has_text="a very long answer").last
    scroller.hover()
    page.mouse.wheel(0, -15_000)
    expect(article.get_by_text("THE END")).to_have_count(0)
    scroller.evaluate("box => box.scrollTo(0, 0)")
    expect(article.get_by_text("line 0 of a very long answer")).to_be_visible()
    assert asked


def test_values_that_json_cannot_hold_are_shown_as_they_are(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served
) -> None:
    root = tmp_path_factory.mktemp("odd")
    path = write_jsonl(root / "train" / "0.jsonl", [relax_record(0, 0)])
    path.write_text(re.sub(r'"reward": [0-9.]+', '"reward": NaN', path.read_text()))
    article = open_sample(page, serve(root), "")
    expect(article.locator("header")).to_contain_text("NaN")


def test_every_scalar_and_its_place_on_disk_are_there(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=6")
    article.get_by_role("button", name=re.compile("^Sample info")).click()
    info = section(article, re.compile("^Sample info"))
    for text in ["train/4/6", "group", "hard", "completion tokens", "240", "train_iteration_000004_rollouts.jsonl"]:
        expect(info).to_contain_text(text)
    article.get_by_role("button", name=re.compile("^Source record")).click()
    expect(section(article, re.compile("^Source record"))).to_contain_text('"schema_version"')


def test_completions_of_one_prompt_side_by_side(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=4")
    expect(article.get_by_role("button", name="Compare the group side by side (c)")).to_be_visible()
    page.keyboard.press("c")
    columns = page.get_by_role("region", name=re.compile("^Completion "))
    expect(columns.first).to_contain_text("Answer 0 to the hard sum of step 4.")
    expect(columns.nth(1)).to_contain_text("0.25")
    expect(page).to_have_url(re.compile("side=1"))
    columns.nth(1).get_by_title("Open this sample").click()
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/4/5")


def test_side_by_side_opens_at_the_sample_one_reads_and_counts_as_the_list(page: Page, school: Server) -> None:
    page.set_viewport_size({"width": 1100, "height": 800})
    page.goto(f"{school.url}?step=4&sample=7&side=1")
    current = page.get_by_role("region", name="Completion 7", exact=True)
    expect(current).to_be_in_viewport(ratio=0.9)
    expect(current).to_contain_text("Answer 3 to the hard sum of step 4.")


def test_the_group_is_compared_from_the_list_of_all_samples_too(page: Page, school: Server) -> None:
    article = open_sample(page, school, "step=4&sample=5&list=samples")
    article.get_by_role("button", name="Compare the group side by side (c)").click()
    for sample in (4, 5, 6, 7):
        expect(page.get_by_role("region", name=f"Completion {sample}", exact=True)).to_have_count(1)


def test_the_same_prompt_is_followed_over_the_steps(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served
) -> None:
    root = tmp_path_factory.mktemp("again")
    for step, reward in enumerate([0.0, 0.5, 1.0]):
        records = [relax_record(step, index, prompt="the same question", reward=reward) for index in range(2)]
        write_jsonl(root / "train" / f"{step}.jsonl", records)
    article = open_sample(page, serve(root), "step=2&sample=0")
    article.get_by_role("button", name="This prompt over the steps").click()
    steps = article.get_by_role("list", name="Steps with this prompt").get_by_role("listitem")
    expect(steps).to_have_text([re.compile("step 0.*0.00"), re.compile("step 1.*0.50"), re.compile("step 2.*1.00")])
    steps.nth(1).get_by_role("button").last.click()
    expect(article).to_have_attribute("aria-label", "Sample train/1/1")


def painted(page: Page) -> int:
    """Stretches of tokens that have a colour."""
    count = page.evaluate(
        "[...CSS.highlights].filter(([name]) => name.startsWith('token-')).reduce((sum, [, all]) => sum + all.size, 0)"
    )
    return int(count)


def test_tokens_are_coloured_by_what_was_recorded_of_each(page: Page, demo: Server) -> None:
    article = open_sample(page, demo, "step=20&sample=0")
    article.get_by_role("button", name=re.compile("^Tokens")).click()
    choice = article.get_by_role("radiogroup", name="Colour tokens by")
    expect(choice.get_by_label("log-probability")).to_be_checked()
    expect(article.get_by_role("img", name=re.compile("^log-probability by position"))).to_be_visible()
    assert painted(page) > 0
    choice.get_by_label("loss mask").check()
    expect(article.get_by_role("img", name=re.compile("^loss mask by position"))).to_be_visible()


def test_the_link_to_a_sample_is_copied(page: Page, school: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    article = open_sample(page, school, "step=1&sample=5")
    article.get_by_role("button", name="Copy link").click()
    copied = f"{school.url}?run=school&step=1&sample=5"
    eventually_equal(page, lambda: page.evaluate("navigator.clipboard.readText()"), copied)


def test_integers_that_no_javascript_number_holds_are_shown_to_the_last_digit(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served
) -> None:
    root = tmp_path_factory.mktemp("long-integers")
    groups = [2**53, 2**53 + 1]
    records = [
        relax_record(0, index, group_index=groups[index // 2], response_length=2**53 + 1 + 2 * index)
        for index in range(4)
    ]
    write_jsonl(root / "train" / "0.jsonl", records)
    article = open_sample(page, serve(root), "step=0&sample=2")
    expect(article.locator("header")).to_contain_text("Group 9007199254740993")
    expect(article.locator("header")).to_contain_text("9,007,199,254,740,997")
    rows = page.get_by_role("tree")
    for group in groups:
        expect(rows).to_contain_text(str(group))
