"""The frame around the pages: runs, themes, panes; and what is shown when there is nothing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.browser.school import write_school
from tests.browser.waiting import eventually, eventually_equal, settle
from tests.fixtures import write_jsonl
from tests.runs import write_relax
from tests.server.client import Server, serving

from rollscope.query.library import Library

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    """Three runs under one root: one recorded with its config, two of another trainer."""
    root: Path = tmp_path_factory.mktemp("many")
    write_school(root / "school")
    write_relax(root / "relax-a")
    write_relax(root / "relax-b", steps=2)
    return serve(root)


def open_runs(page: Page) -> None:
    page.get_by_role("button", name=re.compile("choose a run")).click()


def test_runs_are_listed_searched_and_opened(page: Page, many: Server) -> None:
    page.goto(f"{many.url}?run=school")
    expect(page.get_by_role("article")).to_be_visible()
    open_runs(page)
    runs = page.get_by_role("dialog", name="Runs")
    expect(runs.get_by_role("listitem")).to_have_count(3)
    expect(runs.get_by_role("listitem").first).to_contain_text(re.compile("live|finished"))
    runs.get_by_label("Search runs").fill("relax-b")
    expect(runs.get_by_role("listitem")).to_have_count(1)
    runs.get_by_role("button", name=re.compile("^relax-b")).click()
    expect(page).to_have_url(re.compile("run=relax-b"))
    expect(page.get_by_role("article")).to_contain_text("What is 0 + 1?")


def test_runs_are_found_by_a_config_value(page: Page, many: Server) -> None:
    page.goto(many.url)
    open_runs(page)
    runs = page.get_by_role("dialog", name="Runs")
    runs.get_by_label("Search runs").fill("config:learning_rate=5e-7")
    expect(runs.get_by_role("listitem")).to_have_count(1)
    expect(runs).to_contain_text("school")
    runs.get_by_label("Search runs").fill("config:learning_rate=1")
    expect(runs).to_contain_text("No run matches.")


def test_a_ticked_run_is_overlaid_and_keeps_its_colour(page: Page, many: Server) -> None:
    page.goto(f"{many.url}?run=school")
    open_runs(page)
    runs = page.get_by_role("dialog", name="Runs")
    runs.get_by_label("Overlay relax-a on charts").check()
    expect(page).to_have_url(re.compile("compare=relax-a"))
    runs.get_by_role("button", name="Colour of relax-a").click()
    page.get_by_role("dialog", name="Colour of relax-a").get_by_role("button", name="Colour 4").click()
    page.keyboard.press("Escape")
    page.reload()
    chip = page.get_by_role("button", name="Remove relax-a from the comparison")
    expect(chip).to_be_visible()
    dot = chip.locator("xpath=../i")
    expect(dot).to_have_attribute("style", re.compile("--run-4"))
    chip.click()
    expect(page).not_to_have_url(re.compile("compare="))


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_theme_follows_the_system_and_can_be_set(page: Page, many: Server, system: str) -> None:
    page.emulate_media(color_scheme="dark" if system == "dark" else "light")
    page.goto(many.url)
    background = "() => getComputedStyle(document.body).backgroundColor"
    dark, light = "rgb(20, 20, 23)", "rgb(247, 247, 245)"
    eventually_equal(page, lambda: page.evaluate(background), dark if system == "dark" else light)
    page.get_by_role("button", name="Appearance and help").click()
    other = "Light" if system == "dark" else "Dark"
    page.get_by_role("dialog", name="Appearance and help").get_by_role("button", name=other, exact=True).click()
    eventually_equal(page, lambda: page.evaluate(background), light if system == "dark" else dark)
    page.reload()
    eventually_equal(page, lambda: page.evaluate(background), light if system == "dark" else dark)


def test_the_colour_blind_palette_changes_rewards(page: Page, many: Server) -> None:
    page.goto(f"{many.url}?run=school&step=1")
    dot = page.get_by_title("reward 0 · sample 4", exact=True)
    expect(dot).to_be_visible()
    colour = "dot => getComputedStyle(dot).backgroundColor"
    red = dot.evaluate(colour)
    page.get_by_role("button", name="Appearance and help").click()
    page.get_by_role("button", name=re.compile("^Colour-blind safe")).click()
    page.keyboard.press("Escape")
    blue = eventually(page, lambda: dot.evaluate(colour), lambda now: now != red)
    assert red != blue
    page.reload()
    expect(dot).to_be_visible()
    eventually_equal(page, lambda: dot.evaluate(colour), blue)


def test_panes_collapse_and_stay_so(page: Page, many: Server) -> None:
    page.goto(f"{many.url}?run=school")
    expect(page.get_by_role("tree")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Hide the list")).click()
    expect(page.get_by_role("tree")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("article")).to_be_visible()
    expect(page.get_by_role("tree")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Show the list")).click()
    expect(page.get_by_role("tree")).to_be_visible()


def test_panes_resize_by_pointer_and_by_key_and_stay_so(page: Page, many: Server) -> None:
    page.goto(f"{many.url}?run=school")
    edge = page.get_by_role("separator", name="Width of the list")
    expect(page.get_by_role("article")).to_be_visible()
    settle(page)
    box = edge.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 3, 500)
    page.mouse.down()
    page.mouse.move(box["x"] + 83, 500, steps=4)
    page.mouse.up()
    expect(edge).to_have_attribute("aria-valuenow", "428")
    edge.focus()
    page.keyboard.press("ArrowLeft")
    expect(edge).to_have_attribute("aria-valuenow", "412")
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", "412")


@pytest.mark.parametrize("width", [900, 1280, 1600, 3840])
def test_nothing_is_cut_off_at_any_width(page: Page, many: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{many.url}?run=school&step=4&sample=16")
    expect(page.get_by_role("article")).to_be_visible()
    eventually_equal(page, lambda: page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), True)
    for name in ["Raw", re.compile("^Render"), "Copy link"]:
        expect(page.get_by_role("article").get_by_role("button", name=name).first).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("width", [900, 1280, 1440])
def test_overlaid_runs_never_cover_the_pages_and_are_told_apart(
    page: Page, tmp_path_factory: pytest.TempPathFactory, serve: Served, width: int
) -> None:
    root = tmp_path_factory.mktemp("long")
    names = [f"qwen3-8b-math-and-tools-lr5e-7-batch-512-seed-{seed}-of-the-second-sweep" for seed in range(4)]
    for name in names:
        write_relax(root / name)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{serve(root).url}?page=metrics&run={names[0]}&compare={','.join(names[1:])}")
    last = page.get_by_title(names[3], exact=True)
    expect(last).to_have_text("3")
    # All of it is seen: nothing of the name is cut off.
    assert last.evaluate("name => [...name.children, name].every(part => part.scrollWidth <= part.clientWidth + 1)")
    for tab in page.get_by_role("navigation", name="Pages").get_by_role("link").all():
        # A click would fail if anything lay over it.
        tab.click(trial=True)
        expect(tab).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    # A run alone is told from those that could be opened instead.
    page.goto(f"{serve(root).url}?page=metrics&run={names[2]}")
    expect(page.get_by_title(names[2], exact=True)).to_have_text("2")


@pytest.mark.expects_errors(
    "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"
)
def test_a_server_that_stops_is_said_to_be_lost(page: Page, tmp_path: Path) -> None:
    with serving(write_relax(tmp_path / "relax")) as server:
        page.goto(server.url)
        expect(page.get_by_role("article")).to_be_visible()
    expect(page.get_by_text("server lost, trying again")).to_be_visible()
    expect(page.get_by_role("article")).to_be_visible()


def test_the_header_says_what_was_guessed_and_offers_the_mapping(page: Page, serve: Served, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "house" / "step_3.jsonl", [{"question": "2 + 2?", "output": "4", "points": 1, "score": 0.5}])
    server = serve(tmp_path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(server.url)
    page.get_by_role("button", name="Guessed", exact=True).click()
    panel = page.get_by_role("dialog", name="What was guessed")
    expect(panel).to_contain_text("question as prompt, output as response, score as reward")
    panel.get_by_role("button", name="Copy the file").click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert tomllib.loads(copied) == {"map": {"prompt": "question", "response": "output", "reward": "score"}}
    (tmp_path / "house" / "rollscope.toml").write_text(copied.replace('"score"', '"points"'))
    (sample,) = Library([tmp_path]).runs()[0].samples().rows
    assert sample.reward == 1.0
