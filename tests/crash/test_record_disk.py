"""Disks that fill up, go away or refuse: training goes on, and recording too as soon as it can."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rollscope import record

DISK_BYTES = 256 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB. Only root may mount one: elsewhere sudo is asked, if it asks for no password."""
    target = tmp_path / "disk"
    target.mkdir()
    as_root = ["sudo", "-n"] if os.geteuid() else []
    options = f"size={DISK_BYTES},uid={os.geteuid()}"
    command = [*as_root, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(target)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    if done.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr.strip()}")
    yield target
    subprocess.run([*as_root, "umount", "-l", str(target)], check=True)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up early on a disk that will not come back."""
    monkeypatch.setattr("rollscope.record.run.CLOSE_SECONDS", 0.2)


def fill(path: Path) -> None:
    """Take all space there is."""
    with open(path, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)


def rows(directory: Path, file: str = "metrics.jsonl") -> list[dict[str, Any]]:
    content = (directory / file).read_bytes()
    assert content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def test_a_full_disk_loses_nothing_and_recording_resumes(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    directory = small_disk / "run"
    run = record.start(directory)
    run.log_metrics({"n": -1}, step=0)
    assert run.flush()
    filler = small_disk / "filler"
    fill(filler)
    text = "y" * 20_000
    for number in range(5):
        run.log_metrics({"n": number, "text": text}, step=number + 1)
    assert run.flush() is False
    assert run.errors >= 1
    # No half line is left behind by the writes that did not fit.
    assert [row["n"] for row in rows(directory)] == [-1]
    warnings = [item for item in caplog.records if "could not be written" in item.message]
    assert len(warnings) == 1
    filler.unlink()
    assert run.flush()
    assert [row["n"] for row in rows(directory)] == [-1, 0, 1, 2, 3, 4]
    run.close()


def test_a_row_that_cannot_grow_on_a_full_disk_stays_as_it_was_and_grows_later(small_disk: Path) -> None:
    directory = small_disk / "run"
    run = record.start(directory)
    run.log_metrics({"n": 0}, step=0)
    run.log_metrics({"n": 1}, step=1)
    assert run.flush()
    before = (directory / "metrics.jsonl").read_bytes()
    filler = small_disk / "filler"
    fill(filler)
    for step in (1, 0):
        run.log_metrics({"text": "y" * 20_000}, step=step)
    assert run.flush() is False
    assert (directory / "metrics.jsonl").read_bytes() == before
    filler.unlink()
    assert run.flush()
    assert [(row["n"], len(row["text"])) for row in rows(directory)] == [(0, 20_000), (1, 20_000)]
    run.close()


@pytest.mark.usefixtures("impatient")
def test_a_disk_that_stays_full_drops_what_exceeds_the_queue_and_never_blocks(small_disk: Path) -> None:
    run = record.start(small_disk / "run", queue_bytes=200_000)
    for number in range(200):
        run.log_metrics({"n": number, "text": "z" * 10_000}, step=number)
    with run.iteration(0) as iteration:
        iteration.add(response="w" * 100_000)
    run.close()
    assert run.errors > 10
    kept = [row["n"] for row in rows(small_disk / "run")]
    assert kept == sorted(kept)
    assert 1 <= len(kept) < 200


@pytest.mark.usefixtures("impatient")
def test_a_strict_run_says_that_the_disk_is_full(small_disk: Path) -> None:
    run = record.start(small_disk / "run", strict=True)
    run.log_metrics({"text": "z" * 2 * DISK_BYTES}, step=0)
    with pytest.raises(record.RecordError, match="No space"):
        run.flush()
    with contextlib.suppress(record.RecordError):
        run.close()


@pytest.mark.usefixtures("impatient")
def test_a_whole_file_that_does_not_fit_leaves_the_old_one(small_disk: Path) -> None:
    run = record.start(small_disk / "run", {"a": 1})
    assert run.flush()
    run.set_config({"big": "x" * 2 * DISK_BYTES})
    assert run.flush() is False
    assert json.loads((small_disk / "run" / "config.json").read_text())["a"] == 1
    run.close()
    leftovers = [path.name for path in (small_disk / "run").iterdir() if path.name.endswith(".tmp")]
    assert leftovers == []


def test_a_directory_that_is_deleted_is_made_again(tmp_path: Path) -> None:
    run = record.start(tmp_path / "run", {"lr": 1})
    run.log_metrics({"n": 0}, step=0)
    assert run.flush()
    shutil.rmtree(tmp_path / "run")
    run.log_metrics({"n": 1}, step=1)
    with run.iteration(1) as iteration:
        iteration.add(response="x")
    run.close()
    assert run.errors == 1
    assert [row["n"] for row in rows(tmp_path / "run") if "n" in row] == [1]
    assert json.loads((tmp_path / "run" / "config.json").read_text())["lr"] == 1
    assert (tmp_path / "run" / "code.diff").exists()
    assert len(rows(tmp_path / "run", "train_iteration_000001_rollouts.jsonl")) == 1


def test_a_file_that_is_replaced_is_followed(tmp_path: Path) -> None:
    run = record.start(tmp_path)
    run.log_metrics({"n": 0}, step=0)
    assert run.flush()
    (tmp_path / "metrics.jsonl").rename(tmp_path / "moved.jsonl")
    run.log_metrics({"n": 1}, step=1)
    run.close()
    assert [row["n"] for row in rows(tmp_path)] == [1]
    assert [row["n"] for row in rows(tmp_path, "moved.jsonl")] == [0]


def test_one_file_that_cannot_be_written_does_not_hold_up_the_others(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").mkdir()
    run = record.start(tmp_path)
    run.log_metrics({"n": 0}, step=0)
    with run.iteration(0) as iteration:
        iteration.add(response="x")
    assert run.flush() is False
    assert len(rows(tmp_path, "train_iteration_000000_rollouts.jsonl")) == 1
    (tmp_path / "metrics.jsonl").rmdir()
    assert run.flush()
    assert rows(tmp_path)[0]["n"] == 0
    run.close()


@pytest.mark.usefixtures("impatient")
def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = record.start(tmp_path / "file" / "run")
    run.log_metrics({"n": 0}, step=0)
    with run.iteration(0) as iteration:
        iteration.add(response="x")
    assert run.flush() is False
    assert run.errors >= 2
    run.close()
    with pytest.raises(record.RecordError):
        record.start(tmp_path / "file" / "run", strict=True)


@pytest.fixture
def public_path() -> Iterator[Path]:
    """A directory that others may enter; pytest's own are closed to them."""
    path = Path(tempfile.mkdtemp(prefix="rollscope-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone who lacks the permission")
def test_a_permission_that_is_lost_and_given_back(public_path: Path) -> None:
    script = """
        import os, sys
        sys.path[:0] = sys.argv[2].split(os.pathsep)
        from rollscope import record
        directory = sys.argv[1]
        # Whatever is imported late is imported now: the interpreter may lie where only root can read it.
        with record.start(directory + "-warm") as run, run.iteration(0) as iteration:
            iteration.add(response="ü")
            run.log_metrics({"x": object()}, step=0)
        os.setgid(65534)
        os.setuid(65534)
        run = record.start(directory)
        run.log_metrics({"n": 0}, step=0)
        assert run.flush()
        os.remove(directory + "/metrics.jsonl")
        os.chmod(directory, 0o500)
        run.log_metrics({"n": 1}, step=1)
        assert run.flush() is False
        assert run.errors == 1, run.errors
        os.chmod(directory, 0o700)
        assert run.flush()
        run.close()
    """
    target = public_path / "run"
    target.mkdir()
    os.chown(target, 65534, 65534)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(target), os.pathsep.join(filter(None, sys.path))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [row["n"] for row in rows(target)] == [1]


@pytest.mark.usefixtures("impatient")
def test_a_disk_that_hangs_does_not_hang_the_loop(tmp_path: Path) -> None:
    """A FIFO without a reader blocks whoever opens it: a stand-in for a dead NFS server."""
    os.mkfifo(tmp_path / "metrics.jsonl")
    run = record.start(tmp_path, queue_bytes=100_000)
    done = threading.Event()

    def loop() -> None:
        for number in range(300):
            run.log_metrics({"n": number, "text": "x" * 1000}, step=number)
        done.set()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    assert done.wait(60)
    assert run.errors > 0
    assert run.flush(timeout=0.2) is False
    run.close()
    # The writer thread is still in its write; a reader lets it go.
    reader = os.open(tmp_path / "metrics.jsonl", os.O_RDONLY | os.O_NONBLOCK)
    time.sleep(0.1)
    os.close(reader)


def test_threads_and_tasks_write_at_once(tmp_path: Path) -> None:
    run = record.start(tmp_path)
    with run.iteration(0) as iteration:

        def work(number: int) -> None:
            with iteration.group(prompt=str(number)) as group:
                for place in range(25):
                    group.add(response=f"{number}:{place}", reward=float(place))
                    run.log_metrics({f"thread {number}": place}, step=place)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    run.close()
    samples = rows(tmp_path, "train_iteration_000000_rollouts.jsonl")
    assert len(samples) == 200
    by_group: dict[int, list[dict[str, Any]]] = {}
    for line in samples:
        by_group.setdefault(line["group"], []).append(line)
    assert sorted(by_group) == list(range(8))
    for group in by_group.values():
        assert [line["index"] for line in group] == list(range(25))
        prompts = {line["messages"][0]["parts"][0]["text"] for line in group}
        assert len(prompts) == 1
    found = {row["step"]: row for row in rows(tmp_path)}
    assert len(rows(tmp_path)) == len(found) == 25
    assert all(row[f"thread {number}"] == step for step, row in found.items() for number in range(8))
