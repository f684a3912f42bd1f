"""For processes that are Rollscope's own, commands, servers, workers: how they begin, and how they end.

pyarrow imports pandas, where it is installed, at the first array it makes: 250 ms that none of ours needs. Never called by
the library: a user's process may want pandas.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import NoReturn

#: Objects made since the last look for garbage, before the next one; Python's own number is 700.
_OBJECTS_BETWEEN_LOOKS = 50_000
# From glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8


class _NoPandas:
    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname == "pandas":
            raise ModuleNotFoundError("not needed here", name="pandas")
        return None


class _AfterPyarrow:
    """Lets pyarrow look for pandas, in vain, as soon as it is imported: not before, since it takes 100 ms itself."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != "pyarrow":
            return None
        sys.meta_path.remove(self)
        spec = find_spec("pyarrow")
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_look(module: ModuleType) -> None:
                load(module)
                _look_for_pandas()

            spec.loader.exec_module = load_and_look  # type: ignore[method-assign]
        return spec


def without_pandas() -> None:
    """pyarrow, once it is imported, believes that there is no pandas."""
    if "pandas" in sys.modules:
        return
    if "pyarrow" in sys.modules:
        _look_for_pandas()
    elif not any(isinstance(finder, _AfterPyarrow) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterPyarrow())


def _look_for_pandas() -> None:
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.scalar(0)  # pyarrow looks once and remembers
    finally:
        sys.meta_path.remove(finder)


def one_thread_for_blas() -> None:
    """Before numpy is imported: the linear algebra in it starts a thread for each core when it is loaded, and nobody here
    asks it for anything. 60 ms of processor time on two cores. What a user has set stays."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def look_for_garbage_rarely() -> None:
    """What modules are made of stays: looking through it for garbage, again and again while they are imported, is a twentieth
    of a short command's time. Python frees most objects without looking."""
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)


def keep_memory_small() -> None:
    """For processes that live long and work in many threads: what they free goes back to the system.

    glibc gives each thread an arena of its own, and pyarrow a pool; both keep what was freed. A server that had shown a
    20 MB response and 100 charts held 400 MB that way."""
    import ctypes

    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    with suppress(OSError, AttributeError):  # no glibc
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_M_ARENA_MAX, 2)
        libc.mallopt(_M_TRIM_THRESHOLD, 1 << 20)
        libc.mallopt(_M_MMAP_THRESHOLD, 1 << 20)


def leave(status: int) -> NoReturn:
    """End this process, without taking apart everything it imported: of a short command that is a sixth of its time.

    What was registered for the end is done, and everything printed is written. Where a thread must be waited for, or where
    a profiler has yet to write, Python ends as always."""
    at_work = any(not thread.daemon and thread is not threading.main_thread() for thread in threading.enumerate())
    if at_work or sys.getprofile() is not None or sys.gettrace() is not None:
        sys.exit(status)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # its reader is gone, or it is closed
            stream.flush()
    os._exit(status)
