"""The features of one run: columns for rows of a snapshot, computed where they are not stored yet."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.features.registry import Registry, registry
from rollscope.formats.registry import reference
from rollscope.index import compute
from rollscope.index.engines.base import Engine
from rollscope.index.features.blocks import KEY, BlockStore, Key, RowKeys, identity_of
from rollscope.index.features.task import (
    SKETCH,
    TYPES,
    FeatureTask,
    compute_features,
    decode_features,
    engine_task,
    feature_array,
)
from rollscope.index.index import Index
from rollscope.index.rows.row_texts import FileRows, RowPlaces, Rows, file_batches
from rollscope.index.scheduler import Job, Schedule
from rollscope.index.snapshot import Snapshot

#: Tasks are small, so that a search that comes in between waits for little.
TASK_BYTES = 4 << 20
#: Less than this is computed in place.
INLINE_BYTES = 4 << 20
#: What was computed is kept on disk this often.
SAVE_SECONDS = 1.0
#: Where a filter leaves fewer of a step's rows than this share, only those are computed, and not kept.
WHOLE_STEP_SHARE = 0.25

Report = Callable[["FeatureProgress"], None]


class FeatureProgress(Struct, kw_only=True):
    """Samples whose features are stored, of all."""

    samples_done: int
    samples_total: int
    running: bool = False

    @property
    def done(self) -> bool:
        return self.samples_done >= self.samples_total


class _Step(Struct):
    key: Key
    #: Rows of the table, in the order of the step.
    rows: Rows
    keys: NDArray[np.uint64]
    identity: int | None


class FeatureIndex:
    def __init__(self, index: Index, patterns: str = "") -> None:
        self._index = index
        self.patterns = patterns
        self._registry: Registry | None = None
        self._store: BlockStore | None = None
        self._writing = threading.Lock()
        self._row_keys: WeakKeyDictionary[Snapshot, RowKeys] = WeakKeyDictionary()
        self._steps: WeakKeyDictionary[Snapshot, tuple[pa.Table, list[_Step]]] = WeakKeyDictionary()
        #: Feature -> why it failed, where it did.
        self.failed: dict[str, str] = {}

    @property
    def registry(self) -> Registry:
        if self._registry is None:
            self._registry = registry(self.patterns)
        return self._registry

    @property
    def store(self) -> BlockStore:
        with self._writing:
            if self._store is None:
                readable = self._index._location.folder
                self._store = BlockStore(self._index.location, readable, self.registry.digest)
            return self._store

    # Columns

    def columns(
        self, snapshot: Snapshot, table: pa.Table, names: Sequence[str], rows: Rows | None = None
    ) -> dict[str, pa.ChunkedArray]:
        """These features of the table's rows: all of them, or only `rows` (the others are missing then)."""
        if table.num_rows == 0:
            return {name: pa.chunked_array([pa.nulls(0, self.type_of(name))]) for name in names}
        wanted = np.ones(table.num_rows, dtype=bool)
        if rows is not None:
            wanted[:] = False
            wanted[rows] = True
        steps = self._steps_of(snapshot, table)
        grouped = any(SKETCH + name for name in names if name in {item.name for item in self.registry.group_features})
        missing: list[_Step] = []
        few: list[_Step] = []
        for step in steps:
            if self._stored(step) is not None or not wanted[step.rows].any():
                continue
            share = float(wanted[step.rows].mean())
            (missing if grouped or share >= WHOLE_STEP_SHARE else few).append(step)
        made = self._compute(snapshot, table, missing) if missing else {}
        parts, places = [], np.zeros(table.num_rows, dtype=np.int64)
        filled = np.zeros(table.num_rows, dtype=bool)
        at = 0
        for step in steps:
            block = made.get(step.key)
            block = self._stored(step) if block is None else block
            if block is None:
                continue
            parts.append(block.select(list(names)))
            places[step.rows] = np.arange(at, at + len(step.rows))
            filled[step.rows] = True
            at += block.num_rows
        if few:
            chosen = np.sort(np.concatenate([step.rows[wanted[step.rows]] for step in few]))
            parts.append(self._rows_only(snapshot, table, chosen).select(list(names)))
            places[chosen] = np.arange(at, at + len(chosen))
            filled[chosen] = True
        return self._put_together(parts, places, filled, names)

    def _put_together(
        self, parts: list[pa.Table], places: Rows, filled: NDArray[np.bool_], names: Sequence[str]
    ) -> dict[str, pa.ChunkedArray]:
        if not parts:
            return {name: pa.chunked_array([pa.nulls(len(places), self.type_of(name))]) for name in names}
        found = pa.concat_tables(parts)
        if not filled.all():
            found = compute.take(found.combine_chunks(), pa.array(places, mask=~filled))
        elif not (places == np.arange(len(places))).all() or found.num_rows != len(places):
            found = compute.take(found.combine_chunks(), places)
        return {name: found[name] for name in names}

    def stored_columns(self, snapshot: Snapshot, table: pa.Table, names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """The same of what is stored; nothing is computed."""
        return self.columns(snapshot, table, names, np.empty(0, dtype=np.int64))

    def type_of(self, name: str) -> pa.DataType:
        return TYPES[self.registry.features[name].type]

    def _stored(self, step: _Step) -> pa.Table | None:
        return None if step.identity is None else self.store.get(step.key, step.identity)

    def _steps_of(self, snapshot: Snapshot, table: pa.Table) -> list[_Step]:
        """The table's rows by step. The table holds whole steps."""
        kept = self._steps.get(snapshot)
        if kept is not None and kept[0] is table:
            return kept[1]
        row_keys = self._row_keys.get(snapshot)
        if row_keys is None:
            row_keys = self._row_keys[snapshot] = RowKeys(snapshot)
        keys = row_keys.of(table)
        steps = compute.plain(table["step"])
        encoded = compute.dictionary_encode(table["split"])
        names, codes = encoded.dictionary.to_pylist(), compute.plain(encoded.indices)
        index = compute.plain(table["index"])
        order = np.arange(len(steps))
        ahead = (codes[1:] != codes[:-1]) | (steps[1:] != steps[:-1])
        if not (ahead | (index[1:] == index[:-1] + 1)).all() or not _is_grouped(codes, steps, ahead):
            order = np.lexsort((index, steps, codes))
            codes, steps = codes[order], steps[order]
            ahead = (codes[1:] != codes[:-1]) | (steps[1:] != steps[:-1])
        cuts = [0, *(np.flatnonzero(ahead) + 1).tolist(), len(order)]
        found = []
        for start, end in pairwise(cuts):
            rows = order[start:end]
            key = (names[int(codes[start])], int(steps[start]))
            found.append(_Step(key, rows, keys[rows], identity_of(keys[rows])))
        self._steps[snapshot] = (table, found)
        return found

    # Computing

    def compute_all(
        self,
        snapshot: Snapshot,
        *,
        report: Report | None = None,
        cancel: threading.Event | None = None,
        background: bool = False,
    ) -> FeatureProgress:
        """Whatever is not stored yet, step by step; what was done stays done when it is stopped."""
        table = snapshot.all_rows
        steps = self._steps_of(snapshot, table) if table.num_rows else []
        missing = [step for step in steps if self._stored(step) is None]
        total = table.num_rows
        done = total - sum(len(step.rows) for step in missing)

        def tell(samples: int) -> None:
            if report is not None:
                report(FeatureProgress(samples_done=done + samples, samples_total=total, running=True))

        if missing:
            self._compute(snapshot, table, missing, tell=tell, cancel=cancel, background=background, keep=False)
        return self.progress(snapshot)

    def progress(self, snapshot: Snapshot) -> FeatureProgress:
        table = snapshot.all_rows
        steps = self._steps_of(snapshot, table) if table.num_rows else []
        done = sum(len(step.rows) for step in steps if self._stored(step) is not None)
        return FeatureProgress(samples_done=done, samples_total=table.num_rows)

    def _compute(
        self,
        snapshot: Snapshot,
        table: pa.Table,
        steps: list[_Step],
        *,
        tell: Callable[[int], None] | None = None,
        cancel: threading.Event | None = None,
        background: bool = False,
        keep: bool = True,
    ) -> dict[Key, pa.Table]:
        """The blocks of these steps, stored as they are made; given back where they are to be kept."""
        made: dict[Key, pa.Table] = {}
        waiting: list[tuple[Key, int, pa.Table]] = []
        saved = time.monotonic()
        groups = table["group"] if table["group"].num_chunks == 1 else table["group"].combine_chunks()
        reused = {step.key: self._reusable(step) for step in steps}
        left = [step.rows[~reused[step.key][1]] for step in steps]
        pieces = self._computed_rows(snapshot, table, np.concatenate(left), cancel, background=background)
        samples = 0
        for step, rows in zip(steps, left):
            fresh = _exactly(pieces, len(rows))
            if fresh is None:
                break  # cancelled
            block = self._block(step, fresh, reused[step.key], compute.take(groups, step.rows))
            samples += len(step.rows)
            if keep:
                made[step.key] = block
            if step.identity is not None:
                waiting.append((step.key, step.identity, block))
            if waiting and time.monotonic() - saved > SAVE_SECONDS:
                self._keep(waiting)
                waiting, saved = [], time.monotonic()
            if tell is not None:
                tell(samples)
        if waiting:
            self._keep(waiting)
        return made

    def _keep(self, made: list[tuple[Key, int, pa.Table]]) -> None:
        store = self.store
        with self._writing, suppress(OSError):  # read-only or full: it is computed again when it is next asked for
            store.add(made)

    def _reusable(self, step: _Step) -> tuple[pa.Table | None, NDArray[np.bool_], Rows]:
        """Rows that were computed before the step grew: (them, which of the step's rows they are, where each lies)."""
        none = np.zeros(len(step.rows), dtype=bool)
        earlier = self.store.earlier(step.key)
        if earlier is None:
            return None, none, np.empty(0, dtype=np.int64)
        keys = compute.plain(earlier[KEY])
        order = np.argsort(keys)
        at = np.minimum(np.searchsorted(keys[order], step.keys), len(keys) - 1)
        same = (keys[order][at] == step.keys) & (step.keys != 0)
        return earlier, same, order[at][same]

    def _block(
        self,
        step: _Step,
        fresh: pa.Table,
        reused: tuple[pa.Table | None, NDArray[np.bool_], Rows],
        groups: pa.ChunkedArray,
    ) -> pa.Table:
        earlier, same, places = reused
        rows = fresh
        if earlier is not None and same.any():
            old = compute.take(earlier.select(fresh.column_names), places)
            order = np.empty(len(same), dtype=np.int64)
            order[same] = np.arange(len(places))
            order[~same] = len(places) + np.arange(fresh.num_rows)
            rows = compute.take(pa.concat_tables([old, fresh]).combine_chunks(), order)
        rows = rows.append_column(KEY, pa.array(step.keys))
        return self._with_groups(rows, groups.to_pylist()).combine_chunks()

    def _with_groups(self, rows: pa.Table, groups: list[str | None]) -> pa.Table:
        """With the features that compare the samples of a group. One without a group is alone."""
        members: dict[str, list[int]] = {}
        for place, group in enumerate(groups):
            members.setdefault(f"={group}" if group is not None else f"?{place}", []).append(place)
        features = self.registry.group_features
        names = {feature.sketch or feature.name for feature in features}
        sketches = {name: rows[SKETCH + name].to_pylist() for name in names}
        values: dict[str, list[object]] = {feature.name: [None] * len(groups) for feature in features}
        for feature in features:
            known, column = sketches[feature.sketch or feature.name], values[feature.name]
            compared = [[known[place] for place in places] for places in members.values()]
            found = feature.combine_groups(compared) if feature.combine_groups else map(feature.combine, compared)
            for places, group_values in zip(members.values(), found):
                for place, value in zip(places, group_values):
                    column[place] = value
        for feature in features:
            rows = rows.append_column(feature.name, feature_array(feature, values[feature.name]))
        return rows

    def _rows_only(self, snapshot: Snapshot, table: pa.Table, rows: Rows) -> pa.Table:
        """Only these rows, without what compares them with their groups."""
        found = _exactly(self._computed_rows(snapshot, table, rows, None, background=False), len(rows))
        assert found is not None  # it is never cancelled
        for feature in self.registry.group_features:
            found = found.append_column(feature.name, pa.nulls(len(rows), TYPES[feature.type]))
        return found

    def _computed_rows(
        self, snapshot: Snapshot, table: pa.Table, rows: Rows, cancel: threading.Event | None, *, background: bool
    ) -> Iterator[pa.Table]:
        """Feature rows of these rows, in their order, piece by piece."""
        if len(rows) == 0:
            yield compute_features(self._task([], background=False), self._index.format, self._index.store)
            return
        places = RowPlaces(table, rows)
        store = self._index.store.fresh()
        batches = file_batches(snapshot, places, TASK_BYTES)
        jobs = (self._job(files, background=background) for _, files in batches)
        elsewhere = (background or int(places.lengths.sum()) >= INLINE_BYTES) and store.reachable
        for _, part in Schedule(jobs, self._engine(background) if elsewhere else None, cancel=cancel).results():
            failed = msgspec.json.decode((part.schema.metadata or {}).get(b"failed", b"{}"))
            self.failed.update(failed)
            yield part.replace_schema_metadata(None)

    def _engine(self, background: bool) -> Engine:
        if not background:
            return self._index.engine
        from rollscope.index.features.background import background_engine

        return background_engine(self._index.engine)

    def _task(self, files: list[FileRows], *, background: bool) -> FeatureTask:
        address = os.fsencode(self._index.store.address)
        return FeatureTask(reference(self._index.format), address, self.patterns, files, background)

    def _job(self, files: list[FileRows], *, background: bool) -> Job[None, pa.Table]:
        task = self._task(files, background=background)
        return Job(
            None,
            task=lambda: engine_task(task),
            decode=decode_features,
            here=lambda: compute_features(task, self._index.format, self._index.store.fresh()),
        )


def _is_grouped(codes: Rows, steps: Rows, ahead: NDArray[np.bool_]) -> bool:
    """No step is there twice, with others in between."""
    starts = np.concatenate([[0], np.flatnonzero(ahead) + 1])
    pairs = {(int(codes[place]), int(steps[place])) for place in starts}
    return len(pairs) == len(starts)


_left: WeakKeyDictionary[Iterator[pa.Table], pa.Table] = WeakKeyDictionary()


def _exactly(pieces: Iterator[pa.Table], count: int) -> pa.Table | None:
    """The next `count` rows; None when there are no more. What is left of a piece waits for the next call."""
    taken: list[pa.Table] = []
    have = 0
    rest = _left.pop(pieces, None)
    while True:
        if rest is None:
            rest = next(pieces, None)
        if rest is None:
            return None
        part = rest.slice(0, count - have)
        taken.append(part)
        have += part.num_rows
        if have == count:
            if part.num_rows < rest.num_rows:
                _left[pieces] = rest.slice(part.num_rows)
            return pa.concat_tables(taken)
        rest = None
