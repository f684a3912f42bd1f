"""One small run for all tests of the terminal viewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.runs import write_run


@pytest.fixture(scope="session")
def kept_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that lasts for the session: most tests are about the screen, not about reading a run anew."""
    return tmp_path_factory.mktemp("kept_index")


@pytest.fixture(autouse=True)
def index_for_viewers(kept_index: Path, index_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `index_dir`, which gives every test an empty one."""
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(kept_index))


@pytest.fixture(scope="session")
def run_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with six steps of eight kept and four discarded samples, and two eval sets. To be read, never written."""
    return write_run(tmp_path_factory.mktemp("runs") / "arithmetic")
