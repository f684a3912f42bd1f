"""Rollouts are untrusted text. Nothing in them runs, loads, or leaves the page's own origin, wherever it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, Request, expect
from tests.browser.conftest import Served
from tests.browser.waiting import settle
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

#: Each would show a dialog, ask a stranger or change the page, if anything of it came alive.
ATTACKS = {
    "script": "<script>alert('script')</script>",
    "handler": "<img src=x onerror=\"alert('handler')\"> <body onload=alert(1)>",
    "svg": '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(2)"><script>alert(3)</script></svg>',
    "frame": '<iframe src="https://evil.example/frame"></iframe><object data="https://evil.example/o"></object>',
    "link": "[click me](javascript:alert('link')) and <a href=\"javascript:alert(4)\">me</a>",
    "data": "[open](data:text/html;base64,PHNjcmlwdD5hbGVydCg1KTwvc2NyaXB0Pg==)",
    "image": "![remote](https://evil.example/pixel.png) ![x](javascript:alert(6))",
    "style": "<style>@import 'https://evil.example/s.css'; body { display: none }</style>",
    "autolink": "<https://evil.example/auto> <javascript:alert(7)>",
    "katex": r"$\href{javascript:alert(8)}{x} \url{https://evil.example} \includegraphics{https://evil.example/i.png}$",
    "katex-html": r"$$\htmlData{x=1}{y} \htmlStyle{position:fixed}{z} \class{evil}{w}$$",
    "katex-bomb": r"$\def\a{\a\a}\a$ and $\rule{99999em}{99999em}$",
    "code": "```html\n<script>alert('code')</script>\n```\n```\"><img/src/onerror=alert(9)>\nx\n```",
    "table": "| <img src=x onerror=alert(10)> |\n|---|\n| <script>alert(11)</script> |",
    "entity": "&lt;script&gt;alert(12)&lt;/script&gt; &#x3c;img src=x onerror=alert(13)&#x3e;",
    "template": "<template><script>alert(14)</script></template><base href='https://evil.example/'>",
    "meta": "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "bidi": "\u202e evil \u2066 text \u0000\u0007\u001b[31m",
    "think": "<think><script>alert(15)</script>",
}
NAME = "<img src=x onerror=alert('name')>"


def write_hostile(directory: Path) -> Path:
    config = {NAME: NAME, "nested": {"<script>alert(1)</script>": ["javascript:alert(1)"]}}
    with record.start(directory, config, code_dir=directory.parent) as run, run.iteration(0) as iteration:
        for name, attack in ATTACKS.items():
            with iteration.group(name, prompt=attack, env=NAME) as group:
                group.add(
                    response=f"{attack}\n\nstill here: {name}",
                    reward=1.0,
                    rewards={NAME: 0.5},
                    metrics={NAME: 1.0, "<script>alert(16)</script>": 2},
                    golden_answers={NAME: attack},
                    dataset=NAME,
                    tags=[NAME],
                    turns=[{"logs": {NAME: attack}, "metrics": {NAME: 1}}],
                )
        with iteration.group("tools", env=NAME) as group:
            call = {"id": NAME, "function": {"name": NAME, "arguments": json.dumps({NAME: ATTACKS["handler"]})}}
            messages: list[dict[str, Any]] = [
                {"role": "user", "content": NAME},
                {"role": "assistant", "content": "", "tool_calls": [call]},
                {"role": NAME, "name": NAME, "content": ATTACKS["script"]},
            ]
            group.add(messages, reward=0.0, stop_reason=NAME)
        with iteration.group("gone", prompt="x", env=NAME) as group:
            group.add(response="y", discard_reason=NAME)
        iteration.log_metrics({NAME: 1.0, "a/<b>bold</b>/c": 2.0})
    return directory


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    root = tmp_path_factory.mktemp("hostile")
    return serve(write_hostile(root / "<img src=x onerror=alert('run')>"))


@pytest.fixture
def watched(page: Page, hostile: Server) -> Iterator[Page]:
    """The page, with every dialog and every request to a stranger noted; there must be none."""
    harm: list[str] = []

    def refuse(dialog: Dialog) -> None:
        harm.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", refuse)

    def note(request: Request) -> None:
        if not request.url.startswith((hostile.url, "data:image/", "blob:")):
            harm.append(f"request {request.url}")

    page.on("request", note)
    page.on("framenavigated", lambda frame: harm.append(f"frame {frame.url}") if frame.parent_frame else None)
    yield page
    assert not harm


@pytest.mark.parametrize("number", range(len(ATTACKS)), ids=list(ATTACKS))
def test_an_attack_in_a_sample_is_only_text(watched: Page, hostile: Server, number: int) -> None:
    name = list(ATTACKS)[number]
    watched.goto(f"{hostile.url}?step=0&sample={number}")
    article = watched.get_by_role("article")
    expect(article.get_by_text(f"still here: {name}").first).to_be_visible()
    # Formatting has come (it loads at the first sample that needs it) when the answer is no longer plain text.
    expect(article.locator("p", has_text=f"still here: {name}").first).to_be_visible()
    settle(watched)
    assert article.locator("script, iframe, object, embed, base, meta, style, img, a[href^=javascript]").count() == 0
    on_handlers = "all => all.filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length"
    assert article.locator("*").evaluate_all(on_handlers) == 0
    for link in article.locator("a[href]").all():
        assert not re.match("javascript:|data:|https?:", link.get_attribute("href") or "")


def test_names_of_all_kinds_are_only_text(watched: Page, hostile: Server) -> None:
    tools = len(ATTACKS)
    watched.goto(f"{hostile.url}?step=0&sample={tools}")
    article = watched.get_by_role("article")
    expect(article.locator("header").get_by_text(NAME, exact=True).first).to_be_visible()
    expect(article.get_by_text("alert('script')").first).to_be_visible()
    watched.get_by_role("button", name=re.compile("^Sort:")).click()
    expect(watched.get_by_role("dialog", name="Sort")).to_be_visible()
    watched.keyboard.press("Escape")
    watched.get_by_role("button", name=re.compile("choose a run")).click()
    expect(watched.get_by_role("dialog", name="Runs")).to_contain_text("onerror=alert('run')")


@pytest.mark.parametrize(
    "query", ["raw=1", "side=1", "find=alert", "page=discarded", "page=metrics", "page=run", "page=evals"]
)
def test_no_page_brings_an_attack_to_life(watched: Page, hostile: Server, query: str) -> None:
    watched.goto(f"{hostile.url}?step=0&{query}")
    expect(watched.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(watched.locator("main")).to_contain_text(re.compile(r"\S"))
    settle(watched)


def test_hostile_parameters_in_the_address_are_only_text(watched: Page, hostile: Server) -> None:
    watched.goto(
        f"{hostile.url}?run={NAME}&split=<script>alert(1)</script>&where={NAME}&find={NAME}&columns={NAME}&q={NAME}"
    )
    expect(watched.get_by_text(f"There is no run “{NAME}”")).to_be_visible()


def test_a_formula_cannot_cover_the_page_or_hang_it(watched: Page, hostile: Server) -> None:
    number = list(ATTACKS).index("katex-bomb")
    watched.goto(f"{hostile.url}?step=0&sample={number}")
    article = watched.get_by_role("article")
    expect(article.locator("[data-math]").first).to_be_visible()
    settle(watched)
    box = article.get_by_role("region", name="Sample text").evaluate("body => body.scrollHeight")
    assert box < 6000, "a rule of 99,999 em is cut to size"
