"""Detectors of what is recorded for each token: old weights, low entropy, trainer and sampler that disagree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.query.insights.findings.model import CannotKnow, Found, SplitData, plain
from rollscope.query.insights.findings.over_steps.first_steps import usual_in

#: Weights this many steps old are stale; the limit is lower, down to the second number, if the first steps are fresh.
STALE_STEPS, STALE_LEAST = 8, 4
#: Mean nats a token: less is very low.
ENTROPY = 0.2
#: The first steps are far from very low entropy if nearly all of their samples have this many times as much.
ENTROPY_FAR = 1.5
#: Mean difference in nats a token; the limit is lower, down to the second number, if the first steps differ little.
DISAGREEMENT, DISAGREEMENT_LEAST = 0.1, 0.05


def stale(data: SplitData) -> Iterator[Found]:
    """Samples from old weights."""
    if not data.has("staleness"):
        raise CannotKnow("no sample records which weights generated it")
    values = data.numbers("staleness")
    limit = int(min(STALE_STEPS, max(STALE_LEAST, 2 * usual_in(data, "staleness", 1.0) + 1)))
    yield Found(
        kind="stale",
        title="Samples from old weights",
        where=f"staleness >= {limit}",
        mask=values >= limit,
        known=np.isfinite(values),
        why=f"the weights that generated it were at least {limit} steps old",
    )


def entropy(data: SplitData) -> Iterator[Found]:
    """Very low entropy."""
    if not data.has("token.entropy"):
        raise CannotKnow("no token entropy was recorded")
    values = data.numbers("token.entropy")
    at_first = values[data.first & np.isfinite(values)]
    # Short answers often have low entropy. If those of the first steps are far from it, every later one counts.
    far = len(at_first) > 0 and float(np.quantile(at_first, 0.01)) > ENTROPY_FAR * ENTROPY
    yield Found(
        kind="entropy",
        title="Very low entropy",
        where=f"token.entropy <= {plain(ENTROPY)}",
        mask=values <= ENTROPY,
        known=np.isfinite(values),
        why=f"its mean token entropy is at most {ENTROPY} nats",
        at_most="medium",
        rise=0.0 if far else 0.005,
        always=0.05,
        serious_rise=0.1,
        serious_share=0.5,
    )


def mismatch(data: SplitData) -> Iterator[Found]:
    """Trainer and sampler disagree."""
    if not data.has("token.ratio"):
        raise CannotKnow("the log-probabilities of sampler and trainer were not both recorded")
    values = data.numbers("token.ratio")
    limit = round(min(DISAGREEMENT, max(DISAGREEMENT_LEAST, 3 * usual_in(data, "token.ratio", 0.05))), 3)
    yield Found(
        kind="mismatch",
        title="Trainer and sampler disagree",
        where=f"token.ratio > {plain(limit)}",
        mask=values > limit,
        known=np.isfinite(values),
        why=f"trainer and sampler differ by more than {limit} nats a token on average; about 0.02 is healthy",
    )
