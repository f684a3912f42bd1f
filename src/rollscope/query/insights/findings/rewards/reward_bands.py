"""Samples with high or low rewards, each within the range of its own environment."""

from __future__ import annotations

import numpy as np

from rollscope.query.insights.findings.model import CannotKnow, Mask, SplitData, env_filter, plain

#: Where the top of an environment's reward range begins, and where its bottom ends. Rewards for form and style alone lie in
#: the bottom.
TOP, BOTTOM = 0.75, 0.4


def top_paid(data: SplitData, *, top: bool = True, share: float | None = None) -> tuple[str, Mask]:
    """(filter, rows) of the samples in the top quarter of their environment's reward range, or in its lower two fifths if `top`
    is false. `share` moves the limit to another point of the range."""
    data.need("reward")
    rewards = data.numbers("reward")
    envs = data.envs()
    clauses, mask = [], np.zeros(len(data), dtype=bool)
    for env, rows in envs:
        reach = data.reward_range(env)
        if reach is None:
            continue
        low, high = reach
        limit = round(low + (share if share is not None else TOP if top else BOTTOM) * (high - low), 6)
        name = env_filter(env, len(envs) > 1)
        clause = f"reward >= {plain(limit)}" if top else f"reward <= {plain(limit)}"
        clauses.append(f"({name} and {clause})" if name else clause)
        with np.errstate(invalid="ignore"):
            mask |= rows & ((rewards >= limit) if top else (rewards <= limit))
    if not clauses:
        raise CannotKnow("all rewards are the same")
    return (clauses[0] if len(clauses) == 1 else f"({' or '.join(clauses)})"), mask
