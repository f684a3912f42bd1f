"""What holds for every test: its own index directory, none of the user's settings, no deadline for generated cases."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from tests.chromium import launched_chromium
from tests.unprivileged import folder_for_everybody

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A shared machine may stall any single example; a test that really hangs is ended by pytest-timeout.
hypothesis.settings.register_profile("rollscope", deadline=None, print_blob=True)
hypothesis.settings.load_profile("rollscope")

# A shell that starts the tests in the background has them, and what they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow-browser",
        type=float,
        default=1,
        help="slow the browser tests' pages down by this factor: a test that waits for states passes at 10 too",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's event loop stays with the process, and tests that run their own would fail."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(autouse=True)
def index_dir(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty index for every test, in this process and in the commands it starts.

    It lies outside ``tmp_path``, so that a test may open ``tmp_path`` as a root of runs."""
    for name in [name for name in os.environ if name.startswith("ROLLSCOPE_")]:
        monkeypatch.delenv(name)
    directory = tmp_path_factory.mktemp("index")
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(directory))
    return directory


@pytest.fixture
def open_folder(index_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Instead of ``tmp_path``, for a test in which another user reads what is there, with an index of its own."""
    with folder_for_everybody() as folder:
        monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(folder / "index"))
        yield folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One for all tests of a process: Playwright cannot be started twice in it."""
    with launched_chromium() as running:
        yield running
