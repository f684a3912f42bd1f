"""The features of one run: columns for rows of a snapshot, computed where they are not stored yet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Rows
from rollscope.features.registry import Registry, registry
from rollscope.index import compute
from rollscope.index.features.blocks import KEY, BlockStore, StoredRows, joined
from rollscope.index.features.columns import SKETCH, TYPES
from rollscope.index.features.feature_rows import FeatureRows
from rollscope.index.features.group_features import with_group_features
from rollscope.index.features.table_steps import StepRows, TableSteps
from rollscope.index.index import Index
from rollscope.index.manifest.entries import Key
from rollscope.index.snapshot import Snapshot

#: What was computed is kept on disk this often.
SAVE_SECONDS = 1.0
#: Where a filter leaves fewer of a step's rows than this share, only those are computed, and not kept.
WHOLE_STEP_SHARE = 0.25

TellProgress = Callable[["FeatureProgress"], None]
#: Samples that are done, of so many.
Tell = Callable[[int, int], None]


class FeatureProgress(Struct, kw_only=True):
    """Samples whose features are stored, of all."""

    samples_done: int
    samples_total: int
    running: bool = False

    @property
    def done(self) -> bool:
        return self.samples_done >= self.samples_total


class FeatureIndex:
    def __init__(self, index: Index, patterns: str = "", max_line: int | None = None) -> None:
        """Of a line longer than `max_line` bytes nothing is computed."""
        self._index = index
        self._max_line = max_line
        self.patterns = patterns
        self._registry: Registry | None = None
        self._store: BlockStore | None = None
        self._writing = threading.Lock()
        self._steps = TableSteps()
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
        self,
        snapshot: Snapshot,
        table: pa.Table,
        names: Sequence[str],
        rows: Rows | None = None,
        tell: Tell | None = None,
    ) -> dict[str, pa.ChunkedArray]:
        """These features of the table's rows: all of them, or only `rows` (the others are missing then). `tell` is called
        with how many samples are done, of those that are computed."""
        if table.num_rows == 0:
            return {name: pa.chunked_array([pa.nulls(0, self.type_of(name))]) for name in names}
        wanted = np.ones(table.num_rows, dtype=bool)
        if rows is not None:
            wanted[:] = False
            wanted[rows] = True
        steps = self._steps.of(snapshot, table)
        grouped = any(SKETCH + name for name in names if name in {item.name for item in self.registry.group_features})
        missing: list[StepRows] = []
        few: list[StepRows] = []
        for step in steps:
            if self._stored(step) is not None or not wanted[step.rows].any():
                continue
            share = float(wanted[step.rows].mean())
            (missing if grouped or share >= WHOLE_STEP_SHARE else few).append(step)
        made = self._made(snapshot, table, missing, tell)
        blocks: list[StoredRows] = []
        placed: list[tuple[Rows, int]] = []
        at = 0
        for step in steps:
            block = made.get(step.key) or self._stored(step)
            if block is None:
                continue
            blocks.append(block)
            placed.append((step.rows, at))
            at += block.rows
        parts = [pa.concat_tables(joined(blocks)).select(list(names))] if blocks else []  # once, not for each step
        if few:
            chosen = np.sort(np.concatenate([step.rows[wanted[step.rows]] for step in few]))
            parts.append(self._rows_only(snapshot, table, chosen).select(list(names)))
            placed.append((chosen, at))
        return self._put_together(parts, placed, table.num_rows, names)

    def _made(
        self, snapshot: Snapshot, table: pa.Table, missing: list[StepRows], tell: Tell | None
    ) -> dict[Key, StoredRows]:
        """The blocks of steps that are not stored yet: once they are, mapped, so that a large run need not be held."""
        if not missing:
            return {}
        total = sum(len(step.rows) for step in missing)
        report = (lambda done: tell(done, total)) if tell is not None else None
        made = self._compute(snapshot, table, missing, tell=report, give="unstored")
        stored = {step.key: block for step in missing if (block := self._stored(step)) is not None}
        # Another process has removed them: made again, and held.
        lost = [step for step in missing if step.key not in made and step.key not in stored]
        held = {**made, **(self._compute(snapshot, table, lost, give="all") if lost else {})}
        return {**stored, **{key: StoredRows(block, 0, block.num_rows) for key, block in held.items()}}

    def _put_together(
        self, parts: list[pa.Table], placed: list[tuple[Rows, int]], count: int, names: Sequence[str]
    ) -> dict[str, pa.ChunkedArray]:
        """`placed`: which rows of `count` are in the parts, and where the first of them lies there."""
        if not parts:
            return {name: pa.chunked_array([pa.nulls(count, self.type_of(name))]) for name in names}
        found = pa.concat_tables(parts)
        if found.num_rows != count or not all((rows == np.arange(at, at + len(rows))).all() for rows, at in placed):
            places, filled = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
            for rows, at in placed:
                places[rows] = np.arange(at, at + len(rows))
                filled[rows] = True
            found = compute.take(found.combine_chunks(), compute.numbers_known(places, filled))
        return {name: found[name] for name in names}

    def stored_columns(self, snapshot: Snapshot, table: pa.Table, names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """The same of what is stored; nothing is computed."""
        return self.columns(snapshot, table, names, np.empty(0, dtype=np.int64))

    def type_of(self, name: str) -> pa.DataType:
        return TYPES[self.registry.features[name].type]

    def _stored(self, step: StepRows) -> StoredRows | None:
        return None if step.identity is None else self.store.get(step.key, step.identity)

    # Computing

    def compute_all(
        self,
        snapshot: Snapshot,
        *,
        report: TellProgress | None = None,
        cancel: threading.Event | None = None,
        background: bool = False,
    ) -> FeatureProgress:
        """Whatever is not stored yet, step by step; what was done stays done when it is stopped."""
        table = snapshot.all_rows
        steps = self._steps.of(snapshot, table) if table.num_rows else []
        missing = [step for step in steps if self._stored(step) is None]
        total = table.num_rows
        done = total - sum(len(step.rows) for step in missing)

        def tell(samples: int) -> None:
            if report is not None:
                report(FeatureProgress(samples_done=done + samples, samples_total=total, running=True))

        if missing:
            self._compute(snapshot, table, missing, tell=tell, cancel=cancel, background=background)
        return self.progress(snapshot)

    def progress(self, snapshot: Snapshot) -> FeatureProgress:
        table = snapshot.all_rows
        steps = self._steps.of(snapshot, table) if table.num_rows else []
        done = sum(len(step.rows) for step in steps if self._stored(step) is not None)
        return FeatureProgress(samples_done=done, samples_total=table.num_rows)

    def _compute(
        self,
        snapshot: Snapshot,
        table: pa.Table,
        steps: list[StepRows],
        *,
        tell: Callable[[int], None] | None = None,
        cancel: threading.Event | None = None,
        background: bool = False,
        give: Literal["nothing", "unstored", "all"] = "nothing",
    ) -> dict[Key, pa.Table]:
        """The blocks of these steps, stored as they are made. Given back: nothing, those that cannot be stored, or all."""
        made: dict[Key, pa.Table] = {}
        waiting: list[tuple[Key, int, pa.Table]] = []
        saved = time.monotonic()
        groups = table["group"] if table["group"].num_chunks == 1 else table["group"].combine_chunks()
        reused = {step.key: self._reusable(step) for step in steps}
        left = [step.rows[~reused[step.key][1]] for step in steps]
        computed = self._rows(snapshot, table, np.concatenate(left), cancel, background=background)
        samples = 0
        for step, rows in zip(steps, left):
            fresh = computed.take(len(rows))
            if fresh is None:
                break  # cancelled
            block = self._block(step, fresh, reused[step.key], compute.take(groups, step.rows))
            samples += len(step.rows)
            if give == "all" or (give == "unstored" and step.identity is None):
                made[step.key] = block
            if step.identity is not None:
                waiting.append((step.key, step.identity, block))
            if waiting and time.monotonic() - saved > SAVE_SECONDS:
                if not self._keep(waiting) and give == "unstored":
                    made.update((key, block) for key, _, block in waiting)
                waiting, saved = [], time.monotonic()
            if tell is not None:
                tell(samples)
        if waiting and not self._keep(waiting) and give == "unstored":
            made.update((key, block) for key, _, block in waiting)
        return made

    def _keep(self, made: list[tuple[Key, int, pa.Table]]) -> bool:
        """Whether they could be stored. Read-only or full: they are computed again when they are next asked for."""
        store = self.store
        with self._writing, suppress(OSError):
            store.add(made)
            return True
        return False

    def _reusable(self, step: StepRows) -> tuple[pa.Table | None, NDArray[np.bool_], Rows]:
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
        step: StepRows,
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
        return with_group_features(rows, groups, self.registry.group_features).combine_chunks()

    def _rows_only(self, snapshot: Snapshot, table: pa.Table, rows: Rows) -> pa.Table:
        """Only these rows, without what compares them with their groups."""
        found = self._rows(snapshot, table, rows).take(len(rows))
        assert found is not None  # it is never cancelled
        for feature in self.registry.group_features:
            found = found.append_column(feature.name, pa.nulls(len(rows), TYPES[feature.type]))
        return found

    def _rows(
        self,
        snapshot: Snapshot,
        table: pa.Table,
        rows: Rows,
        cancel: threading.Event | None = None,
        *,
        background: bool = False,
    ) -> FeatureRows:
        known = self.failed
        return FeatureRows(
            self._index,
            self.patterns,
            self._max_line,
            snapshot,
            table,
            rows,
            known,
            cancel=cancel,
            background=background,
        )
