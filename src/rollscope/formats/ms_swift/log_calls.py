"""Which of ms-swift's log calls were evaluations: `completions.jsonl` does not say, `logging.jsonl` beside it does.

Every call of the trainer's `log` writes one line of numbers and then one line of completions, so the calls of a step are
in the same order in both files. A run that is resumed in its folder appends to both: its steps begin again at a smaller
one, or at the last one that was logged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from rollscope.formats.lines.sealed import read_bytes
from rollscope.formats.run_files import read_lines
from rollscope.model import as_integer
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

LOG = "logging.jsonl"
PROGRESS = "global_step/max_steps"
_EVAL, _END, _LOSS = "eval_", "train_runtime", "loss"
_STEP = re.compile(rb'\s*\{\s*"step"\s*:\s*\[\s*"?(\d+)')
#: How much is read at once on the way back to a line's beginning.
_BLOCK = 256 << 10
_HEAD = 256
#: No step has more calls: one of training and one of each evaluation.
_MOST_CALLS = 64


class Calls(Struct, frozen=True):
    #: Step -> for each call of its newest attempt, whether it was an evaluation.
    kinds: dict[int, list[bool]] = {}
    #: Where the steps began again: at which step, and after how many calls of that step by the attempt before.
    restarts: tuple[tuple[int, int], ...] = ()


def step_of_progress(value: object) -> int | None:
    """12 of "12/300"."""
    return as_integer(str(value).partition("/")[0])


def calls_of(store: Store) -> Calls:
    try:
        return _calls.use(store, LOG, lambda found: found) if store.exists(LOG) else Calls()
    except DAMAGED:
        return Calls()


def _read(store: Store, path: str) -> Calls:
    found: dict[int, list[bool]] = {}
    restarts: list[tuple[int, int]] = []
    last = 0
    # What the trainer appends when it has ended is no call: it has no progress.
    calls = [
        (step, row) for row in read_lines(store, path) if (step := step_of_progress(row.get(PROGRESS))) is not None
    ]
    for step, group in groupby(calls, key=lambda call: call[0]):
        kinds: list[bool] = []
        trained = False
        if step < last:
            restarts.append((step, 0))
        for _, row in group:
            # When training ends, what the last call wrote is written again.
            repeats = _END in row and kinds != []
            evaluates = any(name.startswith(_EVAL) for name in row)
            if _LOSS in row and not evaluates:
                if trained:  # a step is trained once
                    restarts.append((step, len(kinds)))
                trained = True
            kinds.append(kinds[-1] if repeats else evaluates)
        if len(kinds) >= len(found.get(step, ())):  # a resumed run logs steps again
            found[step] = kinds
        last = step
    return Calls(found, tuple(restarts))


_calls: KeptOpen[Calls] = KeptOpen(_read, limit=16, attempts=2)


def evaluated(store: Store, path: str, calls: Calls, lines: list[tuple[int, int]]) -> set[int]:
    """The offsets of those lines, (offset, step) in order, that evaluations wrote."""
    if not lines or not any(map(any, calls.kinds.values())):
        return set()
    first, step = lines[0]
    before = 0
    for _, _, earlier in _places_before(store, path, first):
        if earlier != step or before == _MOST_CALLS:
            break
        before += 1
    found = set()
    for step, group in groupby(lines, key=lambda line: line[1]):
        for place, (offset, _) in enumerate(group, start=before):
            kinds = calls.kinds.get(step, [])
            if place < len(kinds) and kinds[place]:
                found.add(offset)
        before = 0
    return found


def attempts(store: Store, path: str, calls: Calls, offsets: Sequence[int]) -> list[int] | None:
    """Which attempt at the run wrote the lines at these offsets; None where the log knows of one only."""
    if not calls.restarts:
        return None
    try:
        starts = _restarts.use(store, path, lambda found: found.where(calls.restarts))
    except DAMAGED:
        return None
    return [bisect_right(starts, offset) for offset in offsets]


class _Restarts:
    """Where in a file of completions the steps begin again, looked for as far as needed."""

    def __init__(self, store: Store, path: str) -> None:
        self._steps = _steps_from(store, path)
        self._last = 0
        #: Lines of that step in a row.
        self._lines = 0
        self._found: list[int] = []

    def where(self, restarts: Sequence[tuple[int, int]]) -> list[int]:
        while len(self._found) < len(restarts) and (item := next(self._steps, None)) is not None:
            offset, step = item
            again_at, after = restarts[len(self._found)]
            self._lines = self._lines + 1 if step == self._last else 1
            if (self._last == step == again_at and self._lines == after + 1) if after else step < self._last:
                self._found.append(offset)
            self._last = step
        return self._found[: len(restarts)]


_restarts: KeptOpen[_Restarts] = KeptOpen(_Restarts, limit=16, attempts=2)


def _steps_from(store: Store, path: str) -> Iterator[tuple[int, int]]:
    """(offset, step) of the lines that say one."""
    position = 0
    while data := read_bytes(store, path, position, _BLOCK):
        whole, newline, _ = data.rpartition(b"\n")
        for line in whole.split(b"\n") if newline else [data]:
            if match := _STEP.match(line):
                yield position, int(match[1])
            position += len(line) + len(newline)
        while not newline and (data := read_bytes(store, path, position, _BLOCK)):  # the rest of a long line
            before, newline, _ = data.partition(b"\n")
            position += len(before) + len(newline)


def lines_before(store: Store, path: str, position: int, step: int) -> Iterator[bytes]:
    """The lines before this one that are of its step, backwards."""
    for number, (begin, end, told) in enumerate(_places_before(store, path, position)):
        if told != step or number == _MOST_CALLS:
            return
        yield read_bytes(store, path, begin, end - begin)


def _places_before(store: Store, path: str, position: int) -> Iterator[tuple[int, int, int | None]]:
    """(begin, end, step) of the lines before this one, backwards; None for the step of one that has no such column."""
    while position > 0:
        end = position - 1  # the newline that ends it
        begin = end
        newline = -1
        while begin > 0 and newline < 0:
            size = min(_BLOCK, begin)
            begin -= size
            newline = read_bytes(store, path, begin, size).rfind(b"\n")
        position = begin + newline + 1
        match = _STEP.match(read_bytes(store, path, position, min(_HEAD, end - position)))
        yield position, end, int(match[1]) if match else None
