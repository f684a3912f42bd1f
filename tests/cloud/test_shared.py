"""An index that several processes share in a bucket: nothing is lost, viewers write nothing, other stores are refused."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cloud.conftest import Requests
from tests.cloud.servers import Bucket, keys_below, rclone
from tests.cloud.writers import WRITER
from tests.fixtures import REPOSITORY
from tests.runs import write_relax

import rollscope
from rollscope.errors import UnreadableError
from rollscope.query.run import Run


@pytest.fixture
def shared(bucket: Bucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    url = f"{bucket.url}/index"
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", url)
    on_machine(monkeypatch, tmp_path, "one")
    return url


def on_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    """As if on another machine: with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / f"machine-{name}"))


def keys(bucket: Bucket) -> list[str]:
    return [key.partition("/index/")[2] for key in keys_below(bucket, "index")]


def rows(run: Run) -> list[dict[str, object]]:
    run.refresh()
    table = run._index.snapshot.all_rows
    return table.select([name for name in table.column_names if name != "file"]).to_pylist()  # type: ignore[no-any-return]


def test_what_one_machine_indexed_another_one_opens_without_reading_the_run(
    bucket: Bucket, shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requests: Requests
) -> None:
    url = bucket.upload(write_relax(tmp_path / "run", steps=5, samples=4), "run")
    first = rows(rollscope.open(url))
    on_machine(monkeypatch, tmp_path, "two")
    requests.since()
    scanned: list[object] = []
    monkeypatch.setattr("rollscope.index.scan.scan_piece", lambda *given: scanned.append(given))
    assert rows(rollscope.open(url)) == first
    assert not scanned


def test_viewers_see_what_a_writer_commits_and_write_nothing(
    bucket: Bucket, shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requests: Requests
) -> None:
    url = bucket.upload(write_relax(tmp_path / "run", steps=2, samples=4), "run")
    writer = rollscope.open(url)
    writer.refresh()
    monkeypatch.setenv("ROLLSCOPE_INDEX_READONLY", "1")
    viewers = []
    for name in ("two", "three"):
        on_machine(monkeypatch, tmp_path, name)
        viewers.append(rollscope.open(url))
    assert [viewer.samples().total for viewer in viewers] == [8, 8]
    before = keys(bucket)
    bucket.upload(write_relax(tmp_path / "more", steps=3, samples=4), "run")
    requests.since()
    for viewer in viewers:
        viewer.refresh()
    assert [viewer.samples(step=2).total for viewer in viewers] == [4, 4], "a viewer reads what no writer has read yet"
    assert requests.since().get("put", 0) == 0
    assert keys(bucket) == before
    writer.refresh()
    assert len(keys(bucket)) > len(before)
    for viewer in viewers:
        assert rows(viewer) == rows(writer)


def test_writers_that_commit_at_the_same_time_and_are_killed_lose_nothing(
    bucket: Bucket, shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four writers, each for its own steps, killed at any moment and started again."""
    steps, writers = 24, 4
    url = bucket.upload(write_relax(tmp_path / "run", steps=steps, samples=2), "run")
    chance = random.Random(5)

    def start(number: int) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(tmp_path / f"writer-{number}"),
            "PYTHONPATH": str(REPOSITORY),
        }
        command = [sys.executable, "-c", WRITER, url, str(number), str(writers), str(steps)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    running = {number: start(number) for number in range(writers)}
    kills = dict.fromkeys(running, 1)
    end = time.monotonic() + 150
    while running:
        assert time.monotonic() < end
        for number, process in list(running.items()):
            if kills[number] and any("/roots/" in key for key in keys(bucket)) and chance.random() < 0.3:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills[number] -= 1
                running[number] = start(number)
            elif process.poll() is not None:
                out, error = process.communicate()
                assert out == "finished\n", error
                del running[number]
        time.sleep(0.1)
    roots = [int(key.rpartition("/")[2]) for key in keys(bucket) if "/roots/" in key]
    assert roots == list(range(roots[0], roots[0] + len(roots))), "no number is left out"
    on_machine(monkeypatch, tmp_path, "reader")
    monkeypatch.setenv("ROLLSCOPE_INDEX_READONLY", "1")
    reader = rollscope.open(url)
    assert reader._index.snapshot.sample_count == steps * 2, "before anything is read"
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(tmp_path / "fresh"))
    assert rows(reader) == rows(rollscope.open(url))


def test_a_store_that_overwrites_is_refused_and_nothing_is_left_in_it(
    in_cloud: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_relax(tmp_path / "run", steps=1)
    on_machine(monkeypatch, tmp_path, "one")
    with rclone(tmp_path / "served") as endpoint:
        (tmp_path / "served" / "lab").mkdir()
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", "s3://lab/index")
        with pytest.raises(UnreadableError, match="cannot be shared by writers"):
            rollscope.open(run)
    assert not [path for path in (tmp_path / "served").rglob("*") if path.is_file()]
