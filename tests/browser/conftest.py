"""A real Chromium on a real server. Tests read like a person's actions: what they see by role and name, not by class."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect
from tests.browser.waiting import PATIENCE_MS
from tests.server.client import Server, serving

VIEWPORT = {"width": 1600, "height": 1000}
expect.set_options(timeout=PATIENCE_MS)

Served = Callable[..., Server]


@pytest.fixture(autouse=True)
def data_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dashboards that a test saves are not the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.fixture(autouse=True)
def no_errors_in_the_page(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever window a test opens: an error that nobody caught, or that the console shows, fails the test.

    A test that provokes one says so: `@pytest.mark.expects_errors("pattern", ...)`, of the console's words.
    """
    expected = [pattern for mark in request.node.iter_markers("expects_errors") for pattern in mark.args]
    problems: list[str] = []

    def heard(text: str) -> None:
        if not any(re.search(pattern, text) for pattern in expected):
            problems.append(text)

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            heard(f"{message.text} ({message.location.get('url', '')})")

    new_context = Browser.new_context

    def listening(browser: Browser, *args: Any, **options: Any) -> BrowserContext:
        context = new_context(browser, *args, **options)
        context.on("weberror", lambda error: heard(f"uncaught: {error.error}"))
        context.on("console", on_console)
        return context

    monkeypatch.setattr(Browser, "new_context", listening)
    yield
    assert not problems, problems


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh window with nothing remembered. What moves is still: each of its frames takes a core that tests need."""
    context = browser.new_context(
        viewport=VIEWPORT, color_scheme="light", reduced_motion="reduce", locale="en-GB", timezone_id="UTC"
    )
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    slowdown = request.config.getoption("--slow-browser")
    if slowdown > 1:
        context.new_cdp_session(opened).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    yield opened
    context.close()


@contextmanager
def serving_page(page: Page, *paths: Path, flags: Sequence[str] = ()) -> Iterator[Server]:
    """A server of the test's own. The page leaves before it stops, so that it meets no server that is gone."""
    with serving(*paths, flags=flags) as server:
        yield server
        page.goto("about:blank")


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that `rollscope demo` writes: math and tools, evals, discarded groups, checkpoints, reports."""
    directory = tmp_path_factory.mktemp("demo") / "demo"
    command = [sys.executable, "-m", "rollscope.cli.main", "demo", str(directory), "--no-serve"]
    subprocess.run(command, check=True, capture_output=True)
    return directory


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`serve(path, …)`: a server on these runs for the rest of the session; the same paths share one."""
    running: dict[tuple[str, ...], Server] = {}
    stack = []
    index = tmp_path_factory.mktemp("index")
    home = tmp_path_factory.mktemp("home")

    def start(*paths: Path) -> Server:
        key = tuple(map(str, paths))
        if key not in running:
            environment = {"ROLLSCOPE_INDEX_DIR": str(index), "XDG_DATA_HOME": str(home)}
            opened = serving(*paths, env=environment)
            running[key] = opened.__enter__()
            stack.append(opened)
        return running[key]

    yield start
    for opened in reversed(stack):
        opened.__exit__(None, None, None)


@pytest.fixture(scope="session")
def demo(demo_run: Path, serve: Served) -> Server:
    """A server on the demo run."""
    return serve(demo_run)
