"""24 hours of a live run in fast motion, with pages open on it: memory, open files and threads stay flat."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tests.server.client import Events, Server, eventually, serving

from rollscope import record
from soak import Figures, Violation
from soak.slow import private_mb

#: A step every five minutes; with --long one every thirty seconds.
STEPS = 288
SAMPLES = 32
#: Above what it was after three tenths of the day: caches and pools of threads fill up to their limits before.
MAX_GROWTH_MB = 60


def run(long: bool) -> Figures:
    steps = STEPS * (10 if long else 1)
    seen: list[tuple[float, int, int]] = []
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, ExitStack() as stack:
        root = Path(folder) / "run"
        recording = record.start(root, {"lr": 1}, reports=False, code_dir=None)
        _step(recording, 0)
        recording.flush()
        server = stack.enter_context(serving(root, env={"ROLLSCOPE_INDEX_DIR": f"{folder}/index"}))
        identifier = server.run_id()
        pages = [stack.enter_context(Events(server)) for _ in range(3)]
        path = f"/api/runs/{identifier}"
        for step in range(1, steps):
            _step(recording, step)
            recording.flush()
            server.json(f"{path}/groups", split="train", step=step, wait=10)
            eventually(partial(_has_step, server, path, step))
            server.json(f"{path}/sample", address=f"train/{step}/3")
            server.json(f"{path}/catalog")
            if step % 20 == 0:
                server.json(f"{path}/samples", where='response contains "7"', limit=20)
            if step % max(1, steps // 10) == 0:
                seen.append(_state(server.process.pid))
        told = sum(len(page.named("run")) for page in pages)
        recording.close()
    (first, files, threads), (last, last_files, last_threads) = seen[2], seen[-1]
    if last - first > MAX_GROWTH_MB or last_files > files + 10 or last_threads > threads + 4:
        raise Violation(f"(MB, files, threads) at every tenth of the day: {seen}")
    return [
        ("steps written, samples", f"{steps:,}, {steps * SAMPLES:,}; news told to three pages: {told:,}"),
        ("private memory after three tenths of the day, at its end", f"{first:.0f} MB, {last:.0f} MB"),
        ("open files", f"{files}, {last_files}"),
        ("threads", f"{threads}, {last_threads}"),
    ]


def _has_step(server: Server, path: str, step: int) -> bool:
    return bool(server.json(f"{path}/steps", split="train", wait=10)[-1]["step"] == step)


def _step(recording: record.Run, step: int) -> None:
    with recording.iteration(step) as iteration:
        for group in range(SAMPLES // 8):
            with iteration.group(prompt=f"What is {group} + {step}?", env="sums") as opened:
                for place in range(8):
                    opened.add(response=f"{step} {place} " * 50, reward=float(place), metrics={"length": place})
        iteration.log_metrics({"loss": 1.0 / (step + 1)})
    if step % 20 == 0:
        with recording.evaluation("test", step) as evaluation:
            evaluation.add(prompt="q", response="a", reward=1.0)


def _state(process: int) -> tuple[float, int, int]:
    files = len(list(Path(f"/proc/{process}/fd").iterdir()))
    threads = len(list(Path(f"/proc/{process}/task").iterdir()))
    return private_mb(process), files, threads
