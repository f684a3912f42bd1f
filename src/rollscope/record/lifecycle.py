"""The ends of a process: exit, SIGTERM, fork. Whatever was accepted is written first.

One hook of each kind serves all runs of the process. A run that nobody closes and nobody holds any more still has records
to write, so it is held here until it is closed.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any, Protocol

from rollscope.record.output.problems import RecordError


class Recording(Protocol):
    """What the hooks need of a run."""

    def flush(self) -> bool: ...
    def close(self) -> None: ...
    def after_fork(self) -> None: ...


_live: dict[int, Recording] = {}
_installed = False
_previous_sigterm: Any = None


def watch(recording: Recording, *, sigterm: bool) -> None:
    """Close ``recording`` at the end of the process, whichever way it ends (but SIGKILL)."""
    global _installed  # noqa: PLW0603  # hooks are per process
    _live[id(recording)] = recording
    if not _installed:
        _installed = True
        atexit.register(close_all)
        os.register_at_fork(after_in_child=_after_fork)
    if sigterm:
        _install_sigterm()


def unwatch(recording: Recording) -> None:
    _live.pop(id(recording), None)


def close_all() -> None:
    for recording in list(_live.values()):
        try:
            recording.close()
        except RecordError as error:  # a strict run; nobody is left to catch it
            print(f"rollscope: {error}", file=sys.stderr)  # noqa: T201


def close_with_worker_process() -> None:
    """Processes of ``multiprocessing`` end without ``atexit``; they run finalizers instead."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(None, close_all, exitpriority=100)


def _after_fork() -> None:
    for recording in list(_live.values()):
        recording.after_fork()


def _install_sigterm() -> None:
    global _previous_sigterm  # noqa: PLW0603
    if threading.current_thread() is not threading.main_thread():
        return  # Python sets handlers on the main thread only; at exit the rest still holds
    current = signal.getsignal(signal.SIGTERM)
    # None: installed by C code, whose handler we could not call afterwards.
    if current is _on_sigterm or current is None:
        return
    _previous_sigterm = current
    signal.signal(signal.SIGTERM, _on_sigterm)


def _on_sigterm(signum: int, frame: FrameType | None) -> None:
    """Write what was accepted, then do what would have been done without us."""
    if _previous_sigterm is signal.SIG_DFL:
        close_all()
        signal.signal(signum, signal.SIG_DFL)
        os.kill(os.getpid(), signum)
        return
    # The program goes on after its own handler, perhaps to save a checkpoint: runs stay open for it.
    for recording in list(_live.values()):
        recording.flush()
    if callable(_previous_sigterm):
        _previous_sigterm(signum, frame)
