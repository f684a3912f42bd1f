"""The HTTP lines of the table: real servers in their own processes, asked over real sockets."""

from __future__ import annotations

import json
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bench.data import write_step
from bench.http_client import Load, Running, load, once, reference, rollscope
from bench.measure import Row, private_megabytes

#: A file that fits the memory of the reference, which keeps all of it parsed.
WARM_MB = 20
ROUNDS = 5
TIMES = 5
SECONDS = 2.0
#: Between the requests of one who reads while another opens something large. Without a pause this client would want a third
#: core beside the two that the other's work wants, and what is measured would be who gets one.
PAUSE_SECONDS = 0.002


def http_speed(data: Path, megabytes: int) -> Iterator[Row]:
    large = data / f"http-{megabytes}"
    write_step(large / "train" / "0.jsonl", megabytes)
    yield from _never_seen(data, large, megabytes)
    yield from _whole_list(data, large, megabytes)
    yield from _beside_long_work(data, large, megabytes)
    yield from _warm(data)
    yield from _lists(data)


def _fresh(data: Path) -> Path:
    """An index that has seen nothing."""
    shutil.rmtree(data / "http-index", ignore_errors=True)
    return data / "http-index"


def _path(run: Path, what: str) -> str:
    return f"/api/runs/{run.name}/{what}"


def _never_seen(data: Path, large: Path, megabytes: int) -> Iterator[Row]:
    """The first sample of a step nobody has read, and the same of a tenth of it."""
    small = data / f"http-{megabytes // 10}"
    write_step(small / "train" / "0.jsonl", megabytes / 10)
    taken: dict[Path, list[float]] = {large: [], small: []}
    for _ in range(TIMES):
        for run, found in taken.items():
            with rollscope(run, _fresh(data)) as server:
                seconds, body = once(server.port, _path(run, "sample?address=train/0/0"))
                assert json.loads(body)["address"] == "train/0/0"
                found.append(seconds * 1e3)
    median, tenth = statistics.median(taken[large]), statistics.median(taken[small])
    yield Row(
        f"first sample of a never-seen {megabytes} MB step, HTTP",
        f"{median:.0f} ms",
        f"{megabytes // 10} MB: {tenth:.0f} ms",
        None,
        f"≤ 100 ms ({min(taken[large]):.0f}–{max(taken[large]):.0f})",
        median <= 100,
    )
    with reference("bench.http_whole_file", str(large)) as whole:
        seconds, _ = once(whole.port, "/0")
    yield Row(
        "the same by parsing the file and sending it",
        f"{seconds * 1e3:.0f} ms",
        f"rollscope {median:.0f} ms",
        seconds * 1e3 / median,
        "for comparison",
        True,
    )


def _whole_list(data: Path, large: Path, megabytes: int) -> Iterator[Row]:
    """The step's list by reward, against indexing it alone (by turns, since the machine is shared)."""
    ratios, lists, indexings = [], [], []
    for _ in range(3):
        index = _index_seconds(large, _fresh(data))
        with rollscope(large, _fresh(data)) as server:
            seconds, body = once(
                server.port, _path(large, "samples?split=train&step=0&sort=-reward&limit=1000&wait=60")
            )
            assert json.loads(body)["progress"]["done"]
        ratios.append(seconds / index)
        lists.append(seconds)
        indexings.append(index)
    ratio = statistics.median(ratios)
    yield Row(
        f"whole list of a never-seen {megabytes} MB step by reward, HTTP",
        f"{statistics.median(lists):.2f} s",
        f"indexing {statistics.median(indexings):.2f} s",
        ratio,
        f"≤ 1.5 × ({min(ratios):.2f}–{max(ratios):.2f})",
        ratio <= 1.5,
    )


def _index_seconds(run: Path, index: Path) -> float:
    from bench.measure import run_python

    code = (
        "import sys, time; from rollscope.query.library import open_run; run = open_run(sys.argv[1], index_dir=sys.argv[2]);"
        "start = time.perf_counter(); run.refresh(); print(time.perf_counter() - start)"
    )
    return float(run_python(code, str(run), str(index)))


def _beside_long_work(data: Path, large: Path, megabytes: int) -> Iterator[Row]:
    """A warm sample of one run while another client opens a step of the other for the first time."""
    root = data / "http-two"
    warm = write_step(root / "warm" / "train" / "0.jsonl", 2).parent.parent
    target = root / "large" / "train" / "0.jsonl"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.hardlink_to(large / "train" / "0.jsonl")
    with rollscope(root, _fresh(data)) as server:
        once(server.port, _path(warm, "steps?wait=60"))
        path = _path(warm, "sample?address=train/0/1")
        once(server.port, path)
        opening = threading.Thread(
            target=once, args=(server.port, "/api/runs/large/samples?step=0&split=train&sort=-reward&wait=60")
        )
        opening.start()
        time.sleep(0.1)
        meanwhile: list[Load] = []
        while opening.is_alive() and len(meanwhile) < 60:
            meanwhile.append(load(server.port, [path], connections=1, seconds=0.25, pause=PAUSE_SECONDS))
        opening.join()
        memory = private_megabytes(server.pid)
    median = statistics.median(item.median_ms for item in meanwhile)
    worst = max(item.p95_ms for item in meanwhile)
    yield Row(
        f"a warm sample while another opens {megabytes} MB",
        f"{median:.2f} ms",
        f"95th percentile {worst:.1f} ms",
        None,
        "≤ 10 ms",
        median <= 10,
    )
    yield Row("server's private memory meanwhile", f"{memory:.0f} MB", "", None, "≤ 300 MB", memory <= 300)


def _warm(data: Path) -> Iterator[Row]:
    run = write_step(data / f"http-{WARM_MB}" / "train" / "0.jsonl", WARM_MB).parent.parent
    file = run / "train" / "0.jsonl"
    count = sum(1 for _ in file.open("rb"))
    with rollscope(run, _fresh(data)) as ours, reference("bench.http_fastapi", str(file)) as fastapi:
        once(ours.port, _path(run, "steps?wait=60"))
        ours_paths = [_path(run, f"sample?address=train/0/{index}") for index in range(count)]
        their_paths = [f"/sample?index={index}" for index in range(count)]
        _warm_up(ours, ours_paths)
        turns = [
            (load(fastapi.port, their_paths, seconds=SECONDS), load(ours.port, ours_paths, seconds=SECONDS))
            for _ in range(ROUNDS)
        ]
        alone = load(ours.port, ours_paths, connections=1, seconds=SECONDS)
    yield Row(
        f"one sample of {file.stat().st_size / count / 1e3:.0f} KB over HTTP, warm",
        f"{alone.median_ms:.2f} ms",
        f"95th percentile {alone.p95_ms:.2f} ms",
        None,
        "≤ 3 ms",
        alone.median_ms <= 3,
    )
    ratios = [mine.per_second / theirs.per_second for theirs, mine in turns]
    ratio = statistics.median(ratios)
    yield Row(
        "requests per second of it",
        f"{statistics.median(mine.per_second for _, mine in turns):,.0f}",
        f"FastAPI, file in memory: {statistics.median(theirs.per_second for theirs, _ in turns):,.0f}",
        ratio,
        f"≥ 3 × ({min(ratios):.2f}–{max(ratios):.2f})",
        ratio >= 3,
    )


def _lists(data: Path) -> Iterator[Row]:
    """Lists and groups of a step that did not change, against others of it that nobody has asked for yet."""
    run = write_step(data / f"http-{WARM_MB}" / "train" / "0.jsonl", WARM_MB).parent.parent
    with rollscope(run, _fresh(data)) as server:
        once(server.port, _path(run, "steps?wait=60"))
        for what, question in (
            ("lists of 200 samples", "samples?split=train&step=0&sort=-reward&limit=200"),
            ("lists of 100 samples with their texts' starts", "samples?split=train&step=0&limit=100&preview=true"),
            ("lists of 100 groups", "groups?split=train&step=0&limit=100"),
        ):
            path = _path(run, question)
            load(server.port, [path], seconds=0.5)
            # Numbers that no sample has: the same rows for the server to find, and another question each.
            others = iter([f"{path}&where=index%20!=%20{-number}" for number in range(1, 20_000)])
            turns = []
            for _ in range(ROUNDS):
                anew = load(server.port, list(islice(others, 3_000)), seconds=SECONDS / 2)
                turns.append((anew, load(server.port, [path], seconds=SECONDS / 2)))
            ratios = [kept.per_second / anew.per_second for anew, kept in turns]
            yield Row(
                f"{what} per second, unchanged",
                f"{statistics.median(kept.per_second for _, kept in turns):,.0f}",
                f"never asked before: {statistics.median(anew.per_second for anew, _ in turns):,.0f}",
                statistics.median(ratios),
                f"≥ 5 × ({min(ratios):.1f}–{max(ratios):.1f})",
                statistics.median(ratios) >= 5,
            )


def _warm_up(server: Running, paths: list[str]) -> None:
    load(server.port, paths, seconds=SECONDS)
