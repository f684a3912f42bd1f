"""Runs full of odd values, made by numbers, and questions about each: every answer is a plain reader's.

The questions and the reader are those of `tests/differential`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.differential.questions import Questions
from tests.server.client import serving

from soak import Figures, Violation

RUNS = 60
LONG_RUNS = 2_000
#: Runs below one server.
BATCH = 20
#: Where the tests' own seeds end.
FIRST = 1_000


def run(long: bool, count: int | None = None) -> Figures:
    runs = count or (LONG_RUNS if long else RUNS)
    started = time.monotonic()
    samples = 0
    for first in range(FIRST, FIRST + runs, BATCH):
        with tempfile.TemporaryDirectory(prefix="soak-") as place:
            folder = Path(place)
            asked = [Questions(folder, seed) for seed in range(first, min(first + BATCH, FIRST + runs))]
            environment = {"ROLLSCOPE_INDEX_DIR": str(folder / "served"), "XDG_DATA_HOME": str(folder / "data")}
            with serving(folder / "runs", env=environment) as server:
                differences = [found for questions in asked for found in questions.differences(server)]
            samples += sum(len(questions.samples) for questions in asked)
        if differences:
            raise Violation(f"{len(differences)} differences\n" + "\n".join(differences[:20]))
    return [
        ("runs of odd values, over four formats of lines", f"{runs:,}, {samples:,} samples"),
        ("answers that differ from a plain reader's", f"0 in {time.monotonic() - started:.0f} s"),
    ]
