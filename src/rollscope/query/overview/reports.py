"""The logtree reports of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rollscope.errors import NotFoundError, UnreadableError
from rollscope.formats.base import Format
from rollscope.formats.lines.lenient import Unreadable, printable, read_record

if TYPE_CHECKING:
    from rollscope.query.run import Run


def report(run: Run, format_: Format, path: str) -> Any:
    store = run.store.fresh()
    if path not in format_.reports(store):
        raise NotFoundError(f"{run.name} has no report {path!r}", hint="the Run page lists its reports")
    try:
        return printable(read_record(store.read(path)))
    except OSError as error:
        raise UnreadableError(
            f"{path} could not be read: {error.strerror}", hint="it may still be being written"
        ) from None
    except Unreadable as error:
        raise UnreadableError(f"{path}: {error}", hint="it may still be being written") from None
