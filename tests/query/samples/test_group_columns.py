"""The spread of a group's rewards as a field of its samples."""

from __future__ import annotations

from pathlib import Path

from tests.fixtures import write_jsonl

import rollscope


def test_groups_with_equal_rewards_are_selected(tmp_path: Path) -> None:
    rewards: dict[str, list[float | None]] = {
        "a": [1, 1, 1],
        "b": [0, 0.5, 1],
        "c": [0.3],
        "d": [0.1 + 0.2, 0.3],
        "e": [None, 1, None],
        "f": [1e-12, 2e-12],  # small, and not the same
        "g": [2, None, 2],
    }
    for step in range(2):
        records = [
            {"prompt": name, "response": "so", "reward": reward, "group_id": name, "step": step}
            for name, members in rewards.items()
            for reward in members
        ]
        write_jsonl(tmp_path / "run" / f"{step}.jsonl", records)
    run = rollscope.open(tmp_path / "run")

    def found(where: str) -> set[str]:
        return {str(row.group) for row in run.samples(where=where, limit=None)}

    assert found("reward_spread = 0") == {"a", "d", "g"}
    # It is the group's: also a member without a reward has it.
    assert run.samples(where='reward_spread = 0 and group = "g"', limit=None).total == 6
    assert found("reward_spread > 0.4") == {"b"}
    assert found("reward_spread > 0.41") == set()  # the standard deviation, as in lists of groups and charts
    assert found("reward_spread > 0") == {"b", "f"}
    assert found("reward_spread is missing") == {"c", "e"}
    assert run.samples(where="reward_spread = 0 and reward = 1", limit=None).total == 6
