"""Waiting a little for files that were never read, so that a script asking about a small run gets all of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from rollscope.query.answers import Progress

#: What indexing surely reads in a second on a busy machine. With more than that left there is no sense in waiting.
SLOW_BYTES_PER_SECOND = 100_000_000


class Progressive(Protocol):
    progress: Progress


AnswerT = TypeVar("AnswerT", bound=Progressive)


def complete_within(seconds: float, ask: Callable[[], AnswerT]) -> AnswerT:
    """Ask until the answer is complete, or ``seconds`` have passed, or it is clear that they will not suffice."""
    end = time.monotonic() + seconds
    pause = 0.005
    while True:
        answer = ask()
        left = end - time.monotonic()
        unread = answer.progress.bytes_total - answer.progress.bytes_done
        if answer.progress.done or left <= 0 or unread > seconds * SLOW_BYTES_PER_SECOND:
            return answer
        time.sleep(min(pause, left))
        pause = min(2 * pause, 0.1)
