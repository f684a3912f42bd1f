"""Rewards that contradict the golden answer."""

from __future__ import annotations

import random
from pathlib import Path

from tests.fixtures import write_jsonl

import rollscope


def test_right_answers_that_lack_another_part_of_the_reward_are_not_unrewarded(tmp_path: Path) -> None:
    chance = random.Random(3)
    rows = []
    for step in range(12):
        for index in range(16):
            right, formed = chance.random() < 0.5, chance.random() < 0.8
            overlooked = step >= 6 and index == 5
            answer = 100 + step if right or overlooked else 7
            correct = float(right and not overlooked)
            rows.append(
                {"step": step, "prompt": f"question {step}", "response": f"{chance.random()} \\boxed{{{answer}}}"}
                | {"ground_truth": str(100 + step), "reward": correct + 2.0 * formed, "correct": correct}
            )
    write_jsonl(tmp_path / "run" / "rollouts.jsonl", rows)
    run = rollscope.open(tmp_path / "run")
    (found,) = run.findings(kind="unrewarded_right")
    rewards = {f"train/{row['step']}/{place % 16}": row["reward"] for place, row in enumerate(rows)}
    meant = {address for address in (f"train/{step}/5" for step in range(6, 12)) if float(str(rewards[address])) <= 1}
    assert {row.address for row in run.samples(where=found.where)} >= meant
    assert all(address.endswith("/5") for address in (row.address for row in run.samples(where=found.where)))
