"""Files that are read whole and hold some samples each: a JSON document an episode, an archive of lines, a CSV.

A format says how a file is cut into records and what sample a record is. What was read last is kept, so that walking
through the samples of a file reads it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rollscope.formats.base import Format, Place, Scan, Source
from rollscope.formats.lines.lenient import Unreadable, clean, printable
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

#: A larger document is not read: it would be held in memory whole.
MAX_DOCUMENT_BYTES = 1 << 30
#: Documents kept from one sample to the next.
KEPT = 8


class DocumentFormat(Format):
    """Subclasses write `detect`, `sources` (with `appendable=False`), `records` and `sample`."""

    def __init__(self) -> None:
        self._documents: KeptOpen[Any] = KeptOpen(self.read, limit=KEPT)

    def read(self, store: Store, path: str) -> Any:
        """The document that a file holds: JSON, unless a format says otherwise."""
        return read_json(store, path)

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        """The records of a document, in order: its samples by number. Raises `Unreadable` where it holds none."""
        raise NotImplementedError

    def sample(self, record: Any, source: Source) -> Sample:
        raise NotImplementedError

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        def made(document: Any) -> list[Sample]:
            return [self.sample(record, source) for record in self.records(document, source)]

        try:
            found = self._documents.use(store, source.path, made)
        except (Unreadable, *DAMAGED) as error:
            reason = f"cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=end)
        columns: dict[str, Sequence[Any]] = dict(sample_columns(found))
        if source.split is None:
            columns["split"] = [sample.split for sample in found]
        if source.step is None:
            columns["step"] = [sample.step for sample in found]
        columns["offset"] = list(range(len(found)))
        columns["length"] = columns["line"] = [0] * len(found)
        return Scan(columns=columns, rows=len(found), end=end)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        def one(document: Any) -> Sample:
            records = self.records(document, source)
            if place.offset >= len(records):
                raise ValueError(f"it holds {len(records)} samples")
            sample = self.sample(records[place.offset], source)
            if sample.record is None:
                sample.record = printable(records[place.offset])
            return sample

        return self._documents.use(store, source.path, one)


def read_json(store: Store, path: str) -> Any:
    """A JSON document, leniently: a bare NaN is one, half a character is shown as it is escaped."""
    stat = store.stat(path)
    if stat is not None and stat.size > MAX_DOCUMENT_BYTES:
        raise Unreadable(f"a document of {stat.size:,} bytes; more than {MAX_DOCUMENT_BYTES:,} are not read")
    data = store.read(path)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        import json

        try:
            return clean(json.loads(data.decode("utf-8", "replace")))
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"no JSON ({error})") from None
