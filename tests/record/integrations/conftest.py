from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rollscope.record.integrations import shared


@pytest.fixture
def run_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where hooks without arguments record."""
    directory = tmp_path / "run"
    monkeypatch.setenv(shared.RUN_VARIABLE, str(directory))
    yield directory
    run = shared._runs.pop(str(directory), None)
    if run is not None:
        run.close()


@pytest.fixture
def with_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(shared.TOKENS_VARIABLE, "1")
