"""What a process of Rollscope's own is told before it imports much."""

from __future__ import annotations

import os
import subprocess
import sys
from types import ModuleType

import pytest

from rollscope import startup


def test_what_a_user_set_for_numpy_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MKL_NUM_THREADS", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    startup.one_thread_for_blas()
    assert (os.environ["MKL_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"]) == ("7", "1")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # taken away again at the end


def test_a_process_that_has_pandas_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", ModuleType("pandas"))
    before = list(sys.meta_path)
    startup.without_pandas()
    assert sys.meta_path == before


def test_nothing_is_left_in_the_way_of_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", __import__("pyarrow"))
    before = list(sys.meta_path)
    startup.without_pandas()
    assert sys.meta_path == before


def test_pyarrow_is_awaited_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    before = len(sys.meta_path)
    startup.without_pandas()
    startup.without_pandas()
    assert len(sys.meta_path) == before + 1
    assert sys.meta_path[0].find_spec("json", None) is None, "other imports go on as ever"
    assert len(sys.meta_path) == before + 1


def ended_by(code: str) -> tuple[int, str, str]:
    """Status, output and errors of a process that leaves after `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"import atexit, sys, threading, time\nfrom rollscope.startup import leave\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_leaving_writes_what_was_printed_and_does_what_was_registered_for_the_end() -> None:
    code = "atexit.register(lambda: print('registered'))\nprint('printed', end=' ')\nleave(3)"
    assert ended_by(code) == (3, "printed registered\n", "")


def test_leaving_waits_for_a_thread_that_is_still_at_work() -> None:
    code = "threading.Thread(target=lambda: (time.sleep(0.2), print('done'))).start()\nleave(4)"
    assert ended_by(code) == (4, "done\n", "")


def test_leaving_lets_a_profiler_write() -> None:
    code = "sys.setprofile(lambda *_: None)\ntry:\n    leave(5)\nfinally:\n    print('profile')"
    assert ended_by(code) == (5, "profile\n", "")


def test_leaving_does_not_mind_a_closed_stream() -> None:
    assert ended_by("sys.stdout.close()\nleave(6)") == (6, "", "")


def test_garbage_is_looked_for_rarely_and_still_found() -> None:
    code = (
        "import weakref; from rollscope.startup import look_for_garbage_rarely; look_for_garbage_rarely()\n"
        "class Ring: pass\n"
        "ring = Ring(); ring.itself = ring; seen = weakref.ref(ring); del ring\n"
        "kept = [[] for _ in range(10_000)]; print(seen() is None)\n"
        "kept += [[] for _ in range(100_000)]; print(seen() is None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
