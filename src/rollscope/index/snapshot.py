"""One consistent state of the index, for readers. Immutable: a refresh makes a new one, and old ones stay valid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain

import msgspec
import numpy as np
import pyarrow as pa
import xxhash
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.formats.base import Grouping, Place
from rollscope.formats.lines.sealed import is_sealed
from rollscope.index import compute
from rollscope.index.indexed_place import IndexedPlace
from rollscope.index.manifest.entries import FileEntry, IndexedPiece, Key, by_split, is_container, order_of
from rollscope.index.manifest.root import Manifest
from rollscope.index.manifest.step_parts import SplitTotals, StepStats
from rollscope.index.rows.numbering import arrange
from rollscope.index.segments.files import SegmentStore
from rollscope.index.segments.rows import SCHEMA, concat
from rollscope.index.segments.spill import spilled
from rollscope.index.statistics.merging import LazyFields
from rollscope.index.statistics.summary import FieldColumns, StepStat
from rollscope.lru import LruCache
from rollscope.model import Skipped
from rollscope.storage.fingerprint import Fingerprint, HashedBytes

#: The ordered rows of recently read steps are cached: a page asks for the same step many times.
STEP_CACHE = 32
#: A run with up to WHOLE_ROWS samples is ordered as a whole and in memory; a larger one in batches, on disk.
WHOLE_ROWS = 1_000_000
BATCH_ROWS = 250_000
#: (split, step, state) -> its rows.
StepTables = LruCache[tuple[str, int, str | None], pa.Table]


class FirstRows(Struct):
    """The rows of a file's beginning, and the file as it was when they were read."""

    table: pa.Table
    seen: Fingerprint
    seen_ns: int
    evidence: HashedBytes


class Snapshot:
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
        self.manifest = manifest
        self._rebuild = rebuild
        self._segments = segments
        self._grouping = grouping
        #: Rows from the beginnings of files that are not indexed yet, by path.
        self._first_rows = first_rows
        self._kept_steps = kept_steps
        self._steps: StepTables = StepTables(max_entries=STEP_CACHE)
        self._states: dict[Key, str | None] = {}
        #: Of sealed files, by position: where the text of each piece begins, and the lines before it.
        self._sealed_starts: dict[int, list[tuple[int, int]]] = {}

    # What each step amounts to

    @cached_property
    def steps(self) -> Sequence[StepStat]:
        """In order: by split (train first) and step."""
        return StepStats(self.manifest.step_parts)

    @cached_property
    def failed_fields(self) -> dict[str, str]:
        """Fields without statistics -> the reason."""
        return dict(reason for part in self.manifest.step_parts for reason in part.columns.failed)

    @cached_property
    def fields(self) -> Mapping[str, FieldColumns]:
        """Statistics of the numeric fields; their steps are positions in `steps`."""
        parts = self.manifest.step_parts
        firsts = [0, *accumulate(map(len, parts))]
        return LazyFields([(first, part.columns.fields) for first, part in zip(firsts, parts)])

    @cached_property
    def sample_count(self) -> int:
        return sum(part.samples for part in self.manifest.step_parts)

    @cached_property
    def split_totals(self) -> dict[str, SplitTotals]:
        """Totals of the steps that were read, by split; `train` first."""
        found: dict[str, SplitTotals] = {}
        for part in self.manifest.step_parts:
            for split, own in part.by_split.items():
                totals = found.setdefault(split, SplitTotals(first=own.first))
                totals.last = own.last
                totals.steps += own.steps
                totals.samples += own.samples
                totals.discarded += own.discarded
        return found

    @cached_property
    def splits(self) -> dict[str, list[int]]:
        """Split -> its steps in order; `train` first."""
        found: dict[str, list[int]] = {}
        for part in self.manifest.step_parts:
            for split, numbers in part.numbers_by_split:
                found.setdefault(split, []).extend(numbers.tolist())
        return found

    @property
    def step_numbers(self) -> NDArray[np.int64]:
        """Of all steps, in order."""
        return np.concatenate([np.empty(0, dtype=np.int64), *(part.numbers for part in self.manifest.step_parts)])

    def places_of(self, split: str) -> range:
        """The positions of a split's steps among all steps: they are contiguous."""
        first = 0
        for name, totals in self.split_totals.items():
            if name == split:
                return range(first, first + totals.steps)
            first += totals.steps
        return range(0)

    @cached_property
    def promised(self) -> list[Key]:
        """Steps named by files that have not been read yet."""
        return [key for part in self.manifest.file_parts for key in part.facts.promised]

    @cached_property
    def known_steps(self) -> dict[str, list[int]]:
        """Split -> its steps, including those named by files that have not been read yet."""
        promised = self.promised
        if not promised:
            return self.splits
        found = {split: set(steps) for split, steps in self.splits.items()}
        for split, step in promised:
            found.setdefault(split, set()).add(step)
        return {split: sorted(found[split]) for split in sorted(found, key=lambda name: (name != "train", name))}

    # Where rows lie

    def held(self, keys: Iterable[Key]) -> set[Key]:
        """Those of these steps that have rows, as far as files say which steps they hold."""
        wanted = by_split(keys)
        return {key for _, part in self.manifest.near(wanted) for key in part.keys_of(wanted)}

    def keys_by_segment(self, keys: Iterable[Key]) -> dict[str, list[Key]]:
        """The steps of all pieces that lie near these steps, by segment: a step as often as pieces hold rows of it."""
        found: dict[str, list[Key]] = {}
        for _, part in self.manifest.near(by_split(keys)):
            for file in part.files:
                for piece in file.pieces:
                    if piece.rows:
                        found.setdefault(piece.segment, []).extend(piece.keys)
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
            pieces = [] if self._waiting() else self._pieces_of({key})
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
        for position, first in self._waiting():
            rows = _only(first, wanted)
            if rows.num_rows:
                tables.append(_with_file(rows, position))
        return self._arranged(tables)

    @cached_property
    def all_rows(self) -> pa.Table:
        """Every sample of the run, ordered by split (train first), step and index. For a large run it is built in
        batches of steps and mapped from disk, so that it takes no memory of this process."""
        if self.sample_count > WHOLE_ROWS and not self.manifest.rows_anywhere:
            return concat(list(self._spilled_batches()))
        files = enumerate(self.manifest.files)
        tables = self._tables([(position, piece) for position, file in files for piece in file.pieces])
        tables += [_with_file(first, position) for position, first in self._waiting()]
        table = self._arranged(tables)
        return _sorted(table) if table.num_rows else table

    def _spilled_batches(self) -> Iterator[pa.Table]:
        for keys in self._batches_of_steps():
            rows = sum(piece.rows for _, piece in self._pieces_of(set(keys)) if len(piece.keys) == 1)
            arranged = self.rows_of_steps(keys)
            table = _sorted(arranged)
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
        waiting = self._waiting()
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
                table = _only(table, wanted)
            if table.num_rows:
                tables.append(table)
        return tables

    def _waiting(self) -> list[tuple[int, pa.Table]]:
        if not self._first_rows:
            return []
        files = enumerate(self.manifest.files)
        return [
            (i, self._first_rows[path].table)
            for i, file in files
            if not file.pieces and (path := file.source.path) in self._first_rows
        ]

    def segment(self, name: str) -> pa.Table:
        return self._segments.table(name, lambda: self._rebuild(self.manifest, name))

    def _arranged(self, tables: list[pa.Table]) -> pa.Table:
        if not tables:
            schema = pa.schema([*SCHEMA.items(), ("file", pa.int32()), ("index", pa.int64())])
            return schema.empty_table()
        table = concat(tables)
        return arrange(
            table, self._ranks[compute.plain(table["file"])] if self._ranks is not None else None, self._grouping
        )

    def locate(self, table: pa.Table, row: int) -> IndexedPlace:
        """Where a row of `rows_of` or `all_rows` is on disk."""
        values = {
            name: table[name][row].as_py() for name in ("file", "offset", "length", "line", "split", "step", "group")
        }
        member = table["member"][row].as_py() if "member" in table.column_names else None
        file = self.manifest.files[values["file"]]
        place = Place(
            offset=values["offset"] or 0,
            length=values["length"] or 0,
            member=member or "",
            split=values["split"],
            step=values["step"],
            group=values["group"],
        )
        before, piece = _piece_of(file, place.offset)
        if is_sealed(file.source.path) and file.source.appendable:
            before, piece = self._lines_before_sealed(values["file"], place.offset), None
        line = 0 if values["line"] is None else before + values["line"] + 1
        first = self._first_rows.get(file.source.path)
        if piece is None and first is not None:
            return IndexedPlace(file.source, place, first.seen, first.seen_ns, line, [first.evidence])
        seen = file.seen or Fingerprint(0)
        if is_container(file.source):
            evidence = [item.evidence for item in file.pieces]
            return IndexedPlace(file.source, place, seen, file.seen_ns, line, evidence, not file.sampled_to)
        evidence = [piece.evidence] if piece is not None else []
        compared = place.offset >= file.sampled_to
        return IndexedPlace(file.source, place, seen, file.seen_ns, line, evidence, compared)

    def _lines_before_sealed(self, file: int, offset: int) -> int:
        """How many lines of a sealed file are in pieces before that of the row at this offset of its text. Pieces are
        ranges of the file's own bytes: the first row of each says where it begins in the text."""
        if len(self.manifest.files[file].pieces) == 1:
            return 0
        found = self._sealed_starts.get(file)
        if found is None:
            found, before = [], 0
            for piece in self.manifest.files[file].pieces:
                if piece.rows:
                    found.append((self.segment(piece.segment)["offset"][piece.row].as_py(), before))
                before += piece.lines
            self._sealed_starts[file] = found
        return next((before for start, before in reversed(found) if start <= offset), 0)

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


def _piece_of(file: FileEntry, offset: int) -> tuple[int, IndexedPiece | None]:
    """(lines before it, the piece this offset lies in). A container has one, whatever the offset means."""
    before = 0
    for piece in file.pieces:
        if offset < piece.end or not file.source.appendable:
            return before, piece
        before += piece.lines
    return before, None


def _only(table: pa.Table, wanted: set[tuple[str, int]]) -> pa.Table:
    encoded = compute.dictionary_encode(table["split"])
    names = encoded.dictionary.to_pylist()
    splits = compute.plain(encoded.indices)
    steps = compute.plain(table["step"])
    keep = np.zeros(len(steps), dtype=bool)
    for code, name in enumerate(names):
        asked = np.array([step for split, step in wanted if split == name], dtype=np.int64)
        keep |= (splits == code) & np.isin(steps, asked)
    return table if keep.all() else compute.keep(table, keep)


def _with_file(table: pa.Table, position: int) -> pa.Table:
    return table.append_column("file", pa.repeat(pa.scalar(position, pa.int32()), table.num_rows))


def neighbours(pieces: Iterable[tuple[int, IndexedPiece]]) -> Iterator[list[tuple[int, IndexedPiece]]]:
    """Runs of pieces whose rows follow each other in one segment."""
    run: list[tuple[int, IndexedPiece]] = []
    end = 0
    for item in pieces:
        piece = item[1]
        if piece.rows == 0:
            continue
        if run and (run[0][1].segment != piece.segment or piece.row != end):
            yield run
            run = []
        run.append(item)
        end = piece.row + piece.rows
    if run:
        yield run


def _sorted(table: pa.Table) -> pa.Table:
    encoded = compute.dictionary_encode(table["split"])
    names = encoded.dictionary.to_pylist()
    rank = {name: i for i, name in enumerate(sorted(names, key=lambda name: (name != "train", name)))}
    splits = np.array([rank[name] for name in names])[compute.plain(encoded.indices)]
    steps, index = compute.plain(table["step"]), compute.plain(table["index"])
    before = (splits[:-1], steps[:-1], index[:-1])
    after = (splits[1:], steps[1:], index[1:])
    in_order = (before[0] < after[0]) | (
        (before[0] == after[0]) & ((before[1] < after[1]) | ((before[1] == after[1]) & (before[2] < after[2])))
    )
    if in_order.all():
        return table
    return compute.take(table, np.lexsort((index, steps, splits)))
