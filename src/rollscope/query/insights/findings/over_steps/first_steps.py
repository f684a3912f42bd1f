"""What is usual in a run: what nearly all samples of its first steps stay below."""

from __future__ import annotations

import numpy as np

from rollscope.arrays import Floats
from rollscope.query.insights.findings.model import SplitData


def usual_in(data: SplitData, name: str, margin: float) -> float:
    """What nearly all samples of the first steps stay below. If a few of them lie far above the rest, the trouble was there
    from the beginning, and the answer is what most of them stay below."""
    return usual_of(data.numbers(name)[data.first], margin)


def usual_of(values: Floats, margin: float) -> float:
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0
    most, nearly_all = np.quantile(values, (0.65, 0.99))
    return float(nearly_all if nearly_all <= 2 * most + margin else most)
