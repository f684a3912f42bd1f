"""The HTML report: nothing in it runs or loads, it works from the file system, and it holds a large group."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.browser.waiting import settle

from rollscope import record
from rollscope.record import logtree

HOSTILE = '<script>window.hit = 1</script><img src=x onerror="window.hit = 2">"\'&</pre></article><!--'


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags(path: Path) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(path.read_text("utf-8"))
    return parser.seen


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in which everything that can be text is an attack."""
    directory = tmp_path_factory.mktemp("hostile")
    with record.start(directory) as run, run.iteration(0) as iteration:
        fields: record.SampleFields = {
            "prompt": HOSTILE, "env": HOSTILE, "golden_answers": {HOSTILE: HOSTILE}, "stop_reason": HOSTILE,
            "rewards": {HOSTILE: 1.0}, "discard_reason": HOSTILE, "turns": [{"logs": {HOSTILE: HOSTILE}}],
        }  # fmt: skip
        with iteration.group(HOSTILE, **fields) as group:
            logtree.log_text(HOSTILE)
            logtree.header(HOSTILE)
            logtree.details(HOSTILE, summary=HOSTILE)
            logtree.table([{HOSTILE: HOSTILE}], caption=HOSTILE)
            with logtree.scope_div(onclick="window.hit = 3", style="color: red", data__x=HOSTILE):
                logtree.log_html(
                    '<b id="raw">bold</b><script>window.hit = 4</script><img src="https://example.org/x.png">'
                )
            group.add(
                response=[
                    {"role": HOSTILE, "content": HOSTILE},
                    {
                        "role": "assistant",
                        "reasoning_content": HOSTILE,
                        "tool_calls": [{"name": HOSTILE, "arguments": HOSTILE}],
                    },
                    {"role": "tool", "name": HOSTILE, "content": f"<think>{HOSTILE}"},
                ]
            )
    return directory / "train_iteration_000000.html"


def test_all_text_is_escaped(hostile: Path) -> None:
    seen = tags(hostile)
    scripts = [attrs for tag, attrs in seen if tag == "script"]
    assert len(scripts) == 2  # the page's own, and the one that log_html was given, which the policy stops
    assert not [attrs for _, attrs in seen if any(name.startswith("on") for name in attrs)]
    assert [tag for tag, _ in seen].count("img") == 1


def test_the_policy_is_in_the_page_and_names_its_script(hostile: Path) -> None:
    [policy] = [
        attrs["content"] for tag, attrs in tags(hostile) if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/=]{44}'", policy)
    assert "http" not in policy


def test_the_page_loads_nothing(hostile: Path) -> None:
    loaded = [attrs for tag, attrs in tags(hostile) if tag != "img" and ("src" in attrs or tag == "link")]
    assert loaded == []


@pytest.mark.browser
def test_nothing_in_a_hostile_report_runs(hostile: Path, browser: Browser) -> None:
    page = browser.new_page()
    loaded: list[str] = []
    page.on("requestfinished", lambda request: loaded.append(request.url))
    stopped: list[tuple[str, str]] = []
    page.on("requestfailed", lambda request: stopped.append((request.url, request.failure)))
    page.goto(hostile.as_uri())
    page.click("#lt-unfold")
    settle(page)
    assert page.evaluate("window.hit") is None
    assert page.inner_text("#raw") == "bold"
    assert [url for url in loaded if not url.startswith("file:")] == []
    assert stopped == [("https://example.org/x.png", "csp")]
    page.close()


@pytest.mark.browser
def test_a_person_finds_their_way(tmp_path: Path, browser: Browser) -> None:
    with record.start(tmp_path) as run:
        run.declare_range("sums", reward=(0, 1))
        with run.iteration(3) as iteration:
            for number in range(3):
                with iteration.group(prompt=f"What is {number} + 1?", env="sums") as group:
                    group.add(response=f"<think>count {number}</think>It is {number + 1}.", reward=1.0)
                    group.add(response="No idea.", reward=0.0, stop_reason="length")
    page = browser.new_page(color_scheme="dark")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "train_iteration_000003.html").as_uri())
    assert page.title() == "Training iteration 3"
    assert page.locator("nav li").count() == 3
    assert page.locator("details.lt-traj").count() == 6
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#lt-theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.fill("#lt-find", "count 1")
    page.get_by_text("1 hit", exact=True).wait_for()
    assert page.locator("main > section:visible").count() == 1
    assert page.locator(".lt-think[open]").count() == 1
    page.fill("#lt-find", "")
    page.locator("main > section:not(.lt-hidden)").nth(2).wait_for()
    page.click("#lt-fold")
    assert page.locator("details[open]").count() == 0
    assert errors == []
    page.close()


@pytest.mark.browser
def test_a_group_of_64_trajectories_of_32k_tokens_opens(tmp_path: Path, browser: Browser) -> None:
    text = "<think>\n" + "some words of reasoning, again and again\n" * 3_200 + "</think>\nThe answer is 42."
    with record.start(tmp_path) as run, run.iteration(0) as iteration, iteration.group(prompt="long") as group:
        for place in range(64):
            group.add(response=text, reward=float(place % 2))
    path = tmp_path / "train_iteration_000000.html"
    assert path.stat().st_size > 8e6
    page = browser.new_page()
    page.goto(path.as_uri())
    page.locator("details.lt-traj > summary").nth(63).click()
    assert "The answer is 42." in page.locator("details.lt-traj").nth(63).inner_text()
    page.close()
