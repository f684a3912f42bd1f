"""A fixture, opened: every sample of it with its row, for tests that compare with a slow reader of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollscope.model import Sample
from rollscope.query.answers import SampleRow
from rollscope.query.library import Library
from rollscope.query.run import Run


def only_run(path: Path) -> Run:
    (run,) = Library([path]).runs()
    return run


def opened(run: Run) -> list[tuple[SampleRow, Sample]]:
    """Rows and whole samples, which must say the same."""
    pairs = [(row, run.sample(row.address)) for row in run.samples(discarded=None).rows]
    for row, sample in pairs:
        for name in ("reward", "advantage", "status", "discard_reason", "group", "env", "completion_tokens", "metrics"):
            assert getattr(row, name) == getattr(sample, name), (row.address, name)
    return pairs


def records(path: Path, pattern: str) -> Iterator[dict[str, Any]]:
    """The lines of all files that match, in the order of their names."""
    for file in sorted(path.glob(pattern)):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def said(sample: Sample) -> str:
    """All that was answered, thinking and calls too."""
    return "".join(message.text for message in sample.messages if message.turn is not None)
