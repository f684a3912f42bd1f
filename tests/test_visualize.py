"""The command as viewers people come from have it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.server.data import write_run


@pytest.fixture
def run_path(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run-a", steps=1, samples=4)


def test_visualize_is_the_same_command(run_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rollscope.visualize", "--help"], capture_output=True, text=True, check=True
    )
    assert "--cache-memory" in done.stdout
