"""500 clients on kept-alive connections while the run they look at grows: no error, no time-out, memory flat.

Each asks the next thing as soon as it has its answer: warm samples, lists and groups of old steps and of the one that is
being written, the steps, the run. Every answer is checked for its status and that it is JSON of the right kind.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.data import lines
from bench.http_client import once, rollscope
from bench.measure import private_megabytes

CLIENTS = 500
SECONDS = 60.0
LONG_SECONDS = 600.0
#: A client that waits longer than this has given up.
TIME_OUT = 10.0
STEPS = 20
SAMPLES = 64
#: A sample is appended this often, and a new step begins after so many.
APPEND_SECONDS = 0.25
NEW_STEP = 40
#: Caches fill for a while, on a busy machine for longer; their budgets end that.
MAX_GROWTH_MB = 150


class Writer(threading.Thread):
    """The training: appends samples to the newest step, and begins new ones."""

    def __init__(self, run: Path) -> None:
        super().__init__(daemon=True)
        self.run_folder = run
        self.step = STEPS
        self.written = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        samples: list[bytes] = []
        while not self.stopping.wait(APPEND_SECONDS):
            samples = samples or lines(self.step, self.step, NEW_STEP)
            with (self.run_folder / "train" / f"{self.step}.jsonl").open("ab") as file:
                file.write(samples.pop(0))
            self.written += 1
            if self.written % NEW_STEP == 0:
                self.step += 1


class Told:
    """What the clients met."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = {}
        self.wrong: Counter[str] = Counter()


def run(long: bool = False) -> Iterator[tuple[str, object]]:
    seconds = LONG_SECONDS if long else SECONDS
    with tempfile.TemporaryDirectory(prefix="rollscope-soak-") as place:
        folder = Path(place) / "run"
        (folder / "train").mkdir(parents=True)
        for step in range(STEPS):
            (folder / "train" / f"{step}.jsonl").write_bytes(b"".join(lines(step, step, SAMPLES)))
        with rollscope(folder, Path(place) / "index") as server:
            once(server.port, "/api/runs/run/steps?wait=60")
            writer = Writer(folder)
            writer.start()
            told = Told()
            before = _ask_all(server.port, writer, told, seconds / 6, server.pid)
            cached = [_cached_megabytes(server.port)]
            after = _ask_all(server.port, writer, told, seconds, server.pid)
            cached.append(_cached_megabytes(server.port))
            writer.stopping.set()
            writer.join()
            last = json.loads(once(server.port, f"/api/runs/run/samples?split=train&step={STEPS}&limit=1&wait=60")[1])
    for kind, taken in sorted(told.taken.items()):
        part = statistics.quantiles(taken, n=100)
        yield (
            kind,
            f"{len(taken) / (seconds * 7 / 6):,.0f}/s, median {part[49] * 1e3:.0f} ms, p99 {part[98] * 1e3:.0f} ms",
        )
    yield "requests", f"{sum(map(len, told.taken.values())):,} by {CLIENTS} clients, {writer.written} samples written"
    yield "errors and time-outs", dict(told.wrong) or 0
    yield "private memory", f"{before:.0f} MB after {seconds / 6:.0f} s, {after:.0f} MB after {seconds * 7 / 6:.0f} s"
    yield "of it samples in the cache", f"{cached[0]:.0f} MB, {cached[1]:.0f} MB"
    assert not told.wrong, told.wrong
    assert after <= before + MAX_GROWTH_MB, "memory grew"
    assert last["total"] == min(writer.written, NEW_STEP), "the list of the first new step is not whole"


def _cached_megabytes(port: int) -> float:
    """What the cache of samples holds, which has a limit of its own (`--cache-memory`)."""
    return float(json.loads(once(port, "/api/cache/stats")[1])["memory_mb"])


def _ask_all(port: int, writer: Writer, told: Told, seconds: float, pid: int) -> float:
    """Megabytes that the server holds at the end of it."""
    asyncio.run(_clients(port, writer, told, time.monotonic() + seconds))
    return private_megabytes(pid)


async def _clients(port: int, writer: Writer, told: Told, end: float) -> None:
    await asyncio.gather(*(_client(number, port, writer, told, end) for number in range(CLIENTS)))


async def _client(number: int, port: int, writer: Writer, told: Told, end: float) -> None:
    chance = random.Random(number)
    reader, stream = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    while time.monotonic() < end:
        kind, path = _question(chance, writer)
        start = time.perf_counter()
        try:
            async with asyncio.timeout(TIME_OUT):
                stream.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n".encode())
                status = await _answer(reader)
        except (TimeoutError, OSError, EOFError) as error:
            told.wrong[f"{kind}: {type(error).__name__}"] += 1
            stream.close()
            reader, stream = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
            continue
        if status != 200:
            told.wrong[f"{kind}: {status}"] += 1
        told.taken.setdefault(kind, []).append(time.perf_counter() - start)
    stream.close()


def _question(chance: random.Random, writer: Writer) -> tuple[str, str]:
    step = chance.randrange(STEPS)
    kind = chance.random()
    if kind < 0.5:
        return "sample", f"/api/runs/run/sample?address=train/{step}/{chance.randrange(SAMPLES)}"
    if kind < 0.7:
        sort = chance.choice(["index", "-reward", "reward", "-completion_tokens"])
        return "list", f"/api/runs/run/samples?split=train&step={step}&sort={sort}&limit=100"
    if kind < 0.85:
        return "groups", f"/api/runs/run/groups?split=train&step={step}"
    if kind < 0.95 and writer.written:
        newest = writer.step - 1 if writer.written % NEW_STEP == 0 else writer.step
        return "groups of the newest step", f"/api/runs/run/groups?split=train&step={newest}"
    return "steps", "/api/runs/run/steps?split=train"


async def _answer(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])


if __name__ == "__main__":
    for what, figure in run():
        print(f"{what}: {figure}")
