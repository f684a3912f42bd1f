"""What commands print: data on stdout as a table for people or as JSON, talk on stderr."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rollscope.render.aligned import aligned

if TYPE_CHECKING:
    from types import TracebackType

#: Signs that JSON may hold bare and that a terminal may obey: DEL and C1 controls, text direction overrides.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def talk(sentence: str) -> None:
    """Narration: what was left out, what is going on."""
    print(clean(sentence), file=sys.stderr)


def clean(text: str) -> str:
    """Text from a run or a file name, on one line, with nothing in it that a terminal would obey."""
    from rollscope.render import visible

    return visible(" ".join(text.split()) if any(sign.isspace() and sign != " " for sign in text) else text)


def for_reader(text: str) -> str:
    """A model's text for stdout: exact in a pipe; on a terminal, control signs are shown instead of sent."""
    if not sys.stdout.isatty():
        return text
    from rollscope.render import visible

    return visible(text)


def written_path(path: str) -> str:
    """A file's whole path as JSON can hold it, also if its name is no UTF-8: as the paths of runs."""
    return os.path.abspath(path).encode("utf-8", "backslashreplace").decode()


def write_json(value: Any) -> None:
    """One JSON value and a newline."""
    from rollscope.model import encode_json

    write_encoded(encode_json(value))


def write_encoded(data: bytes, end: str = "\n") -> None:
    """JSON that is encoded already; on a terminal with the remaining control signs escaped, which JSON allows."""
    if not sys.stdout.isatty() and (getattr(sys.stdout, "encoding", None) or "").lower() == "utf-8":
        # As it is: a long sample decoded and encoded again would be in memory three times.
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.write(end)
        return
    text = data.decode()
    if sys.stdout.isatty():
        text = _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    sys.stdout.write(text + end)


class JsonArray:
    """An array whose items are printed as they come, one a line: valid JSON as a whole, also when it ends early. What fails
    before the first item prints nothing: `[]` is an answer."""

    def __init__(self) -> None:
        self._empty = True

    def add(self, value: Any) -> None:
        from rollscope.model import encode_json

        sys.stdout.write("[\n" if self._empty else ",\n")
        self._empty = False
        write_encoded(encode_json(value), end="")

    def __enter__(self) -> JsonArray:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, BrokenPipeError) or (error is not None and self._empty):
            return
        sys.stdout.write("[]\n" if self._empty else "\n]\n")


class TableColumn:
    """A column of a table; numbers stand to the right."""

    def __init__(self, title: str, *, right: bool = False) -> None:
        self.title = title
        self.right = right


def write_table(columns: Sequence[TableColumn], rows: Iterable[Sequence[str]], *, whole: bool = False) -> None:
    """An aligned table. A column that is missing everywhere is left out, unless all were asked for by name."""
    body = [[clean(cell) for cell in row] for row in rows]
    shown = [
        place
        for place, _ in enumerate(columns)
        if whole or not body or any(row[place] not in ("", "–") for row in body)
    ]
    titles = [clean(column.title) for column in columns]  # of metrics, by which a run can name a column as it likes
    lines = [[cells[place] for place in shown] for cells in (titles, *body)]
    for line in aligned(lines, [columns[place].right for place in shown]):
        sys.stdout.write(line + "\n")


def heading(text: str, style: str = "1") -> str:
    """Bold (or another SGR style) on a terminal that has colours, else plain."""
    import os

    if sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb":
        return f"\x1b[{style}m{text}\x1b[0m"
    return text
