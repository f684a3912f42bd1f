"""Runs in a bucket: requests and CPU of indexing, of a sample and of a page, an idle viewer, an object that is replaced."""

from __future__ import annotations

import json
import os
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from bench.cloud.place import Place, at_most, counted, holds
from bench.data import small_step, write_step
from bench.measure import Row

STEPS = 4


def _run(place: Place) -> tuple[Path, str]:
    root = place.folder / "run"
    for step in range(STEPS):
        write_step(root / "train" / f"{step}.jsonl", place.sizes.megabytes / STEPS, step)
    return root, place.bucket.upload(root, "run")


def indexing(place: Place) -> Iterator[Row]:
    """Both in this process, by turns: neither maps files."""
    import rollscope
    from rollscope.index import refresh
    from rollscope.index.changes import plan

    refresh.INLINE_BYTES = 1 << 50
    root, url = _run(place)
    ratios, requests = [], 0
    for turn in range(3):
        spent: list[float] = []
        for where in (str(root), url):
            run = rollscope.open(where, index_dir=str(place.folder / f"index-{turn}-{len(spent)}"))
            _forget_what_was_fetched()
            with counted() as asked:
                start = time.process_time()
                run.refresh()
                spent.append(time.process_time() - start)
            requests = sum(asked.values())
            stretches = [
                (file.source.path, [(p.start, p.end, p.rows, p.lines, p.hashes) for p in file.pieces])
                for file in run._index.snapshot.manifest.files
            ]
            if len(spent) == 1:
                local = stretches
        ratios.append(spent[1] / spent[0])
    size = sum(path.stat().st_size for path in root.rglob("*.jsonl"))
    yield holds(
        f"index {size / 1e6:.0f} MB: rows and stretches", "equal" if stretches == local else "other", stretches == local
    )
    yield at_most("… requests", requests, 1.2 * size / plan.CHUNK_BYTES + 4 * STEPS)
    ratio = statistics.median(ratios)
    yield Row("… CPU, bucket : disk", f"{ratio:.2f} ×", "unmapped", ratio, "≤ 1.15 ×", ratio <= 1.15)


def showing(place: Place) -> Iterator[Row]:
    import rollscope

    _, url = _run(place)
    run = rollscope.open(url)
    run.refresh()
    run.sample("train/1/7")
    _forget_what_was_fetched()  # indexing read all of it: as if it had been done elsewhere
    with counted() as asked:
        run.sample("train/2/7")
    yield at_most("show of one sample: GETs", asked.get("get", 0), 1)
    yield at_most("… HEADs", asked.get("head", 0), 0)
    with counted() as asked:
        run.samples(split="train", step=3, offset=100, limit=50, preview=True)
    yield at_most("page of 50 with previews: GETs", asked.get("get", 0), 4)
    shared = f"{place.bucket.url}/index"
    rollscope.open(url, index_dir=shared).refresh()
    rollscope.open(url, index_dir=shared).sample("train/1/7")  # the parts of the index are on this machine now
    _forget_what_was_fetched()
    viewer = rollscope.open(url, index_dir=shared)
    with counted() as asked:
        viewer.sample("train/2/7")
    yield at_most("show of one sample, its index in the bucket: GETs of both", asked.get("get", 0), 1 + 2)


def _forget_what_was_fetched() -> None:
    """As in a process that was just started."""
    from rollscope.storage.objects import object_store
    from rollscope.storage.objects.byte_cache import ByteCache

    object_store._bytes = ByteCache(object_store.CACHE_BYTES)


def idle(place: Place) -> Iterator[Row]:
    """Ten seconds in which the page asks again and again."""
    import rollscope

    root = place.folder / "run"
    (root / "train").mkdir(parents=True)
    for step in range(place.sizes.objects):
        small_step(root, step, 1)
    run = rollscope.open(place.bucket.upload(root, "run"))
    run.refresh()
    time.sleep(5.1)
    with counted() as asked:
        end = time.monotonic() + 10
        while time.monotonic() < end:
            run.refresh(wait=False)
            run.steps(wait=False)
            time.sleep(0.2)
    yield at_most(f"idle viewer on {place.sizes.objects:,} objects, 10 s: listings", asked.get("list", 0), 3)
    yield at_most("… HEADs", asked.get("head", 0), 0)


def replaced(place: Place) -> Iterator[Row]:
    """An object of two states, replaced while its samples are read: what is shown is of one of them."""
    import rollscope
    from rollscope.errors import RollscopeError

    os.environ["ROLLSCOPE_POLL"] = "0"
    states = [b"".join(_line(name, index) for index in range(20)) for name in ("first", "other")]
    place.bucket.put("run/train/0.jsonl", states[0])
    run = rollscope.open(f"{place.bucket.url}/run")
    stop = threading.Event()

    def replace() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            place.bucket.put("run/train/0.jsonl", states[number % 2])

    writer = threading.Thread(target=replace)
    writer.start()
    mixed = refused = 0
    try:
        for number in range(place.sizes.rounds):
            try:
                text = run.raw(f"train/0/{number % 20}")
            except RollscopeError:
                refused += 1
                continue
            mixed += ("first" in text) == ("other" in text)
    finally:
        stop.set()
        writer.join()
        del os.environ["ROLLSCOPE_POLL"]
    yield at_most(f"replaced while shown, {place.sizes.rounds} rounds ({refused} refused): mixed", mixed, 0)


def _line(name: str, index: int) -> bytes:
    record = {"prompt": f"p{index}", "response": f"{name} " * 200, "reward": 1.0, "rollout_id": 0, "sample_index": index,
              "response_length": 3, "total_length": 4, "status": "completed", "group_index": 0, "label": "1"}  # fmt: skip
    return json.dumps(record).encode() + b"\n"
