"""Long work holds nobody up: one client opens a large step that nobody has read, another reads samples meanwhile."""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path

from tests.server.client import Server, eventually, serving
from tests.server.data import write_large_step, write_run

MEGABYTES = 200


def test_a_warm_sample_is_answered_while_a_large_step_is_being_read(tmp_path: Path) -> None:
    """Times are compared with each other, not with a clock: what one client gets while the step is read must come
    many times sooner than the step itself."""
    path = write_run(tmp_path / "run-a", steps=1, samples=8)
    with serving(path) as server:
        run = f"/api/runs/{server.run_id()}"
        eventually(lambda: server.json(f"{run}/steps", wait=30) and server.json(f"{run}/progress")["done"])
        server.json(f"{run}/sample", address="train/0/1")
        count = write_large_step(path / "train" / "1.jsonl", MEGABYTES)

        opened = Opening(server, run)
        opened.start()
        waits = []
        while opened.is_alive():
            began = time.perf_counter()
            reply = server.get(f"{run}/sample", address="train/0/1")
            waits.append(time.perf_counter() - began)
            assert reply.status == 200
        opened.join()

        assert opened.total == count
        assert len(waits) >= 20
        assert statistics.median(waits) < opened.seconds / 20


def test_a_step_is_useful_while_it_is_being_read_and_says_how_far_it_is(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=8)
    count = write_large_step(path / "train" / "1.jsonl", MEGABYTES)
    with serving(path) as server:
        run = f"/api/runs/{server.run_id()}"
        first = server.json(f"{run}/samples", split="train", step=1, limit=5, preview=1, wait=0)
        assert len(first["rows"]) == 5
        assert first["rows"][0]["prompt_start"]
        assert first["progress"]["done"] is False
        assert 0 < first["total"] < count
        assert server.json(f"{run}/sample", address="train/1/0")["address"] == "train/1/0"
        groups = server.json(f"{run}/groups", split="train", step=1, limit=2, wait=0)
        assert len(groups["rows"]) == 2
        whole = server.json(f"{run}/samples", split="train", step=1, limit=1, wait=60)
        assert whole["total"] == count
        assert whole["progress"]["done"] is True


class Opening(threading.Thread):
    """A client that wants all of the large step."""

    def __init__(self, server: Server, run: str) -> None:
        super().__init__()
        self.server = server
        self.run_path = run
        self.total = 0
        self.seconds = 0.0

    def run(self) -> None:
        began = time.perf_counter()
        page = self.server.json(f"{self.run_path}/samples", split="train", step=1, sort="-reward", limit=10, wait=60)
        self.seconds = time.perf_counter() - began
        self.total = page["total"]
