"""A small run, for tests of its index."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs import write_relax


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_relax(tmp_path / "run")
