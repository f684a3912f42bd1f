"""How large TRL's groups are, where their prompts do not tell: two groups of one prompt lie side by side.

Advantages are rewards less their group's mean, so that only the true size explains them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rollscope.formats.tables.reward_totals import Numbers, RewardReading, follows


def group_size(files: Sequence[Numbers], reading: RewardReading) -> int:
    """The size that explains every file's advantages where neighbours with one prompt do not; else 0."""
    if not reading.rewards or reading.total == "unknown":
        return 0
    told = [
        (numbers, numbers.advantage, numbers.total(reading.rewards, reading.weights or None))
        for numbers in files
        if numbers.advantage is not None
        and np.isfinite(numbers.advantage).all()
        and numbers.advantage.any()
        and numbers.scored(reading.rewards) is numbers
    ]
    if not told or all(follows(total, advantage, numbers.groups) for numbers, advantage, total in told):
        return 0
    lengths = np.concatenate([np.unique(numbers.groups, return_counts=True)[1] for numbers, _, _ in told])
    common = int(np.gcd.reduce(lengths))
    sizes = [size for size in range(common, 1, -1) if common % size == 0]
    fitting = (
        size
        for size in sizes
        if all(follows(total, advantage, np.arange(len(total)) // size) for _, advantage, total in told)
    )
    return next(fitting, 0)


def named_groups(size: int, prompts: Sequence[int]) -> list[str] | None:
    """The group of each row, where all groups of this size have one prompt each; `prompts` are their names."""
    if not size or len(prompts) % size:
        return None
    if any(len(set(prompts[start : start + size])) > 1 for start in range(0, len(prompts), size)):
        return None
    return [str(row // size) for row in range(len(prompts))]
