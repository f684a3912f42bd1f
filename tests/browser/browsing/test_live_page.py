"""While training writes, the page grows by itself, and what one is reading never moves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import serving_page
from tests.browser.waiting import eventually_equal, settle
from tests.runs import append, relax_record, write_relax
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser


def step_file(root: Path, step: int) -> Path:
    return root / "train" / f"{step}.jsonl"


def open_page(page: Page, server: Server, query: str = "") -> None:
    page.goto(f"{server.url}?{query}")
    expect(page.get_by_role("article")).to_be_visible()
    expect(page.get_by_role("treeitem").first).to_be_visible()


def test_appended_samples_appear_without_a_reload(page: Page, tmp_path: Path) -> None:
    write_relax(tmp_path, steps=2, samples=8)
    with serving_page(page, tmp_path) as server:
        open_page(page, server, "step=1&sample=5")
        text = page.get_by_role("region", name="Sample text")
        settle(page)
        before = text.inner_text()
        append(step_file(tmp_path, 1), *[relax_record(1, index) for index in range(8, 12)])
        expect(page.get_by_text("3 groups · 12 samples")).to_be_visible()
        eventually_equal(page, text.inner_text, before)
        expect(page).to_have_url(re.compile("step=1&sample=5"))


def test_an_unfinished_line_waits(page: Page, tmp_path: Path) -> None:
    write_relax(tmp_path, steps=1, samples=4)
    with serving_page(page, tmp_path) as server:
        open_page(page, server)
        with step_file(tmp_path, 0).open("a", encoding="utf-8") as file:
            file.write('{"prompt": "half a li')
        append(tmp_path / "train" / "1.jsonl", relax_record(1, 0))
        expect(page.get_by_role("button", name="All steps; the last is 1")).to_be_visible()
        expect(page.get_by_text("1 group · 4 samples")).to_be_visible()


def test_a_new_step_leaves_the_reader_where_he_is_unless_he_follows(page: Page, tmp_path: Path) -> None:
    write_relax(tmp_path, steps=2, samples=4)
    with serving_page(page, tmp_path) as server:
        open_page(page, server, "step=1&sample=2")
        append(step_file(tmp_path, 2), *[relax_record(2, index) for index in range(4)])
        expect(page.get_by_role("button", name="All steps; the last is 2")).to_be_visible()
        expect(page.get_by_label("Step", exact=True)).to_have_value("1")

        page.get_by_role("button", name="Follow").click()
        expect(page.get_by_label("Step", exact=True)).to_have_value("2")
        append(step_file(tmp_path, 3), *[relax_record(3, index) for index in range(4)])
        expect(page.get_by_label("Step", exact=True)).to_have_value("3")
        expect(page).to_have_url(re.compile("step=latest"))

        # Opening a sample is reading it: it stays.
        expect(page.get_by_role("article")).to_have_attribute("aria-label", re.compile("^Sample train/3/"))
        expect(page.get_by_role("treeitem", level=2).first).to_be_visible()
        page.keyboard.press("n")
        expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
        append(step_file(tmp_path, 4), *[relax_record(4, index) for index in range(4)])
        expect(page.get_by_role("button", name="All steps; the last is 4")).to_be_visible()
        expect(page.get_by_label("Step", exact=True)).to_have_value("3")


def test_a_step_that_is_still_filling_is_said_to_be(page: Page, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with record.start(directory, {}, code_dir=tmp_path) as run:
        with run.iteration(0) as iteration:
            for number in range(3):
                with iteration.group(prompt=f"question {number}") as group:
                    group.add(response="done", reward=1.0)
        with run.iteration(1) as iteration:
            with iteration.group(prompt="question 0") as group:
                group.add(response="first of step 1", reward=0.0)
            run.flush()
            with serving_page(page, directory) as server:
                open_page(page, server)
                expect(page.get_by_text("step 1 filling · 1 of 3 groups")).to_be_visible()
                with iteration.group(prompt="question 1") as group:
                    group.add(response="second of step 1", reward=0.0)
                run.flush()
                expect(page.get_by_text("step 1 filling · 2 of 3 groups")).to_be_visible()


@pytest.mark.expects_errors(r"404 \(Not Found\).*/sample\?")
def test_a_rewritten_file_is_never_shown_stale(page: Page, tmp_path: Path) -> None:
    write_relax(tmp_path, steps=1, samples=4)
    with serving_page(page, tmp_path) as server:
        open_page(page, server, "step=0&sample=0")
        step_file(tmp_path, 0).unlink()
        append(step_file(tmp_path, 0), relax_record(0, 0, response="rewritten since"))
        expect(page.get_by_role("article")).to_contain_text("rewritten since")
