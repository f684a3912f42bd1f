"""One consistent state of the index, for readers. Immutable: a refresh makes a new one, and old ones stay valid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain, groupby
from operator import attrgetter

import msgspec
import numpy as np
import pyarrow as pa
import xxhash

from rollscope.formats.base import Grouping
from rollscope.index import compute
from rollscope.index.indexed_place import IndexedPlace
from rollscope.index.manifest.entries import FileEntry, IndexedPiece, Key, by_split, order_of
from rollscope.index.manifest.root import Manifest
from rollscope.index.manifest.totals import RunTotals
from rollscope.index.rows.first_rows import FirstRows, waiting_rows
from rollscope.index.rows.locate import RowLocator
from rollscope.index.rows.numbering import arrange
from rollscope.index.rows.step_rows import in_order, neighbours, only_steps, with_file
from rollscope.index.segments.files import SegmentStore
from rollscope.index.segments.rows import SCHEMA, concat
from rollscope.index.segments.spill import spilled
from rollscope.lru import LruCache
from rollscope.model import Skipped

#: The ordered rows of recently read steps are cached: a page asks for the same step many times.
STEP_CACHE = 32
#: A run with up to WHOLE_ROWS samples is ordered as a whole and in memory; a larger one in batches, on disk.
WHOLE_ROWS = 1_000_000
BATCH_ROWS = 250_000
_PIECES, _SEGMENT, _KEYS = attrgetter("pieces"), attrgetter("segment"), attrgetter("keys")
#: (split, step, state) -> its rows.
StepTables = LruCache[tuple[str, int, str | None], pa.Table]


class Snapshot(RunTotals):
    def __init__(
        self,
        manifest: Manifest,
        segments: SegmentStore,
        grouping: Grouping,
        first_rows: dict[str, FirstRows],
        rebuild: Callable[[Manifest, str], pa.Table],
        kept_steps: StepTables,
    ) -> None:
        """`kept_steps` is passed from one snapshot to the next: while a run grows, most steps stay as they are."""
        super().__init__(manifest)
        self._segments = segments
        self._grouping = grouping
        #: Rows from the beginnings of files that are not indexed yet, by path.
        self._first_rows = first_rows
        self._kept_steps = kept_steps
        self._steps: StepTables = StepTables(max_entries=STEP_CACHE)
        self._states: dict[Key, str | None] = {}
        #: The rows of a segment, by its name. Not a method: the locator would keep this snapshot, and it the locator.
        self.segment: Callable[[str], pa.Table] = lambda name: segments.table(name, lambda: rebuild(manifest, name))
        self._locator = RowLocator(manifest, first_rows, self.segment)

    def held(self, keys: Iterable[Key]) -> set[Key]:
        """Those of these steps that have rows, as far as files say which steps they hold."""
        wanted = by_split(keys)
        return {key for _, part in self.manifest.near(wanted) for key in part.keys_of(wanted)}

    def keys_by_segment(self, keys: Iterable[Key]) -> dict[str, list[Key]]:
        """The steps of all pieces that lie near these steps, by segment: a step as often as pieces hold rows of it."""
        found: dict[str, list[Key]] = {}
        for _, part in self.manifest.near(by_split(keys)):
            # Without a word of Python a file: this is asked of every file that is read.
            pieces = chain.from_iterable(map(_PIECES, part.files))
            for segment, own in groupby(pieces, _SEGMENT):
                found.setdefault(segment, []).extend(chain.from_iterable(map(_KEYS, own)))
        found.pop("", None)  # no rows
        return found

    def _pieces_of(self, keys: set[Key]) -> list[tuple[int, IndexedPiece]]:
        """(position of the file, piece) for all that may hold rows of these steps, in reading order."""
        wanted = by_split(keys)
        found: dict[tuple[int, int], IndexedPiece] = {}
        for first, part in self.manifest.near(wanted):
            found.update(((first + place, piece.start), piece) for place, piece in part.pieces_of(wanted))
        return [(position, found[position, start]) for position, start in sorted(found)]

    def files_of(self, split: str, step: int) -> list[FileEntry]:
        """The files that hold rows of a step, or whose names say they will."""
        positions = {position for position, _ in self._pieces_of({(split, step)})}
        return [self.manifest.files[i] for i in sorted(positions)]

    @cached_property
    def _ranks(self) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        return self.manifest.ranks

    def state_of(self, split: str, step: int) -> str | None:
        """A hash of what a step's rows are made of: while it is equal, in this snapshot or a later one, so are the
        rows. None for a step of which nothing is indexed, and while only the beginnings of its files have been
        read."""
        key = (split, step)
        if key not in self._states:
            pieces = [] if waiting_rows(self.manifest, self._first_rows) else self._pieces_of({key})
            files = self.manifest.files
            # Segments never change, and no two ever have the same name.
            read = [(i, files[i].source, piece.segment, piece.row, piece.rows) for i, piece in pieces]
            self._states[key] = xxhash.xxh3_128_hexdigest(msgspec.msgpack.encode(read)) if read else None
        return self._states[key]

    def rows_of(self, split: str, step: int) -> pa.Table:
        """A step's samples in order, with `index`, `group` and `file` (a position in the manifest's files)."""
        state = self.state_of(split, step)
        # Rows from the beginnings of files are valid in this snapshot only.
        kept: StepTables = self._steps if state is None else self._kept_steps
        key = (split, step, state)
        table = kept.get(key)
        if table is None:
            table = self.rows_of_steps([(split, step)])
            kept.put(key, table)
        return table

    def rows_of_steps(self, keys: Iterable[Key]) -> pa.Table:
        wanted = set(keys)
        if not wanted:
            return self._arranged([])
        tables = self._tables(self._pieces_of(wanted), wanted)
        for position, first in waiting_rows(self.manifest, self._first_rows):
            rows = only_steps(first, wanted)
            if rows.num_rows:
                tables.append(with_file(rows, position))
        return self._arranged(tables)

    @cached_property
    def all_rows(self) -> pa.Table:
        """Every sample of the run, ordered by split (train first), step and index. For a large run it is built in
        batches of steps and mapped from disk, so that it takes no memory of this process."""
        if self.sample_count > WHOLE_ROWS and not self.manifest.rows_anywhere:
            return concat(list(self._spilled_batches()))
        files = enumerate(self.manifest.files)
        tables = self._tables([(position, piece) for position, file in files for piece in file.pieces])
        tables += [with_file(first, position) for position, first in waiting_rows(self.manifest, self._first_rows)]
        table = self._arranged(tables)
        return in_order(table) if table.num_rows else table

    def _spilled_batches(self) -> Iterator[pa.Table]:
        for keys in self._batches_of_steps():
            rows = sum(piece.rows for _, piece in self._pieces_of(set(keys)) if len(piece.keys) == 1)
            arranged = self.rows_of_steps(keys)
            table = in_order(arranged)
            # No row was left out or moved: all columns except those made for the samples are mapped already.
            whole = table is arranged and table.num_rows == rows
            made = {"file", "index", "attempt", "group"}
            own = set(table.column_names) - made if whole else set()
            yield spilled(table, own, self._segments.folder)

    def _batches_of_steps(self) -> Iterator[list[Key]]:
        """All steps in order, about BATCH_ROWS samples at a time."""
        batch: list[Key] = []
        rows = 0
        for key, count in self._counted_steps():
            batch.append(key)
            rows += count
            if rows >= BATCH_ROWS:
                yield batch
                batch, rows = [], 0
        if batch:
            yield batch

    def _counted_steps(self) -> Iterator[tuple[Key, int]]:
        """All steps in order, with the number of their samples as far as they are indexed."""
        counted = chain.from_iterable(part.counted_steps() for part in self.manifest.step_parts)
        waiting = waiting_rows(self.manifest, self._first_rows)
        if not waiting:
            return counted
        counts = dict(counted)
        for _, first in waiting:
            for key in zip(first["split"].to_pylist(), first["step"].to_pylist()):
                counts.setdefault(key, 0)
        return iter(sorted(counts.items(), key=lambda item: order_of(item[0])))

    def _tables(self, pieces: list[tuple[int, IndexedPiece]], wanted: set[Key] | None = None) -> list[pa.Table]:
        """The rows of these pieces with the positions of their files. Neighbours in a segment become one table, however
        many files they are from: the cost of what follows depends on the number of tables."""
        tables: list[pa.Table] = []
        for run in neighbours(pieces):
            first = run[0][1]
            counts = [piece.rows for _, piece in run]
            table = self.segment(first.segment).slice(first.row, sum(counts))
            files = np.repeat(np.array([position for position, _ in run], dtype=np.int32), counts)
            table = table.append_column("file", compute.numbers(files))
            if wanted is not None and not all(piece.keys and wanted.issuperset(piece.keys) for _, piece in run):
                table = only_steps(table, wanted)
            if table.num_rows:
                tables.append(table)
        return tables

    def _arranged(self, tables: list[pa.Table]) -> pa.Table:
        if not tables:
            schema = pa.schema([*SCHEMA.items(), ("file", pa.int32()), ("index", pa.int64())])
            return schema.empty_table()
        table = concat(tables)
        return arrange(
            table, self._ranks[compute.plain(table["file"])] if self._ranks is not None else None, self._grouping
        )

    @cached_property
    def columns(self) -> list[str]:
        """The columns that any row of the run has. `fields` are only those with a finite number among the kept samples."""
        segments = {piece.segment for file in self.manifest.files for piece in file.pieces if piece.rows}
        tables = [*map(self.segment, sorted(segments)), *(item.table for item in self._first_rows.values())]
        return list(dict.fromkeys(name for table in tables for name in table.column_names))

    def locate(self, table: pa.Table, row: int) -> IndexedPlace:
        """Where a row of `rows_of` or `all_rows` is on disk."""
        return self._locator.locate(table, row)

    def skipped(self) -> list[Skipped]:
        """Every line that should be a sample and is not, and files that cannot be read."""
        found = []
        for file in self.manifest.troubled_files:
            if file.error:
                found.append(Skipped(file=file.source.path, line=0, reason=file.error))
            before = 0
            for piece in file.pieces:
                found += [Skipped(file=file.source.path, line=before + n, reason=reason) for n, reason in piece.skipped]
                before += piece.lines
        return found
