"""Groups of TRL that lie side by side with one prompt are told by their advantages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.formats.data_trl import write_completions
from tests.formats.opened import opened

from rollscope.formats.trl.groups import named_groups

REWARDS = [[1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0]]


def advantages(rewards: NDArray[np.float64], size: int, scaled: bool) -> list[float]:
    found: list[float] = []
    for group in rewards.reshape(-1, size):
        spread = group.std(ddof=1) + 1e-4 if scaled else 1.0
        found += list((group - group.mean()) / spread)
    return found


def write(folder: Path, size: int, scaled: bool, prompts: list[str]) -> None:
    for step, rewards in enumerate(REWARDS, start=1):
        told = advantages(np.array(rewards), size, scaled)
        said = [f"answer {number}" for number in range(len(rewards))]
        write_completions(folder, step, {"prompt": prompts, "completion": said, "correct": rewards, "advantage": told})


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize(("size", "expected"), [(4, "00001111"), (8, "00000000"), (2, "00112233")])
def test_groups_of_one_prompt_have_the_size_that_explains_their_advantages(
    size: int, expected: str, scaled: bool, tmp_path: Path
) -> None:
    write(tmp_path, size, scaled, ["p"] * 8)
    assert ["".join(str(s.group) for s in opened(tmp_path) if s.step == step) for step in (1, 2)] == [expected] * 2


def test_prompts_that_tell_the_groups_are_believed(tmp_path: Path) -> None:
    write(tmp_path, 4, True, list("aaaabbbb"))
    assert [sample.group for sample in opened(tmp_path)] == [0, 0, 0, 0, 1, 1, 1, 1] * 2


def test_a_group_has_one_prompt() -> None:
    assert named_groups(2, [1, 1, 1, 1]) == ["0", "0", "1", "1"]
    assert named_groups(2, [1, 1, 1, 2]) is None
    assert named_groups(3, [1, 1, 1, 1]) is None
    assert named_groups(0, [1, 1]) is None
