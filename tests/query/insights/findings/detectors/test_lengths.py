"""Lengths that move, and how surely that is said."""

from __future__ import annotations

import numpy as np

from rollscope.query.insights.findings.detectors.lengths import MAX_Z, _growth, _said_z


def test_lengths_without_any_spread_give_no_absurd_number() -> None:
    values = np.repeat([10.0, 20.0], 40)
    first = np.arange(80) < 40
    found = _growth(values, first, ~first)
    assert found is not None
    assert found[0] == MAX_Z
    assert _said_z(found[0]) == "beyond doubt"
    assert _growth(np.full(80, 10.0), first, ~first) == (0.0, 1.0)
    assert _said_z(-3.84) == "z = -3.8"
