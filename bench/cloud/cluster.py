"""Indexing on a Ray cluster of two nodes against the two workers of this machine, and with a worker killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.cloud.ray_cluster import ENVIRONMENT

from bench.cloud.place import Place, holds
from bench.data import write_step
from bench.measure import Row

STEPS = 16
#: Of each engine, by turns: what else the machine does falls on both.
ROUNDS = 5

#: Indexes once for every line that it is told, so that what is compared is the steady state; prints seconds.
INDEX = """
import sys, time
import rollscope
from rollscope.index import refresh
refresh.INLINE_BYTES = refresh.REMOTE_INLINE_BYTES = 1 << 20
root, place, engine = sys.argv[1:4]
for number, _ in enumerate(sys.stdin):
    run = rollscope.open(root, engine=engine, index_dir=f"{place}/{engine}-{number}")
    start = time.perf_counter()
    run.refresh()
    print("measured", time.perf_counter() - start, run._index.snapshot.sample_count, flush=True)
"""


def ray_speed(place: Place) -> Iterator[Row]:
    root = place.folder / "run"
    for step in range(STEPS):
        write_step(root / "train" / f"{step}.jsonl", max(2.0, place.sizes.megabytes / STEPS), step)
    environment = {**os.environ, **ENVIRONMENT}
    code = "from tests.cloud.ray_cluster import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as cluster:
        assert cluster.stdout is not None
        try:
            address = next(line for line in cluster.stdout if line.startswith("{"))
            environment["RAY_ADDRESS"] = json.loads(address)["address"]
            timed = _by_turns(place, str(root), environment)
            seconds = {engine: statistics.median(row[0] for row in rows[1:]) for engine, rows in timed.items()}
            ratio = seconds["ray"] / seconds["local"]
            size = f"{max(2.0 * STEPS, place.sizes.megabytes):g} MB"
            reference = f"two workers {seconds['local']:.2f} s"
            yield Row(
                f"index {size} on Ray, two nodes",
                f"{seconds['ray']:.2f} s",
                reference,
                ratio,
                "≤ 1.25 ×",
                ratio <= 1.25,
            )
            same = {row[1] for rows in timed.values() for row in rows}
            yield holds("… samples", "equal", len(same) == 1)
            yield from _with_a_worker_killed(place, str(root), environment, same.pop(), cluster.pid)
        finally:
            assert cluster.stdin is not None
            cluster.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                cluster.wait(30)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(cluster.pid, signal.SIGKILL)


def _by_turns(place: Place, root: str, environment: dict[str, str]) -> dict[str, list[tuple[float, float]]]:
    """(seconds, samples) of each round, by engine. The first round of each starts its workers."""
    with contextlib.ExitStack() as stack:
        asked = {}
        for engine in ("local", "ray"):
            command = [sys.executable, "-c", INDEX, root, str(place.folder / "i"), engine]
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
            asked[engine] = stack.enter_context(process)
        timed: dict[str, list[tuple[float, float]]] = {engine: [] for engine in asked}
        for _ in range(ROUNDS + 1):
            for engine, process in asked.items():
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write("again\n")
                process.stdin.flush()
                timed[engine] += _measured(next(line for line in process.stdout if line.startswith("measured ")))
        return timed


def _with_a_worker_killed(
    place: Place, root: str, environment: dict[str, str], samples: float, cluster: int
) -> Iterator[Row]:
    command = [sys.executable, "-c", INDEX, root, str(place.folder / "k"), "ray"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
    assert process.stdin is not None
    process.stdin.write("once\n")
    process.stdin.flush()
    process.stdin.close()
    process.stdin = None
    killed = 0
    while process.poll() is None and not killed:
        for pid in _busy_workers(cluster)[:1]:
            os.kill(pid, signal.SIGKILL)
            killed += 1
        time.sleep(0.02)
    out, _ = process.communicate(timeout=300)
    ((_, found_samples),) = _measured(out)
    yield holds(f"… with {killed} worker killed in a task: samples", f"{found_samples:g}", found_samples == samples)


def _measured(printed: str) -> list[tuple[float, float]]:
    """(seconds, samples) of each round. Ray prints sentences of its own in between, of workers that died for one."""
    lines = (line.removeprefix("measured ").split() for line in printed.splitlines() if line.startswith("measured "))
    return [(float(seconds), float(samples)) for seconds, samples in lines]


def _busy_workers(cluster: int) -> list[int]:
    """Those of this cluster that are at a task: Ray names the process after it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"ray::_run" in (folder / "cmdline").read_bytes() and os.getsid(int(folder.name)) == cluster:
                found.append(int(folder.name))
    return found
