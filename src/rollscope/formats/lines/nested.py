"""Lines of JSON that must be understood to be counted: nested records, and lines that hold several samples.

A format writes `samples`: a record → its samples. Rows and texts follow from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import xxhash
from msgspec import Struct

from rollscope.formats.base import Place, Source, Texts, sample_texts
from rollscope.formats.lines.jsonl import JsonlFormat
from rollscope.formats.lines.lenient import Unreadable, decode_line, why_repaired
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import REPAIRED, Sample


class _AnyRecord(Struct):
    """Nothing is read ahead: `samples` gets the whole record."""


class NestedLines(JsonlFormat):
    Row = _AnyRecord
    extras = False
    #: The samples of a line are one group, which has no name of its own.
    line_is_group: ClassVar[bool] = False
    # A sample may say in other words what its line has: calls, joined texts.
    reworded = rb"."

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        """The samples of one line, in order. A step or split that the line says is the sample's; what the file's name
        says is in `source`. Raises `Unreadable` with a reason for a record that is none."""
        raise NotImplementedError

    def row_keys(self, line: bytes | memoryview, samples: Sequence[Sample]) -> Sequence[str | None]:
        """Of each sample of a line, by what a sample that was written again is known (see `Scan.columns`); empty where
        that does not happen."""
        return ()

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        found = self.samples(record, source)
        number = int(place.member or 0)
        if number >= len(found):
            raise Unreadable(f"the line has {len(found)} samples")
        return found[number]

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        try:
            return sample_texts(self.sample(decode_line(line)[0], source, place))
        except Unreadable:
            return []

    def _add_batch(self, out: Any, reader: Any, lines: list[memoryview], starts: list[int], whole: memoryview) -> None:
        first_line = out.lines
        out.lines += len(lines)
        samples: list[Sample] = []
        keys: list[str | None] = []
        places: list[tuple[int, int, bool]] = []
        for number, line in enumerate(lines):
            if not bytes(line).strip():
                continue
            try:
                record, strict = decode_line(line)
                found = self.samples(record, out.source)
            except Unreadable as error:
                out.skip(first_line + number, str(error))
                continue
            # A bare NaN is how Python writes one; what had to be put right is told.
            if not strict and (repair := why_repaired(line)) is not None:
                out.skip(first_line + number, f"{REPAIRED}{repair}")
            samples += found
            keys += self.row_keys(line, found)
            places += [(number, member, strict) for member in range(len(found))]
        if not samples:
            return
        columns: dict[str, Sequence[Any]] = dict(sample_columns(samples))
        if keys:
            columns["key"] = keys
        if out.source.split is None:
            columns["split"] = [sample.split for sample in samples]
        if out.source.step is None:
            columns["step"] = [sample.step for sample in samples]
        if self.line_is_group:
            # By its bytes and its place: two lines stay two groups, also equal ones, in whatever piece they are read.
            names = [xxhash.xxh3_64_hexdigest(line, seed=start)[:8] for line, start in zip(lines, starts)]
            columns["group"] = [names[number] for number, _, _ in places]
        columns["offset"] = [starts[number] for number, _, _ in places]
        columns["length"] = [len(lines[number]) for number, _, _ in places]
        columns["line"] = [first_line + number for number, _, _ in places]
        columns["member"] = [str(member) if member else None for _, member, _ in places]
        columns["lenient"] = [not strict for _, _, strict in places]
        out.add(columns, len(samples))
