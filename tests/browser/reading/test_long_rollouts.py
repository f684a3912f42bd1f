"""Agentic rollouts of many turns: where one is, which turn failed, and getting there by key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import Served
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

TURNS = 40
#: Turns of a rollout that has more of them than a strip has room for.
MANY = 240
#: Turns (as people count) whose tool answered with an error, or that were fined.
FAILING = (12, 30)


def conversation() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Put the shop's books in order."}]
    for turn in range(1, TURNS + 1):
        call = {"id": f"c{turn}", "function": {"name": "shell", "arguments": '{"command": "ls"}'}}
        messages.append({"role": "assistant", "content": f"This is what I do in turn {turn}.", "tool_calls": [call]})
        answer = "Traceback (most recent call last):\n  boom" if turn in FAILING else f"shelf {turn}\n" * 4
        messages.append({"role": "tool", "name": "shell", "tool_call_id": f"c{turn}", "content": answer})
    return messages


def short_turns() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    for turn in range(1, MANY + 1):
        messages.append({"role": "assistant", "content": "on"})
        messages.append({"role": "tool", "content": "Traceback (most recent call last):" if turn == 200 else "ok"})
    return messages


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    directory = tmp_path_factory.mktemp("desk") / "desk"
    with record.start(directory, {}) as run, run.iteration(0) as iteration, iteration.group(env="desk") as group:
        group.add(messages=conversation(), reward=1.0)
        group.add(messages=conversation()[:2], reward=0.0)
        group.add(messages=short_turns(), reward=0.5)
    return serve(directory)


def open_long(page: Page, server: Server) -> Locator:
    page.goto(f"{server.url}?step=0&sample=0")
    strip = page.get_by_role("navigation", name="Turns")
    expect(strip).to_be_visible()
    return strip


def test_all_turns_stand_in_a_strip_that_stays_in_view(page: Page, desk: Server) -> None:
    strip = open_long(page, desk)
    expect(strip.get_by_role("button", name=re.compile(r"^turn \d+"))).to_have_count(TURNS)
    expect(strip).to_contain_text(f"{TURNS} turns")
    page.keyboard.press("G")
    expect(strip).to_be_in_viewport()
    expect(strip).to_contain_text(re.compile(rf"turn \d+ of {TURNS}"))


def test_j_and_k_go_by_turn_and_not_by_message(page: Page, desk: Server) -> None:
    strip = open_long(page, desk)
    for turn in (1, 2, 3):
        page.keyboard.press("j")
        expect(strip).to_contain_text(f"turn {turn} of {TURNS}")
    page.keyboard.press("k")
    expect(strip).to_contain_text(f"turn 2 of {TURNS}")
    expect(page.get_by_text("This is what I do in turn 2.")).to_be_in_viewport()


def test_a_click_on_a_turn_goes_there(page: Page, desk: Server) -> None:
    strip = open_long(page, desk)
    strip.get_by_role("button", name="turn 25", exact=True).click()
    expect(page.get_by_text("This is what I do in turn 25.")).to_be_in_viewport()
    expect(strip).to_contain_text(f"turn 25 of {TURNS}")


def test_the_strip_of_very_many_turns_stays_in_its_place(page: Page, desk: Server) -> None:
    page.set_viewport_size({"width": 900, "height": 700})
    page.goto(f"{desk.url}?step=0&sample=2")
    strip = page.get_by_role("navigation", name="Turns")
    expect(strip).to_contain_text(f"{MANY} turns")
    cells = strip.get_by_role("button", name=re.compile(r"^turns \d+–\d+"))
    expect(cells.first).to_have_accessible_name("turns 1–2")
    expect(cells.last).to_have_accessible_name(re.compile(f"–{MANY}"))
    failing = strip.get_by_role("button", name="1 failing", exact=True)
    box, button = cells.last.bounding_box(), failing.bounding_box()
    assert box
    assert button
    assert box["x"] + box["width"] <= button["x"]
    strip.get_by_role("button", name=re.compile("–200 · 1 failing")).click()
    expect(strip).to_contain_text(f"turn 200 of {MANY}")


def test_a_key_leads_from_one_failing_turn_to_the_next(page: Page, desk: Server) -> None:
    strip = open_long(page, desk)
    expect(strip.get_by_role("button", name=f"{len(FAILING)} failing")).to_be_visible()
    for turn in (*FAILING, FAILING[0]):
        page.keyboard.press("x")
        expect(strip).to_contain_text(f"turn {turn} of {TURNS}")
        expect(page.get_by_text(f"This is what I do in turn {turn}.")).to_be_in_viewport()
    page.keyboard.press("Shift+K")
    expect(strip).to_contain_text(f"turn {FAILING[-1]} of {TURNS}")
    page.keyboard.press("Shift+J")
    expect(strip).to_contain_text(f"turn {FAILING[0]} of {TURNS}")


def test_a_wide_window_has_an_outline_that_leads_to_each_message(page: Page, desk: Server) -> None:
    page.set_viewport_size({"width": 3840, "height": 1200})
    open_long(page, desk)
    outline = page.get_by_role("navigation", name="Outline")
    expect(outline).to_be_visible()
    box, text = outline.bounding_box(), page.get_by_role("region", name="Sample text").bounding_box()
    assert box
    assert text
    assert text["x"] < box["x"] < text["x"] + 2200
    outline.get_by_role("button", name=re.compile(r"^Assistant · turn 20\b")).click()
    expect(page.get_by_text("turn 20 of")).to_be_visible()
    expect(outline.get_by_role("button", name=re.compile(r"^Assistant · turn 20\b"))).to_have_attribute(
        "aria-current", "location"
    )


def test_the_turns_are_listed_at_the_right_in_place_of_the_charts(page: Page, desk: Server) -> None:
    strip = open_long(page, desk)
    page.get_by_role("radiogroup", name="At the right").get_by_text("Turns").click()
    pane = page.get_by_role("complementary", name="the metrics")
    expect(pane).to_contain_text(f"{len(FAILING)} of {TURNS} failing")
    rows = pane.get_by_role("list", name="Turns of this sample").get_by_role("button")
    expect(rows).to_have_count(TURNS)
    expect(rows.nth(0)).to_have_text(re.compile("^1 *shell$"))
    expect(rows.nth(FAILING[0] - 1)).to_contain_text("boom")
    rows.nth(24).click()
    expect(strip).to_contain_text(f"turn 25 of {TURNS}")
    expect(rows.nth(24)).to_have_attribute("aria-current", "location")
    page.keyboard.press("j")
    expect(rows.nth(25)).to_have_attribute("aria-current", "location")
    page.keyboard.press("x")
    expect(rows.nth(FAILING[1] - 1)).to_be_in_viewport()
    page.keyboard.press("n")  # a sample of one turn
    expect(pane).to_contain_text("This sample has one turn.")
    page.reload()  # what stands there is remembered
    expect(page.get_by_role("treeitem").first).to_be_visible()
    expect(page.get_by_role("article")).to_be_visible()
    page.keyboard.press("p")
    expect(rows).to_have_count(TURNS)


def test_a_sample_of_one_turn_needs_no_strip(page: Page, desk: Server) -> None:
    page.goto(f"{desk.url}?step=0&sample=1")
    expect(page.get_by_role("region", name="Sample text").get_by_text("This is what I do in turn 1.")).to_be_visible()
    expect(page.get_by_role("navigation", name="Turns")).to_have_count(0)


def test_tool_results_open_at_their_start_and_answers_at_their_end(page: Page, tmp_path: Path, serve: Served) -> None:
    lines = "\n\n".join(f"line {number}" for number in range(400))
    messages = [
        {"role": "user", "content": "Count."},
        {"role": "assistant", "content": f"{lines}\n\nthe answer's end"},
        {"role": "tool", "name": "shell", "content": f"the result's start\n\n{lines}"},
    ]
    with record.start(tmp_path / "count", {}) as run, run.iteration(0) as iteration, iteration.group() as group:
        group.add(messages=messages, reward=1.0)
    page.goto(serve(tmp_path).url)
    expect(page.get_by_text("the answer's end")).to_be_in_viewport()
    page.keyboard.press("G")
    expect(page.get_by_text("the result's start")).to_be_in_viewport()
