"""How much one filter or SQL query may take, and how long a line may be that is held in memory whole.

They hold for the whole process: they protect the machine, whichever run is asked.
"""

from __future__ import annotations

from typing import NamedTuple

from rollscope.errors import LimitError

#: What opening a line takes at most, as a multiple of its length: its bytes, its text (up to four bytes a character), the
#: record, the parts of the messages, and the answer that is made of them. Measured: 4, and 11 for plain text with one emoji.
TIMES = 12
MB = 1_000_000


class Limits(NamedTuple):
    seconds: float = 20.0
    memory_mb: int = 512
    #: 0: lines of any length.
    line_mb: int = 256

    @property
    def line_bytes(self) -> int | None:
        return self.line_mb * MB or None


_current = Limits()


def current() -> Limits:
    return _current


def set_limits(limits: Limits) -> None:
    """Call it before the first query: a connection keeps the memory limit it was made with."""
    global _current  # noqa: PLW0603
    _current = limits


def too_long(length: int) -> bool:
    limit = _current.line_bytes
    return limit is not None and length > limit


def long_line_error(path: str, line: int, length: int, *, others: int = 0, filtered: bool = False) -> LimitError:
    """What is said before the memory is taken. `others`: so many more such lines were left out; `filtered`: a filter can
    pass over them."""
    name = f"{path}, line {line}," if line else f"a record of {path}"
    more = f" ({others:,} more are too long as well)" if others else ""
    narrow = f"; or leave it out with `response_bytes < {_current.line_mb * MB}`" if filtered else ""
    return LimitError(
        f"{name} has {_size(length)}, which would take up to {_size(TIMES * length)} of memory; "
        f"lines of more than {_current.line_mb:,} MB are not opened{more}",
        hint=f"--max-line {-(-length // MB)} opens it{narrow}",
    )


def _size(length: int) -> str:
    return f"{length / 1e9:.1f} GB" if length >= 1_000 * MB else f"{-(-length // MB):,} MB"
