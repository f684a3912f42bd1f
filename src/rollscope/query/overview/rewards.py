"""How far a run came: its mean reward at its last step, and at its best one."""

from __future__ import annotations

import numpy as np

from rollscope.index.snapshot import Snapshot
from rollscope.query.answers import RunReward


def run_reward(snapshot: Snapshot) -> RunReward | None:
    """The last and the best mean reward of training steps; None if no step has a finite one."""
    columns = snapshot.fields.get("reward")
    if columns is None:
        return None
    train = snapshot.split_totals.get("train")
    if train is None:
        return None
    # The steps of `train` come first.
    places = columns.step < train.steps
    means = columns.mean[places]
    numbers = snapshot.step_numbers[columns.step[places]]
    usable = np.isfinite(means)
    means, numbers = means[usable], numbers[usable]
    if len(means) == 0:
        return None
    last, best = int(np.argmax(numbers)), int(np.argmax(means))
    return RunReward(
        last=float(means[last]), last_step=int(numbers[last]), best=float(means[best]), best_step=int(numbers[best])
    )
