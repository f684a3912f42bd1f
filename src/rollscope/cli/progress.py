"""How far indexing is, on one line of a terminal; in a pipe or a log file nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rollscope.cli.numbers import byte_count, duration

if TYPE_CHECKING:
    from types import TracebackType

    from rollscope.query.answers import Progress

#: Short work shows no bar; a bar that flickers is noise.
QUIET_SECONDS = 0.3
SECONDS_BETWEEN_DRAWS = 0.1
CLEAR_LINE = "\r\x1b[K"


class ProgressLine:
    """Tell it how far the work is; leave the ``with`` block and its line is gone."""

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = stream or sys.stderr
        self._shown = self._stream.isatty()
        self._next_draw = time.monotonic() + QUIET_SECONDS
        self._drawn = False

    def indexed(self, progress: Progress, workers: int = 0) -> None:
        """How far indexing is: bytes, samples, bytes a second, who works at it, seconds left."""
        words = []
        if progress.bytes_total:
            words.append(f"{100 * progress.bytes_done // progress.bytes_total}%")
            words.append(f"{byte_count(progress.bytes_done)} of {byte_count(progress.bytes_total)}")
        words.append(f"{progress.samples:,} samples")
        if progress.seconds_left:
            speed = (progress.bytes_total - progress.bytes_done) / progress.seconds_left
            words.append(f"{byte_count(int(speed))}/s")
        if workers:
            words.append(f"{workers} worker{'s' if workers > 1 else ''}")
        if progress.seconds_left is not None:
            words.append(f"{duration(progress.seconds_left)} left")
        self._draw(words)

    def folders(self, count: int) -> None:
        """How many folders have been looked at."""
        self._draw([f"{count:,} folder{'' if count == 1 else 's'} looked at"])

    def counted(self, done: int, total: int) -> None:
        """How far something that is counted is."""
        self._draw([f"{done} of {total}"])

    def _draw(self, words: list[str]) -> None:
        now = time.monotonic()
        if self._shown and now >= self._next_draw:
            self._next_draw = now + SECONDS_BETWEEN_DRAWS
            self._drawn = True
            import shutil  # a pipe draws nothing

            # A line that wraps could not be cleared.
            line = "  ".join([self._title, *words])[: shutil.get_terminal_size().columns - 1]
            self._stream.write(CLEAR_LINE + line)
            self._stream.flush()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._stream.write(CLEAR_LINE)
            self._stream.flush()


@contextmanager
def looking_for_runs() -> Iterator[Callable[[int], None]]:
    """For the time in which there is no run to speak of yet: a home folder has a great many folders."""
    with ProgressLine("looking for runs") as line:
        yield line.folders
