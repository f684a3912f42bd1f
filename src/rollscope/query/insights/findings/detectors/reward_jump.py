"""Detector of sudden changes of the mean reward."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from rollscope.arrays import Floats, Ints
from rollscope.query.insights.findings.model import CannotKnow, Found, Mask, SplitData, env_filter, where_known
from rollscope.query.insights.findings.over_steps.change_points import StepMeans
from rollscope.query.insights.findings.over_steps.jumps import Jump, find_jump
from rollscope.query.insights.findings.rewards.reward_distribution import scores_of_steps
from rollscope.query.insights.findings.row_groups import MIN_STEPS, groups_of_rows

#: Of the range of rewards: a smaller jump is none.
JUMP_SHARE = 0.08
#: Steps on either side that must show at least half of it, too.
JUMP_STEPS = 4
#: By how much the mean changes where its distribution jumps: of such a share of the steps on either side, at least so many.
SEEN_SHARE, SEEN_STEPS = 0.15, 6
#: The distribution may be told from a gradual change by more than its mean, and must be (log Bayes factor).
BEYOND = 1.0


def reward_jump(data: SplitData) -> Iterator[Found]:
    """The mean reward jumps or drops."""
    data.need("reward")
    if len(data.step_numbers) < MIN_STEPS:
        raise CannotKnow(f"fewer than {MIN_STEPS} steps")
    everything = np.ones(len(data), dtype=bool)
    found = _jump(data, everything, None, "")
    envs = data.envs()
    if found is None and len(envs) > 1:
        several = [_jump(data, rows, env, env_filter(env, True), len(envs)) for env, rows in envs]
        yield from (item for item in several if item is not None)
    elif found is not None:
        yield found


def _jump(data: SplitData, rows: Mask, env: str | None, clause: str, among: int = 1) -> Found | None:
    rewards = np.where(rows, data.numbers("reward"), np.nan)
    groups = groups_of_rows(data)[0] if data.has("group") else None
    means = StepMeans(data.step_numbers, data.step_codes, rewards, groups)
    if len(means) < MIN_STEPS:
        if clause:
            return None
        raise CannotKnow(f"fewer than {MIN_STEPS} steps with rewards")
    reach = data.reward_range(env)
    least = JUMP_SHARE * ((reach[1] - reach[0]) if reach else float(np.ptp(means.means)))
    jump = _of_mean(means, least, among) or _of_distribution(data, means, rewards, groups, least, among)
    if jump is None:
        return None
    where = f"{clause} and step >= {jump.at}" if clause else f"step >= {jump.at}"
    mask = rows & (data.steps >= jump.at)
    return Found(
        kind="reward_jump",
        title="The mean reward jumps up" if jump.change > 0 else "The mean reward drops suddenly",
        where=where_known(where, mask, data, "reward"),
        mask=mask,
        known=rows & np.isfinite(data.numbers("reward")),
        why=f"at step {jump.at} the mean reward{f' of {env}' if env else ''} changes by {jump.change:+.3g}"
        + ("; a jump fits better than a gradual change" if jump.plain else "; the change may have taken a few steps"),
        severity="medium" if jump.change > 0 and jump.plain else "low",
        onset=(jump.first, jump.last),
    )


def _of_mean(means: StepMeans, least: float, among: int) -> Jump | None:
    jump = find_jump(means, among)
    if jump is None or abs(jump.change) < least:
        return None
    # A step that differs from its neighbours, or a kink: what follows is not what the jump says.
    return jump if means.change_at(jump.at, JUMP_STEPS) / jump.change >= 0.5 else None


def _of_distribution(
    data: SplitData, means: StepMeans, rewards: Floats, groups: Ints | None, least: float, among: int
) -> Jump | None:
    """Where the mean of a few groups of different prompts says too little, what rewards they have may tell."""
    scores = scores_of_steps(data.step_numbers, data.step_codes, rewards, groups)
    jump = find_jump(scores, among, BEYOND) if scores is not None else None
    if scores is None or jump is None or jump.change <= 0:
        return None
    # Near it, since what else changes in the run is not its doing; of a plain one everywhere, since few groups near it may
    # hide it.
    near = max(SEEN_STEPS, int(SEEN_SHARE * len(means)))
    widths = (near, len(means)) if jump.plain else (near,)
    change = max((means.change_at(jump.at, width) for width in widths), key=abs)
    if abs(change) < least or scores.change_at(jump.at, JUMP_STEPS) / jump.change < 0.5:
        return None
    return replace(jump, change=change)
