"""One index of many processes: writers that are killed, a store that must be refused, viewers, a retry that comes late."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.cloud.servers import keys_below, rclone
from tests.cloud.writers import WRITER

from bench.cloud.place import Place, at_most, holds
from bench.data import small_step
from bench.measure import Row


def _upload(place: Place, steps: int) -> str:
    root = place.folder / "run"
    (root / "train").mkdir(parents=True, exist_ok=True)
    for step in range(steps):
        small_step(root, step, 2)
    return place.bucket.upload(root, "run")


def writers(place: Place) -> Iterator[Row]:
    """Each commits a step at a time, is killed once at any moment, and started again."""
    import rollscope

    count, commits = place.sizes.writers, place.sizes.commits
    steps = count * commits
    url = _upload(place, steps)
    shared = f"{place.bucket.url}/index"
    chance = random.Random(7)

    def start(number: int) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "ROLLSCOPE_INDEX_DIR": shared,
            "XDG_CACHE_HOME": str(place.folder / f"w{number}"),
        }
        command = [sys.executable, "-c", WRITER, url, str(number), str(count), str(steps)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    running = {number: start(number) for number in range(count)}
    waiting = set(running)
    failed = 0
    while running:
        time.sleep(0.2)
        for number, process in list(running.items()):
            if number in waiting and chance.random() < 0.1 and keys_below(place.bucket, "index"):
                process.send_signal(signal.SIGKILL)
                process.communicate()
                waiting.discard(number)
                running[number] = start(number)
            elif process.poll() is not None:
                failed += process.communicate()[0] != "finished\n"
                del running[number]
    roots = sorted(int(key.rpartition("/")[2]) for key in keys_below(place.bucket, "index") if "/roots/" in key)
    contiguous = roots == list(range(roots[0], roots[0] + len(roots)))
    os.environ["ROLLSCOPE_INDEX_READONLY"] = "1"
    reader = rollscope.open(url, index_dir=shared)
    found = reader._index.snapshot.sample_count
    rows = reader.samples(discarded=None).rows
    del os.environ["ROLLSCOPE_INDEX_READONLY"]
    fresh = rollscope.open(place.folder / "run", index_dir=str(place.folder / "fresh")).samples(discarded=None).rows
    killed = count - len(waiting)
    yield holds(f"{count} writers × {commits} commits, {killed} killed: roots", "contiguous", contiguous and not failed)
    yield Row("… samples before anything is read", str(found), f"{2 * steps}", None, "all of them", found == 2 * steps)
    yield holds(
        "… rows, against an index made anew from the files", "equal" if rows == fresh else "other", rows == fresh
    )


def refused(place: Place) -> Iterator[Row]:
    import rollscope
    from rollscope.errors import UnreadableError

    root = place.folder / "run"
    (root / "train").mkdir(parents=True)
    small_step(root, 0)
    served = place.folder / "served"
    with rclone(served) as endpoint:
        (served / "lab").mkdir()
        os.environ["AWS_ENDPOINT_URL"] = endpoint
        try:
            rollscope.open(root, index_dir="s3://lab/index")
            said = "taken"
        except UnreadableError as error:
            said = str(error)
    left = [path for path in served.rglob("*") if path.is_file()]
    sentence = "cannot be shared by writers" in said
    yield holds("`rclone serve s3` as a shared index", "refused" if sentence else said, sentence)
    yield at_most("… files left in it", len(left), 0)


VIEWER = """
import sys, time
import rollscope
run = rollscope.open(sys.argv[1])
from bench.cloud.place import counted
with counted() as asked:
    print(run.samples().total, flush=True)
    while run.samples(wait=True).total < int(sys.argv[2]):
        time.sleep(0.1)
    print(time.time(), asked.get("put", 0), flush=True)
"""


def viewers(place: Place) -> Iterator[Row]:
    import rollscope

    url = _upload(place, 2)
    shared = f"{place.bucket.url}/index"
    writer = rollscope.open(url, index_dir=shared)
    writer.refresh()
    processes = []
    for number in range(2):
        environment = {
            **os.environ,
            "ROLLSCOPE_INDEX_DIR": shared,
            "ROLLSCOPE_INDEX_READONLY": "1",
            "XDG_CACHE_HOME": str(place.folder / f"v{number}"),
        }
        command = [sys.executable, "-c", VIEWER, url, "6"]
        processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    _upload(place, 3)
    from rollscope.storage.objects import object_listing, object_store

    object_store._listed.clear()
    writer.refresh()
    committed = time.time()
    seen = [process.communicate(timeout=120)[0].split() for process in processes]
    late = max(float(words[0]) for words in seen) - committed
    yield at_most("two viewers see a new step after", round(late, 1), object_listing.POLL_SECONDS + 2, " s")
    yield at_most("… writes by viewers", sum(int(words[1]) for words in seen), 0)


def delayed_retry(place: Place) -> Iterator[Row]:
    """A task's answer that comes a second time after the commit makes another segment, and names nothing."""
    import rollscope
    from rollscope.index.refresh import Refresh
    from rollscope.index.scan import ScanResult

    url = _upload(place, 3)
    run = rollscope.open(url, index_dir=f"{place.bucket.url}/index")
    run.refresh()
    before = {key: place.bucket.get(key) for key in keys_below(place.bucket, "index")}
    index = run._index
    (name,) = index.snapshot.manifest.segments
    content = Path(index.location, name).read_bytes()
    again = Refresh(index, None, None)._received(_encoded(ScanResult("", [], content)))
    index.refresh()
    after = {key: place.bucket.get(key) for key in before}
    yield holds("retry after the commit: committed objects", "unchanged", after == before and again.segment != name)


def _encoded(result: object) -> bytes:
    import msgspec

    return msgspec.msgpack.encode(result)
