"""The state machine of tests/differential, longer: files and index change in every way under a running server."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.differential.changing_run import changing_runs
from tests.differential.test_state_machine import FilesChange

from soak import Figures

SEQUENCES = 60
STEPS = 30


def run(long: bool, count: int | None = None) -> Figures:
    sequences = count or SEQUENCES * (20 if long else 1)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, changing_runs(Path(folder)) as runs:
        FilesChange.runs = runs
        run_state_machine_as_test(
            FilesChange,
            settings=settings(
                max_examples=sequences,
                stateful_step_count=STEPS,
                deadline=None,
                database=None,
                print_blob=True,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate],
            ),
        )
        checks = sum(item.checks for item in runs.values())
    return [
        ("sequences of changes", f"{sequences:,} of up to {STEPS} changes"),
        ("states compared at every door with a plain reader", f"{checks:,} in {time.monotonic() - started:.0f} s"),
        ("differences", "0"),
    ]
