"""Answers that did not change are not made again.

Each question still looks at the files (one stat for each file of its step), and gives the state that its answer would be
made from. The same question about the same state has the same answer; one that is being made is waited for, not made twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from rollscope.lru import LruCache

#: A page of 100 groups takes some 40 KB, 1,000 rows of samples some 400 KB.
DEFAULT_BYTES = 64 << 20

AnswerT = TypeVar("AnswerT")


class AnswerCache(Generic[AnswerT]):
    """May be used from any thread. `size` says how many bytes an answer holds."""

    def __init__(self, size: Callable[[AnswerT], int], max_bytes: int = DEFAULT_BYTES) -> None:
        #: By question: the state that its answer was made from, and the answer. One of an older state is never asked for
        #: again; a growing step would leave one with each look at it.
        self.kept: LruCache[Hashable, tuple[Hashable, AnswerT]] = LruCache(max_bytes)
        self._size = size
        self._making: dict[Hashable, Future[AnswerT]] = {}
        self._lock = threading.Lock()

    def ask(
        self, question: Hashable, look: Callable[[], Hashable | None], make: Callable[[], AnswerT]
    ) -> tuple[AnswerT, tuple[Hashable, Hashable] | None]:
        """The answer, and the key it is kept under. `look` looks at the files and gives their state, None where there is
        none that an answer could be kept for: then it is made, for this one question."""
        state = look()
        if state is None:
            return make(), None
        key = (question, state)
        with self._lock:
            found = self.kept.get(question)
            if found is not None and found[0] == state:
                return found[1], key
            making = self._making.get(key)
            if making is None:
                own = self._making[key] = Future()
        if making is not None:
            # The thread that makes it checks the files, so its answer is not older than what this question saw.
            return making.result(), key
        try:
            answer = make()
        except BaseException as error:
            self._forget(key)
            own.set_exception(error)
            raise
        # Data that changed while it was read may be newer than the state it would be kept for.
        if look() == state:
            self.kept.put(question, (state, answer), self._size(answer))
        self._forget(key)
        own.set_result(answer)
        return answer, key

    def replace(self, key: tuple[Hashable, Hashable], answer: AnswerT) -> None:
        """Keep this in its place: the same answer, with something added to it. Where a newer one is kept, that stays."""
        question, state = key
        found = self.kept.get(question)
        if found is not None and found[0] == state:
            self.kept.put(question, (state, answer), self._size(answer))

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            self._making.pop(key, None)
