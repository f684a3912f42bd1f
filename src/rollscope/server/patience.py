"""Waiting a little for files that were never read, so that a script asking about a small run gets all of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rollscope.errors import NotFoundError

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: What indexing surely reads in a second on a busy machine. With more than that left there is no sense in waiting.
SLOW_BYTES_PER_SECOND = 100_000_000

AnswerT = TypeVar("AnswerT")


def patiently(run: Run, seconds: float, ask: Callable[[], AnswerT]) -> AnswerT:
    """``ask`` about ``run``, and once more when files that were not read yet have been, if that takes no longer than
    ``seconds``. Asking starts the reading; an answer that is not complete says so itself."""
    version = run.version
    try:
        answer = ask()
        if run.version == version and run.progress().done:
            return answer
    except NotFoundError:
        # What is asked for may lie in a file that has not been read.
        if run.version == version and run.progress().done:
            raise
        answer = None
    if wait_for(run, seconds) or answer is None:
        return ask()
    return answer


def wait_for(run: Run, seconds: float) -> bool:
    """Until all is read. False when it is not within ``seconds``, or clearly will not be."""
    end = time.monotonic() + seconds
    pause = 0.002
    while True:
        progress = run.progress()
        if progress.done:
            return True
        left = end - time.monotonic()
        if left <= 0 or progress.bytes_total - progress.bytes_done > seconds * SLOW_BYTES_PER_SECOND:
            return False
        time.sleep(min(pause, left))
        pause = min(2 * pause, 0.05)
