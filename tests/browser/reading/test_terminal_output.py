"""What tools wrote, as a terminal would show it: colours, JSON over lines. It stays text."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served

from rollscope import record

pytestmark = pytest.mark.browser

OUTPUT = "\x1b[1;31mFAILED\x1b[0m tests/test_a.py \x1b[32m<b onclick=alert(1)>passed</b>\x1b[0m"


def test_tool_output_has_its_colours_and_json_its_lines(
    page: Page, serve: Served, tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.mktemp("terminal") / "shell"
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Run the tests."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "function": {"name": "sh", "arguments": '{"cmd":"pytest","n":1.50}'}}],
        },
        {"role": "tool", "name": "sh", "tool_call_id": "c", "content": OUTPUT},
        {"role": "assistant", "content": "One failed."},
    ]
    start = record.start(directory, {}, code_dir=directory.parent)
    with start as run, run.iteration(0) as iteration, iteration.group(0, env="shell") as group:
        group.add(messages, reward=0.0)
    page.goto(f"{serve(directory).url}?step=0&sample=0")
    sample = page.get_by_role("article")
    failed = sample.get_by_text("FAILED", exact=True)
    expect(failed).to_have_css("font-weight", "650")
    assert failed.evaluate("e => getComputedStyle(e).color !== getComputedStyle(e.parentElement).color")
    expect(sample.get_by_text("<b onclick=alert(1)>passed</b>")).to_be_visible()
    expect(sample.get_by_text("\x1b[1;31m")).to_have_count(0)
    page.get_by_role("button", name="Render 5").click()
    expect(sample).to_contain_text('{"cmd":"pytest","n":1.50}')
    page.get_by_label("JSON").check()
    expect(sample).to_contain_text('"n": 1.50')
    page.get_by_label("Terminal colours").uncheck()
    expect(sample.get_by_text("\x1b[1;31mFAILED")).to_be_visible()
