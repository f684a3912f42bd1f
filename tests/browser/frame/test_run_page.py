"""The Run page: config, comparison, diff, checkpoints, files, reports, skipped lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect
from tests.browser.charted import STEPS, write_charted_run
from tests.browser.conftest import Served
from tests.fixtures import fixture_path
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script><a href='javascript:alert(3)'>link</a> & <b>bold</b>"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    root = tmp_path_factory.mktemp("runs")
    write_charted_run(root / "first")
    write_charted_run(root / "second", learning_rate=5e-7, steps=5)
    with record.start(root / "hostile", {HOSTILE: HOSTILE}, code_dir=root) as run, run.iteration(0) as iteration:
        with record.logtree.scope_header(HOSTILE):
            record.logtree.log_text(HOSTILE)
            record.logtree.log_html(HOSTILE)
        iteration.add(prompt=HOSTILE, response=HOSTILE, reward=1.0)
    return serve(root)


def open_run(page: Page, server: Server, part: str = "config", run: str = "first") -> Locator:
    page.goto(f"{server.url}?page=run&run={run}&part={part}")
    panel = page.get_by_role("tabpanel")
    expect(panel).to_be_visible()
    return panel


def test_the_config_is_a_tree_that_folds(page: Page, runs: Server) -> None:
    panel = open_run(page, runs)
    expect(panel.get_by_text("group_size")).to_be_visible()
    panel.get_by_role("button", name="dataset").click()
    expect(panel.get_by_text("group_size")).to_have_count(0)


def test_a_long_value_of_the_config_goes_on_in_further_lines(page: Page, serve: Served, tmp_path: Path) -> None:
    config = {"note": "one thing after the other, " * 12, "file": "x" * 300, "seed": 7}
    with record.start(tmp_path / "long", config) as run, run.iteration(0) as iteration:
        iteration.add(prompt="1 + 1?", response="2", reward=1.0)
    page.set_viewport_size({"width": 900, "height": 700})
    panel = open_run(page, serve(tmp_path), run="long")
    rows = panel.get_by_role("region", name="Config")
    expect(rows.get_by_text("x" * 300)).to_be_visible()
    assert rows.evaluate("element => element.scrollWidth <= element.clientWidth")
    # The next row stands below the last line.
    long, following = rows.get_by_text("x" * 300).bounding_box(), rows.get_by_text("seed").bounding_box()
    assert long is not None
    assert following is not None
    assert long["height"] > 40
    assert following["y"] >= long["y"] + long["height"]


def test_the_config_is_searched_by_key_and_by_value(page: Page, runs: Server) -> None:
    panel = open_run(page, runs)
    panel.get_by_label("Search the config").fill("sums")
    expect(panel.get_by_title("dataset.name")).to_be_visible()
    expect(panel.get_by_title("seed", exact=True)).to_have_count(0)
    expect(page).to_have_url(re.compile("key=sums"))
    panel.get_by_label("Search the config").fill("nowhere")
    expect(panel.get_by_text("Nothing in the config has “nowhere”")).to_be_visible()


def test_comparing_shows_only_what_differs(page: Page, runs: Server) -> None:
    panel = open_run(page, runs)
    panel.get_by_role("button", name="Compare with…").click()
    page.get_by_role("button", name="second", exact=True).click()
    rows = panel.get_by_role("row")
    expect(rows.filter(has_text="learning_rate")).to_contain_text("0.00004")
    expect(rows.filter(has_text="learning_rate")).to_contain_text("5e-7")
    expect(rows.filter(has_text="group_size")).to_have_count(0)
    page.reload()
    expect(rows.filter(has_text="learning_rate")).to_be_visible()


def test_the_code_diff_shows_what_was_added_and_taken_away(page: Page, runs: Server) -> None:
    panel = open_run(page, runs, "diff")
    added = panel.locator("[data-kind=add]", has_text="lr = 4e-5")
    expect(added).to_contain_text("2")
    expect(panel.locator("[data-kind=delete]", has_text="lr = 5e-7")).to_be_visible()
    expect(panel.get_by_text("<script>alert(1)</script>")).to_be_visible()
    expect(panel.get_by_text("+1", exact=True)).to_be_visible()


def test_checkpoints_are_listed_with_their_places(page: Page, runs: Server) -> None:
    panel = open_run(page, runs, "checkpoints")
    row = panel.get_by_role("row", name=re.compile("^000019"))
    expect(row).to_contain_text("/weights/000019")
    expect(row.get_by_role("cell").first).to_have_text("19")


def test_files_are_listed_with_what_they_hold(page: Page, runs: Server) -> None:
    panel = open_run(page, runs, "files")
    panel.get_by_label("Search files").fill("000012 rollouts")
    expect(panel.get_by_title("train_iteration_000012_rollouts.jsonl")).to_be_visible()
    expect(panel.get_by_text("train · step 12").first).to_be_visible()


def test_skipped_lines_are_listed_with_file_line_and_reason(page: Page, runs: Server) -> None:
    panel = open_run(page, runs, "skipped")
    expect(page.get_by_role("tab", name="Skipped lines 1")).to_be_visible()
    expect(panel.get_by_text("train_iteration_000003_rollouts.jsonl")).to_be_visible()
    expect(panel.get_by_text("5", exact=True)).to_be_visible()


def test_what_the_run_is_and_what_its_format_cannot_know(page: Page, runs: Server) -> None:
    panel = open_run(page, runs, "about")
    expect(panel.get_by_role("row", name=re.compile("^train"))).to_contain_text(str(STEPS))
    expect(panel.get_by_role("heading", name="What this format cannot know")).to_be_visible()
    expect(panel.get_by_role("row", name=re.compile("reward"))).to_contain_text("declared")


def test_the_tabs_move_by_arrow_keys(page: Page, runs: Server) -> None:
    open_run(page, runs)
    page.get_by_role("tab", name="Config").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("tab", name="Code diff")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name="Code diff")).to_be_focused()
    expect(page).to_have_url(re.compile("part=diff"))


def test_a_report_opens_folds_and_shows_its_transcripts(page: Page, runs: Server) -> None:
    panel = open_run(page, runs, "reports")
    panel.get_by_role("button", name="train_iteration_000012").click()
    report = panel.get_by_role("region", name="Report")
    expect(report.get_by_role("heading", name="Training iteration 12")).to_be_visible()
    expect(page).to_have_url(re.compile("report=train_iteration_000012_logtree.json"))
    folded = report.locator("button[aria-expanded=false]")
    while folded.count():
        folded.first.click()
    expect(report.get_by_text("What is 0 + 12?").first).to_be_visible()


def test_nothing_in_a_report_or_config_runs_or_loads(page: Page, runs: Server) -> None:
    alerts: list[str] = []
    asked: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.on("request", lambda request: asked.append(request.url))
    panel = open_run(page, runs, "reports", run="hostile")
    report = panel.get_by_role("region", name="Report")
    expect(report.get_by_text("<script>alert(2)</script>").first).to_be_visible()
    # Of the HTML that was logged as HTML, the words stay; what would load or lead elsewhere does not.
    expect(report.locator("b", has_text="bold").first).to_be_visible()
    assert report.locator("img, script, a").count() == 0
    panel = open_run(page, runs, "config", run="hostile")
    expect(panel.get_by_text("onerror=alert(1)").first).to_be_visible()
    assert not alerts
    assert asked
    assert not [url for url in asked if not url.startswith(runs.url)]


def test_a_run_that_is_not_there_is_said(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?page=run&run=gone")
    expect(page.get_by_text("There is no run “gone”")).to_be_visible()


def test_a_tinker_run_has_its_reports(page: Page, serve: Served) -> None:
    server = serve(fixture_path("tinker_flat"))
    panel = open_run(page, server, "reports", run="tinker_flat")
    panel.get_by_role("button", name="train_iteration_000002").click()
    report = panel.get_by_role("region", name="Report")
    expect(report.get_by_role("heading", name="RL Iteration 2")).to_be_visible()
    expect(report.get_by_role("list", name="Conversation").first).to_be_visible()
