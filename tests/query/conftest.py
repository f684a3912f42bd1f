"""A small run for all tests of questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs import write_relax

import rollscope
from rollscope.query.run import Run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_relax(tmp_path / "run", steps=3, samples=12)


@pytest.fixture
def run(path: Path) -> Run:
    return rollscope.open(path)
