"""Tokens, the group as a tree and two samples word by word, by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

from rollscope import record

pytestmark = pytest.mark.asyncio

SAID = ["so we add and get 4", "so we add and get 5", "so I guess 7"]


@pytest.fixture
def recorded_path(tmp_path: Path) -> Path:
    run = record.start(tmp_path / "run")
    with run.iteration(0) as iteration, iteration.group(prompt="2 + 2?") as group:
        for number, text in enumerate(SAID):
            words = [f"{word} " for word in text.split()]
            sampler = [-0.1] * len(words)
            trainer = [-0.1] * len(words)
            trainer[2] = -1.5
            tokens = {
                "strings": words,
                "logprobs": sampler,
                "trainer_logprobs": trainer,
                "mask": [1] * len(words),
                "top": [{"we": -0.1, "they": -2.0}, *[{}] * (len(words) - 1)],
            }
            sample = group.add(response=text, reward=float(number == 0))
            if number < 2:
                sample.set_tokens(tokens)
    run.close()
    return tmp_path / "run"


async def test_v_shows_the_group_as_a_tree(recorded_path: Path) -> None:
    async with viewing(recorded_path) as viewer:
        await viewer.press("t")
        screen = viewer.screen()
        assert "3 × 0.3333  so" in screen
        assert "2 × 0.5  we add and get" in screen
        assert "◀ rewards differ most here, by 1" in screen
        await viewer.press("escape")
        assert "the group as a tree" not in viewer.screen()


async def test_x_marks_a_sample_and_shows_it_beside_another(recorded_path: Path) -> None:
    async with viewing(recorded_path) as viewer:
        await viewer.press("d")
        assert "train/0/0 is marked" in viewer.bottom
        await viewer.press("n", "d")
        assert "get [-4-]{+5+}" in viewer.screen()
        assert "5 words in both; 6 and 6 in each" in viewer.screen()
