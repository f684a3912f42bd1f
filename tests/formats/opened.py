"""Samples as a user sees them, for tests of formats: found, indexed and opened."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rollscope.model import Sample
from rollscope.query.library import Library

_IN_BOTH = ("reward", "advantage", "status", "stop_reason", "discard_reason", "env", "dataset", "total_tokens")


def opened(path: Path) -> list[Sample]:
    """All samples of all runs below this path, in the order of lists; what lists say of them is checked on the way."""
    found = []
    for run in Library([path]).runs():
        for row in run.samples(discarded=None).rows:
            sample = run.sample(row.address)
            for name in _IN_BOTH:
                assert _told(getattr(row, name)) == _told(getattr(sample, name)), (row.address, name)
            found.append(sample)
    return found


def _told(value: Any) -> Any:
    """Lists have no word for NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def texts(sample: Sample) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in sample.messages]
