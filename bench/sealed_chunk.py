"""The first sample of a sealed chunk: prime-rl's stream of episodes as seekable zstd, never seen before, over HTTP."""

from __future__ import annotations

import json
import random
import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import zstandard

from bench.data import WORDS
from bench.http_client import once, rollscope
from bench.measure import Row
from rollscope.record.output.sealing import ENDING, seal

#: An episode as prime-rl's own writer left it; only its identities and its last answer are changed.
EPISODE = Path("tests/data/prime_rl_stream/monitors/file/traces/stream/00001.jsonl")
CHUNK = Path("monitors/file/traces/stream/00000.jsonl")
TIMES = 5
BAR_MS = 150


def sealed_chunk(data: Path, megabytes: int) -> Iterator[Row]:
    large, small = (_write(data / f"sealed-{size}", size) for size in (megabytes, max(1, megabytes // 10)))
    taken: dict[Path, list[float]] = {large: [], small: []}
    whole: list[float] = []
    for _ in range(TIMES):
        for run, found in taken.items():
            index = data / "sealed-index"
            shutil.rmtree(index, ignore_errors=True)
            with rollscope(run, index) as server:
                seconds, body = once(server.port, f"/api/runs/{run.name}/sample?address=train/0/0")
                assert json.loads(body)["address"] == "train/0/0"
                found.append(seconds * 1e3)
        whole.append(_decompress(large) * 1e3)
    median, tenth = statistics.median(taken[large]), statistics.median(taken[small])
    yield Row(
        f"first sample of a never-seen sealed chunk of {megabytes} MB, HTTP",
        f"{median:.0f} ms",
        f"a tenth of it: {tenth:.0f} ms; decompressing all: {statistics.median(whole):.0f} ms",
        median / statistics.median(whole),
        f"≤ {BAR_MS} ms ({min(taken[large]):.0f}–{max(taken[large]):.0f})",
        median <= BAR_MS,
    )


def _write(run: Path, megabytes: int) -> Path:
    """A run with one sealed chunk of about this much text, all of it of one step."""
    chunk = run / CHUNK
    sealed = chunk.with_name(chunk.name + ENDING)
    if sealed.exists():
        return run
    chunk.parent.mkdir(parents=True, exist_ok=True)
    chance = random.Random(0)
    episode = json.loads(EPISODE.read_text(encoding="utf-8").partition("\n")[0])
    trace = episode["traces"][0]
    episode["run"]["work"]["step"] = 0
    with chunk.open("wb") as file:
        while file.tell() < megabytes * 1e6:
            episode["id"], trace["id"] = f"{file.tell():032x}", f"{file.tell() + 1:032x}"
            trace["nodes"][-1]["message"]["content"] = " ".join(chance.choices(WORDS, k=1500))
            file.write(json.dumps(episode, ensure_ascii=False).encode() + b"\n")
    seal(str(chunk))
    return run


def _decompress(run: Path) -> float:
    """Reading all of it, as without its seek table."""
    start = time.perf_counter()
    sealed = run / CHUNK
    with (
        sealed.with_name(sealed.name + ENDING).open("rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as text,
    ):
        while text.read(1 << 20):
            pass
    return time.perf_counter() - start
