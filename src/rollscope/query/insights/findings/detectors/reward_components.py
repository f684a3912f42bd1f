"""Detector of a single component that raises the reward while the answers get no better."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.arrays import Floats
from rollscope.query.insights.findings.detectors.lengths import separating_limit
from rollscope.query.insights.findings.model import CannotKnow, Found, Mask, SplitData, plain
from rollscope.query.insights.findings.over_steps.change_points import StepMeans, mean_onset
from rollscope.query.insights.findings.rewards.reward_parts import as_written, parts_of_reward, verdict_column
from rollscope.query.insights.findings.row_groups import windows

COMPONENT_SHARE, COMPONENT_RISE = 0.9, 0.03
#: Standard errors from which on a rise is one, and is beyond doubt although its step was looked for.
SURE_RISE, PLAIN_RISE = 2.0, 4.5
#: A limit beyond which fewer of the last samples lie than this says nothing of what carries the reward.
MANY = 0.05
#: Samples that a side must have.
MIN_SIDE = 30
#: Samples before it began that say what is usual; of fewer not even the highest tells.
MIN_USUAL = 100


def component(data: SplitData) -> Iterator[Found]:
    """Only one component raises the reward."""
    parts = parts_of_reward(data)
    if len(parts) < 2:
        raise CannotKnow("the reward has no components")
    names = list(parts)
    verdict = verdict_column(data)
    if verdict is None:
        raise CannotKnow("no recorded value says which answers are correct")
    judged = parts.get(verdict, verdict.rpartition(".")[2])
    candidates = [name for name, part in parts.items() if name != verdict and part != judged]
    found = _carrier(data, names, candidates, verdict, *windows(data))
    for name in candidates if found is None else ():
        # What began in the first steps, or lately, is lost in windows that are always the same.
        if (since := _began(data, name)) is not None:
            before, after = data.steps < since[1], data.steps >= since[2]
            found = found or _carrier(data, names, [name], verdict, before, after, PLAIN_RISE)
    if found is not None:
        yield _carried(data, *found)


def _began(data: SplitData, name: str) -> tuple[int, int, int] | None:
    return mean_onset(StepMeans(data.step_numbers, data.step_codes, data.numbers(name)))


def _rise(values: Floats, first: Mask, last: Mask) -> tuple[float, float]:
    """(by how much, its standard error)."""
    a, b = (part[np.isfinite(part)] for part in (values[first], values[last]))
    if len(a) < 2 or len(b) < 2:
        return 0.0, 0.0
    return float(b.mean() - a.mean()), float(np.sqrt(a.var() / len(a) + b.var() / len(b)))


def _weight(verdict: Floats, rewards: Floats) -> float:
    """How much more reward a right answer has: components may be averaged."""
    known = np.isfinite(verdict) & np.isfinite(rewards)
    spread = float(verdict[known].var()) if known.any() else 0.0
    if not spread > 0:
        return 1.0
    return max(0.0, float(np.cov(verdict[known], rewards[known], bias=True)[0, 1]) / spread)


def _carrier(
    data: SplitData,
    names: list[str],
    candidates: list[str],
    verdict: str,
    first: Mask,
    last: Mask,
    sure: float = SURE_RISE,
) -> tuple[str, str] | None:
    """(the component that carries the rise of the reward, why). `sure`: so many standard errors must it have risen by.
    From PLAIN_RISE on the reward itself need only not fall: correctness may have fallen beside it."""
    if first.sum() < MIN_SIDE or last.sum() < MIN_SIDE:
        return None
    total, error = _rise(data.numbers("reward"), first, last)
    judged, its_error = _rise(data.numbers(verdict), first, last)
    counts = _weight(data.numbers(verdict), data.numbers("reward"))
    correct, may_be = counts * judged, counts * its_error
    reach = data.reward_range(None)
    span = (reach[1] - reach[0]) if reach else 1.0
    least = 0.0 if sure >= PLAIN_RISE else max(COMPONENT_RISE * span, SURE_RISE * error)
    if total <= least or correct - SURE_RISE * may_be > 0.25 * total or correct > 0.5 * total > 0:
        return None
    # Components may be summed, averaged or weighted into the reward: each one's part of all that surely rises.
    rises = {name: _rise(data.numbers(name), first, last) for name in names}
    risen = sum(value for value, error in rises.values() if value > SURE_RISE * error)
    for name in candidates:
        value, error = rises[name]
        if value > sure * error and value > COMPONENT_SHARE * risen:
            why = (
                f"the reward changes by {total:+.3g} and {verdict} by {judged:+.3g}; {name} accounts for "
                f"{value / risen:.0%} of the rise of its components"
            )
            return name, why
    return None


def _carried(data: SplitData, name: str, why: str) -> Found:
    values = data.numbers(name)
    known = np.isfinite(values)
    first, last = windows(data)
    since = _began(data, name)
    mixed = since is None or int((data.steps < since[1]).sum()) < MIN_USUAL
    if since is not None and (data.steps < since[0]).sum() >= MIN_SIDE:
        first, last = data.steps < since[0 if mixed else 1], data.steps >= since[0]
    limit = separating_limit(values[first & known], values[last & known], values[known], mixed)
    where, mask, began = f"{as_written(name)} > {plain(limit)}", values > limit, None
    if not mask.any() or mask[last & known].mean() < 0.01:
        # It had such values before, and has them more often: those since then.
        step = since[0] if since is not None else int(data.steps.min())
        limit = float(np.nanmedian(values[first]))
        if not (values[last & known] > limit).mean() >= MANY:  # most had its highest value before, too
            limit = (float(np.nanmean(values[first])) + float(np.nanmean(values[last]))) / 2
        where, mask = f"step >= {step} and {as_written(name)} > {plain(limit)}", (values > limit) & (data.steps >= step)
        began = (since[1], since[2]) if since is not None else None
    return Found(
        kind="component",
        title=f"Only {name.partition('.')[2]} raises the reward",
        where=where,
        mask=mask,
        known=known,
        why=why,
        severity="high",
        onset=began,
    )
