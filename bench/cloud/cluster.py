"""Indexing a bucket on a Ray cluster of two nodes against the two workers of this machine; and with a worker, then a node
killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.cloud.ray_cluster import ENVIRONMENT
from tests.cloud.servers import keys_below

from bench.cloud.place import Place, at_most, holds
from bench.data import write_step
from bench.measure import Row

STEPS = 16
#: Of each engine, by turns: what else the machine does falls on both.
ROUNDS = 5

#: Indexes once for every line that it is told, so that what is compared is the steady state; prints seconds, samples and
#: a hash of all that the index says. `noted`: a folder where each attempt at a task leaves a file, or "".
INDEX = """
import os, sys, time
import msgspec, xxhash
import rollscope
from rollscope.index import refresh
from rollscope.index.engines.base import Task
from rollscope.index.engines.ray import RayEngine
refresh.INLINE_BYTES = refresh.REMOTE_INLINE_BYTES = 1 << 20
root, place, engine, noted = sys.argv[1:]
if noted:
    submit = RayEngine.submit
    def submit_noted(self, task):
        node = self._ray._private.worker.global_worker.node
        open(os.path.join(noted, "node"), "w").write(node.raylet_socket_name)
        return submit(self, Task("tests.cloud.ray_tasks:noted", msgspec.msgpack.encode((noted, task))))
    RayEngine.submit = submit_noted
def contents(snapshot):
    rows = snapshot.all_rows
    found = xxhash.xxh3_128()
    for name in sorted(rows.column_names):
        found.update(msgspec.msgpack.encode((name, rows[name].to_pylist())))
    for file in snapshot.manifest.files:
        for piece in file.pieces:
            told = (piece.start, piece.end, piece.rows, piece.lines, piece.skipped, piece.keys, piece.hashes)
            found.update(msgspec.msgpack.encode((file.source, *told)))
    return found.hexdigest()
for number, _ in enumerate(sys.stdin):
    run = rollscope.open(root, engine=engine, index_dir=f"{place}/{engine}-{number}")
    start = time.perf_counter()
    run.refresh()
    seconds = time.perf_counter() - start
    print("measured", seconds, run._index.snapshot.sample_count, contents(run._index.snapshot), flush=True)
"""
#: (seconds, samples, a hash of the index)
Measured = tuple[float, int, str]


def ray_speed(place: Place) -> Iterator[Row]:
    root = place.folder / "run"
    for step in range(STEPS):
        write_step(root / "train" / f"{step}.jsonl", max(2.0, place.sizes.megabytes / STEPS), step)
    size = sum(path.stat().st_size for path in root.rglob("*.jsonl")) / 1e6
    url = place.bucket.upload(root, "run")
    here = str(Path(__file__).parents[2])
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": here}
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
            timed = _by_turns(str(place.folder / "i"), url, environment)
            seconds = {engine: statistics.median(row[0] for row in rows[1:]) for engine, rows in timed.items()}
            ratio = seconds["ray"] / seconds["local"]
            what, reference = (
                f"index {size:.0f} MB of a bucket on Ray, two nodes",
                f"two workers {seconds['local']:.2f} s",
            )
            yield Row(what, f"{seconds['ray']:.2f} s", reference, ratio, "≤ 1.25 ×", ratio <= 1.25)
            made = {row[1:] for rows in timed.values() for row in rows}
            yield holds("… what the index says", "equal" if len(made) == 1 else "other", len(made) == 1)
            for name, kill in (("worker", _kill_worker), ("node with its worker", _kill_node)):
                yield from _with_kill(place, name, kill, url, environment, timed["local"][0][1:])
        finally:
            assert cluster.stdin is not None
            cluster.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                cluster.wait(30)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(cluster.pid, signal.SIGKILL)


def _by_turns(place: str, url: str, environment: dict[str, str]) -> dict[str, list[Measured]]:
    """Of each round, by engine. The first round of each starts its workers."""
    with contextlib.ExitStack() as stack:
        asked = {}
        for engine in ("local", "ray"):
            command = [sys.executable, "-c", INDEX, url, place, engine, ""]
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
            asked[engine] = stack.enter_context(process)
        timed: dict[str, list[Measured]] = {engine: [] for engine in asked}
        for _ in range(ROUNDS + 1):
            for engine, process in asked.items():
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write("again\n")
                process.stdin.flush()
                timed[engine] += _measured(next(line for line in process.stdout if line.startswith("measured ")))
        return timed


def _with_kill(
    place: Place,
    name: str,
    kill: Callable[[Path], bool],
    url: str,
    environment: dict[str, str],
    wanted: tuple[int, str],
) -> Iterator[Row]:
    """Into an index in the bucket: no root of it may name an object that is not there."""
    noted = place.folder / kill.__name__
    noted.mkdir()
    shared = f"{place.bucket.url}/{kill.__name__}"
    command = [sys.executable, "-c", INDEX, url, shared, "ray", str(noted)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
    assert process.stdin is not None
    process.stdin.write("once\n")
    process.stdin.flush()
    process.stdin.close()
    process.stdin = None
    while process.poll() is None and not kill(noted):
        time.sleep(0.01)
    out, _ = process.communicate(timeout=300)
    ((_, *found),) = _measured(out)
    attempts = Counter(path.name.partition("-")[2].partition("-")[0] for path in noted.glob("attempt-*"))
    what = "equal" if tuple(found) == wanted else "other"
    yield holds(f"… a {name} killed in a task: what the index says", what, tuple(found) == wanted)
    yield at_most(f"… attempts more than {len(attempts)} tasks", sum(attempts.values()) - len(attempts), 1)
    yield at_most("… objects that its roots name and that are not there", _missing(place, kill.__name__), 0)


def _missing(place: Place, folder: str) -> int:
    import msgspec

    from rollscope.index.manifest.parts import FilePart
    from rollscope.index.manifest.root import Root
    from rollscope.storage.fingerprint import DIGEST_BYTES

    keys = keys_below(place.bucket, folder)
    there = {key.rpartition("/")[2] for key in keys if "/files/" in key}
    named: set[str] = set()
    for key in keys:
        if "/roots/" in key:
            root = msgspec.msgpack.decode(place.bucket.get(key)[DIGEST_BYTES:], type=Root)
            named |= {*root.files, *root.steps}
            for name in root.files:
                part = next((key for key in keys if key.endswith(name)), None)
                if part is not None:
                    named |= FilePart.decoded(name, place.bucket.get(part)).facts.rows_by_segment.keys()
    return len(named - there)


def _kill_worker(noted: Path) -> bool:
    """One that is at a task. False: none is, so far."""
    for worker, _ in _attempts(noted):
        os.kill(worker, signal.SIGKILL)
        return True
    return False


def _kill_node(noted: Path) -> bool:
    """One that is at a task, with its worker; not the node that the driver itself is connected to."""
    own = b"--raylet_socket_name=" + (noted / "node").read_bytes() + b"\0" if (noted / "node").exists() else b""
    for worker, node in _attempts(noted) if own else ():
        if own not in Path(f"/proc/{node}/cmdline").read_bytes():
            for pid in (node, worker):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return True
    return False


def _attempts(noted: Path) -> list[tuple[int, int]]:
    """(worker, its node) of each."""
    texts = [path.read_text().split() for path in noted.glob("attempt-*")]
    return [(int(words[0]), int(words[1])) for words in texts if len(words) == 2]


def _measured(printed: str) -> list[Measured]:
    """Of each round. Ray prints sentences of its own in between, of workers that died for one."""
    lines = (line.removeprefix("measured ").split() for line in printed.splitlines() if line.startswith("measured "))
    return [(float(seconds), int(samples), contents) for seconds, samples, contents in lines]
