"""What recording costs the training loop: the caller's time per call, against `json.dumps` and a write of the same record."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.measure import Row, show
from rollscope import record

CALLS = 2_000
METRICS_BAR, SAMPLE_BAR = 50.0, 200.0

METRICS = {f"optim/metric_{number}": number * 0.37 for number in range(40)} | {
    "env/all/reward/total": 0.5,
    "step_count": 12,
}
MESSAGES = [
    {"role": "system", "content": "You are a careful mathematician."},
    {"role": "user", "content": "Find all primes p such that p + 2 and p + 6 are prime too. " * 8},
    {
        "role": "assistant",
        "content": "<think>\n" + "Let me check the small cases first, then argue. " * 190 + "\n</think>\nDone.",
    },
]
FIELDS: dict[str, Any] = {
    "reward": 0.7,
    "rewards": {"correct": 1.0, "format": 0.1, "length": -0.4},
    "advantage": 0.31,
    "metrics": {"correct": 1.0, "repetition": 0.02},
    "golden_answers": {"answer": "5"},
    "stop_reason": "stop",
    "env": "math",
    "prompt_tokens": 140,
    "completion_tokens": 2100,
}


def median_microseconds(*works: Callable[[int], object]) -> list[float]:
    """The median of each, called by turns, so that all meet the same noise."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(CALLS):
        for work, found in zip(works, times):
            start = time.perf_counter()
            work(number)
            found.append(time.perf_counter() - start)
        if number % 100 == 99:
            time.sleep(0.005)  # a training loop computes between its calls; the writer thread gets its share
    return [statistics.median(found) * 1e6 for found in times]


def recorder() -> Iterator[Row]:
    """Rows of the speed table."""
    with tempfile.TemporaryDirectory() as scratch:
        run = record.start(Path(scratch) / "run", reports=False)
        with open(Path(scratch) / "plain.jsonl", "a", buffering=1) as plain:
            mine, reference = median_microseconds(
                lambda step: run.log_metrics(METRICS, step=step),
                lambda step: plain.write(json.dumps({"step": step, **METRICS}) + "\n"),
            )
            yield _row("log_metrics, 42 metrics", mine, reference, METRICS_BAR)
            with run.iteration(0) as iteration, iteration.group() as group:
                mine, reference = median_microseconds(
                    lambda _: group.add(MESSAGES, **FIELDS),
                    lambda step: plain.write(json.dumps({"step": step, "messages": MESSAGES, **FIELDS}) + "\n"),
                )
            yield _row("add a sample of 10 KB", mine, reference, SAMPLE_BAR)
        run.close()
        assert run.errors == 0


def _row(what: str, mine: float, reference: float, bar: float) -> Row:
    text = f"json.dumps + write {reference:.1f} µs"
    return Row(what, f"{mine:.1f} µs", text, mine / reference, f"≤ {bar:g} µs", mine <= bar)


if __name__ == "__main__":
    print(show(list(recorder())))
    sys.exit(0)
