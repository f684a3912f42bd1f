"""Runs full of odd values, and questions about them: every door says what a reader of plain `json` finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.differential.questions import Questions
from tests.server.client import serving

#: Each found something once, or is of a kind of its own. `make soak ARGS='--only questions'` asks about others.
SEEDS = (1, 3, 4, 6, 9, 12, 143, 100245)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_answer_is_the_plain_readers(tmp_path: Path, seed: int) -> None:
    assert list(Questions(tmp_path, seed).differences()) == []


def test_a_server_says_the_same(tmp_path: Path) -> None:
    asked = [Questions(tmp_path, seed) for seed in (1, 12, 100245)]
    environment = {"ROLLSCOPE_INDEX_DIR": str(tmp_path / "served"), "XDG_DATA_HOME": str(tmp_path / "data")}
    with serving(tmp_path / "runs", env=environment) as server:
        assert [found for questions in asked for found in questions.served(server)] == []
