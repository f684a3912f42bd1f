"""Many runs as a table: sorted, searched, ticked, with the config values one wants."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    root = tmp_path_factory.mktemp("runs")
    for name, rate, rewards in [("alpha", 1e-6, (0.2, 0.9, 0.5)), ("beta", 5e-7, (0.1, 0.6)), ("gamma", 5e-7, (0.3,))]:
        write(root / name, rate, rewards)
    return serve(root)


def write(directory: Path, rate: float, rewards: tuple[float, ...]) -> None:
    with record.start(directory, {"optim": {"lr": rate}, "model": "tiny"}, code_dir=directory.parent) as run:
        for step, reward in enumerate(rewards):
            with run.iteration(step) as iteration, iteration.group(0, prompt="p", env="e") as group:
                group.add(response="r", reward=reward)


def test_runs_are_compared_sorted_searched_and_ticked(page: Page, runs: Server) -> None:
    page.goto(runs.url)
    # The newest opens first.
    page.get_by_role("button", name="Run gamma: choose a run").click()
    page.get_by_role("button", name="Table of all runs").click()
    rows = page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="alpha")).to_contain_text(re.compile(r"0\.50\s*0\.90\s*3\s*3"))

    page.get_by_role("button", name="best reward").click()
    expect(rows.nth(1)).to_contain_text("alpha")
    page.get_by_role("button", name="best reward").click()
    expect(rows.nth(1)).to_contain_text("gamma")

    page.get_by_role("button", name="Config columns").click()
    page.get_by_label("optim.lr").check()
    page.keyboard.press("Escape")
    expect(rows.filter(has_text="alpha")).to_contain_text("0.000001")

    box = page.get_by_role("searchbox", name=re.compile("^Search runs"))
    box.fill("config:lr=5e-7")
    expect(rows).to_have_count(3)
    page.get_by_label("Overlay all 2 found on charts").check()
    expect(page).to_have_url(re.compile("compare=beta"))
    page.reload()
    expect(rows).to_have_count(3)
    page.get_by_role("link", name=re.compile("beta")).click()
    expect(page.get_by_role("article")).to_have_attribute("aria-label", "Sample train/1/0")


def test_long_names_are_read_whole_beside_their_figures_and_offered_for_a_comparison(
    page: Page, tmp_path: Path, serve: Served
) -> None:
    common = "a-model-of-thirty-billion-tuned-on-a-mixture-of-sums-and-code-version-two"
    for end in ("lr-1", "lr-2", "lr-3"):
        write(tmp_path / f"{common}-{end}", 1e-6, (0.5, 0.6))
    server = serve(tmp_path)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{server.url}?page=runs")
    name = page.get_by_role("link", name=f"{common}-lr-2")
    expect(name).to_be_visible()
    halves = name.locator("span span")
    assert halves.evaluate_all("halves => halves.every(half => half.scrollWidth <= half.clientWidth + 1)")

    page.get_by_role("link", name="Insights").click()
    page.get_by_role("link", name="Compare runs").click()
    page.get_by_role("status").get_by_role("link").first.click()
    expect(page.get_by_text("prompts matched")).to_be_visible()
