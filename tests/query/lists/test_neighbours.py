"""The samples before and after one."""

from __future__ import annotations

from rollscope.query.run import Run


def test_neighbours_follow_the_list(run: Run) -> None:
    ordered = [row.address for row in run.samples(split="train", step=1, sort="-reward").rows]
    around = run.neighbours(ordered[3], sort="-reward")
    assert (around.previous, around.next, around.position, around.total) == (ordered[2], ordered[4], 3, 12)
    assert (around.previous_step, around.next_step) == ("train/0/0", "train/2/0")
    plain = run.neighbours("train/1/5")
    assert (plain.previous_group, plain.next_group) == ("train/1/0", "train/1/8")
