"""A real Chromium on a real server. Tests read like a person's actions: what they see by role and name, not by class."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from tests.server.client import Server, serving

VIEWPORT = {"width": 1600, "height": 1000}
#: A shared machine may stall; what never comes fails all the same.
PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)

Served = Callable[..., Server]


@pytest.fixture(autouse=True)
def data_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dashboards that a test saves are not the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh window with nothing remembered. An error in the page's own code fails the test that met it."""
    context = browser.new_context(viewport=VIEWPORT, color_scheme="light", locale="en-GB", timezone_id="UTC")
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))

    def heard(message: ConsoleMessage) -> None:
        # A request that was answered with an error is the page's to show, and a test's to ask for.
        if message.type == "error" and "Failed to load resource" not in message.text:
            problems.append(message.text)

    opened.on("console", heard)
    yield opened
    context.close()
    assert not problems, problems


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
