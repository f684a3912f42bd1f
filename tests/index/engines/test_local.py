"""Workers of this machine: they answer, they fail, they are killed, and a fork leaves both sides whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.runs import write_relax

from rollscope.index.engines.base import Task, TaskFailed, WorkerDied
from rollscope.index.engines.local import LocalEngine


def test_a_task_runs_in_another_process_and_answers_bytes() -> None:
    engine = LocalEngine(1)
    try:
        packed = engine.submit(Task("zlib:compress", b"x" * 3_000_000)).result()
        assert engine.submit(Task("zlib:decompress", packed)).result() == b"x" * 3_000_000
    finally:
        engine.close()


def test_what_a_function_raises_is_reported_and_the_worker_goes_on() -> None:
    engine = LocalEngine(1)
    try:
        with pytest.raises(TaskFailed, match="error: "):
            engine.submit(Task("zlib:decompress", b"no")).result()
        assert engine.submit(Task("builtins:bytes", b"yes")).result() == b"yes"
    finally:
        engine.close()


def test_a_killed_worker_fails_its_task_and_is_replaced() -> None:
    engine = LocalEngine(1)
    try:
        with pytest.raises(WorkerDied):
            engine.submit(Task("tests.index.engines.tasks:die", b"")).result()
        assert engine.submit(Task("builtins:bytes", b"yes")).result() == b"yes"
    finally:
        engine.close()


def test_a_closed_engine_starts_again_when_it_is_asked() -> None:
    engine = LocalEngine(1)
    engine.submit(Task("builtins:bytes", b"a")).result()
    engine.close()
    assert engine.submit(Task("builtins:bytes", b"b")).result() == b"b"
    engine.close()


#: Searches in workers, forks, searches in the child and again in the parent; both print what they found.
FORKING = """
import os, sys
import rollscope
from rollscope.query.search import text_search
text_search.INLINE_BYTES = 0
run = rollscope.open(sys.argv[1])
def found():
    return sorted(hit.address for hit in run.search("answer is 1."))
before = found()
assert run.samples(where="reward > 0.1").total > 0
child = os.fork()
if child == 0:
    assert found() == before, found()
    assert run.samples(where="reward > 0.1").total > 0
    sys.exit(7)  # and not os._exit: what is registered for the end runs in the child too
_, status = os.waitpid(child, 0)
assert found() == before
print(os.waitstatus_to_exitcode(status), len(before))
"""


def test_a_forked_child_searches_and_leaves_the_parent_s_workers_alone(tmp_path: Path) -> None:
    root = write_relax(tmp_path / "run", steps=4)
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", FORKING, str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, errors = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert (out.split()[:1], errors) == (["7"], "")
    assert int(out.split()[1]) > 0


#: Uses a worker, forks a child that lives on, prints both their ids and is killed.
OUTLIVED = """
import os, signal, sys, time
from rollscope.index.engines.base import Task
from rollscope.index.engines.local import LocalEngine
engine = LocalEngine(1)
engine.submit(Task("builtins:bytes", b"")).result()
child = os.fork()
if child == 0:
    sys.stdin.read()
    os._exit(0)
print(engine._workers[0]._process.pid, child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_ends_with_its_parent_although_a_forked_child_lives_on() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OUTLIVED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        worker, _child = map(int, process.stdout.readline().split())
        process.wait(timeout=60)
        for _ in range(600):
            if not is_running(worker):
                break
            time.sleep(0.05)
        assert not is_running(worker)
        assert process.stdin is not None
        process.stdin.close()  # the child ends


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
