"""The lists that a run can be asked for: samples and groups of one step or of any steps, filtered and sorted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from msgspec import structs

from rollscope.errors import UsageError
from rollscope.fields import DOT_COLUMNS
from rollscope.index import compute
from rollscope.index.rows.run_order import is_large, of_split, of_steps, row_of
from rollscope.index.rows.step_rows import in_order
from rollscope.query import answers
from rollscope.query.insights.features import FeaturesOfRun
from rollscope.query.insights.step_ranges import parse_steps
from rollscope.query.lists import across_steps
from rollscope.query.lists.groups import Grouped, group_answers, group_rows, observed
from rollscope.query.lists.large_groups import page_of_groups
from rollscope.query.lists.neighbours import neighbours
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.live.watch import step_changed
from rollscope.query.samples.columns import JOINED, Columns
from rollscope.query.samples.feature_columns import is_feature, mentions_features
from rollscope.query.samples.notes import mentions_notes
from rollscope.query.samples.reader import place_of
from rollscope.query.samples.rows import sample_rows
from rollscope.query.samples.select import page_slice, select
from rollscope.query.samples.sort import sort_rows
from rollscope.query.tabular import SampleTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rollscope.index.snapshot import Snapshot
    from rollscope.query.search.text_search import TextSearch

    Rows = NDArray[np.int64]

#: For a large run, a sort finds only the first rows if no more are requested.
LEAST_FIRST = 1_024
MOST_FIRST = 100_000


def _wanted(table: pa.Table, first: int | None) -> int | None:
    """How many rows a sort should find: for a large run a few more than a page, because the next page is requested
    soon; None for all."""
    if first is None or not is_large(table) or first > MOST_FIRST:
        return None
    return max(LEAST_FIRST, 1 << (first - 1).bit_length())


class Lists(FeaturesOfRun):
    """The part of a run that lists its samples."""

    def samples(
        self,
        *,
        split: str | None = None,
        step: int | None = None,
        steps: str | None = None,
        where: str | None = None,
        sort: str | None = None,
        discarded: bool | None = False,
        offset: int = 0,
        limit: int | None = None,
        preview: bool = False,
        features: Sequence[str] = (),
        wait: bool = True,
        known: Sequence[str] = (),
    ) -> SampleTable:
        """The scalars of the selected samples. `discarded`: False for kept ones, True for discarded ones, None for all.

        `steps` is a range such as "10:20". `known`: numeric fields of other runs; a filter may name them, although this
        run has none of them. `features`: what is computed from texts and wanted beside the scalars, such as "text.loop"."""
        page = page_slice(offset, limit)
        asked = SampleSelection(
            split=split, step=step, steps=steps, where=where, sort=sort, discarded=discarded, known=tuple(known)
        )
        snapshot, table, rows, total = self._select_first(page.stop, asked, wait)
        shown = rows[page]
        picked = compute.take(table, shown)
        found = sample_rows(picked, self.name)
        sorted_by = [asked.sort_field] if mentions_features(sort) else []
        picked = self._add_features(snapshot, table, shown, list(dict.fromkeys([*features, *sorted_by])), picked, found)
        if preview:
            self._reader.fetch_ahead(snapshot, table, shown)
            for row, position in zip(found, shown):
                row.prompt_start, row.response_start = self._reader.starts(snapshot, table, int(position))
        answer = SampleTable(total=total, offset=offset, rows=found, progress=self.progress())
        answer._table = picked
        answer._sort_values = lambda: self._sort_values(snapshot, table, shown, asked.sort_field)
        return answer

    def _sort_values(self, snapshot: Snapshot, table: pa.Table, rows: Rows, field: str) -> pa.ChunkedArray | None:
        """The sort key of these rows, if it is not one of their columns: people's notes, or a value of the group."""
        if field not in JOINED:
            return None
        noted = self._notes.columns(table, snapshot, self._files_version) if mentions_notes(field) else table
        return compute.take(Columns(noted, ()).column(field), rows)

    def columns(self) -> list[str]:
        """Everything that a row of this run may have, also what is never a finite number."""
        return self._index.snapshot.columns

    def list_state(self, split: str, step: int, where: str | None = None, sort: str | None = None) -> Hashable | None:
        """Check the files of a step, and return the state that a list of it would be made from: while that is equal, so
        is the list, except for `progress`. None while the files are newer than their index."""
        snapshot = self._index.snapshot
        if step_changed(self._index, split, step) or self._index.snapshot is not snapshot:
            return None
        state = snapshot.state_of(split, step)
        if state is None:
            return None
        # The fields of the whole run are those that a filter may name.
        whole = (self._token, split, step, state, tuple(snapshot.fields))
        # The sample of a note is searched among all samples of the run.
        return (*whole, self._files_version, self._notes.state()) if mentions_notes(where, sort) else whole

    def table(self, **asked: Any) -> pa.Table:
        """`samples(...)` as an Arrow table: the same rows, one column per field."""
        from rollscope.query.sql.tables import public

        wait = asked.pop("wait", True)
        page = page_slice(asked.pop("offset", 0), asked.pop("limit", None))
        asked.pop("preview", None)
        features = list(asked.pop("features", ()))
        asked["known"] = tuple(asked.get("known", ()))
        snapshot, table, rows, _ = self._select_first(page.stop, SampleSelection(**asked), wait)
        picked = compute.take(table, rows[page])
        return public(self._add_features(snapshot, table, rows[page], features, picked, []))

    def _select(self, asked: SampleSelection, wait: bool) -> tuple[Snapshot, pa.Table, Rows]:
        """A state of the index, rows of it, and the positions of the selected ones in the requested order."""
        return self._select_first(None, asked, wait)[:3]

    def _select_first(
        self, first: int | None, asked: SampleSelection, wait: bool
    ) -> tuple[Snapshot, pa.Table, Rows, int]:
        """As `_select`, when only the `first` rows are needed: those, and how many rows there are."""

        def ask() -> tuple[Snapshot, pa.Table, Rows, int]:
            try:
                return self._selected(first, asked, wait)
            except UsageError:
                # A field without a finite number, or of discarded samples alone, is one of the run also where a step lacks it.
                others = set(self.columns()).difference(asked.known) if asked.step is not None else None
                if not others:
                    raise
                return self._selected(first, structs.replace(asked, known=(*asked.known, *sorted(others))), wait)

        return self._steady(ask)

    def _selected(self, first: int | None, asked: SampleSelection, wait: bool) -> tuple[Snapshot, pa.Table, Rows, int]:
        snapshot = self._fresh(asked.split, asked.step, wait)
        if asked.split is not None:
            self._known_split(snapshot, asked.split)
        table = self._rows(snapshot, asked)
        where, sort = asked.where, asked.sort
        noted = self._notes.columns(table, snapshot, self._files_version) if mentions_notes(where, sort) else table
        names = [*snapshot.fields, *asked.known]
        features = self._feature_columns(snapshot, table) if mentions_features(where, sort) else None

        sort = None if asked.by_place else sort

        def chosen(order: str | None) -> Rows:
            # Made for the first condition on a text; most filters have none.
            search = cache(lambda: self._text_search(snapshot, table))
            return select(
                noted,
                where=where,
                sort=order,
                discarded=asked.discarded,
                known=names,
                matcher=lambda predicate, candidates: search().matches(predicate, candidates),
                features=features,
            )

        if asked.step is not None or noted is not table:
            rows = chosen(sort)
        else:
            rows = self._selections.get(snapshot, asked.unsorted(), lambda: chosen(None))
        if not sort:
            return snapshot, table, rows[::-1] if asked.descending else rows, len(rows)
        if asked.step is not None or noted is not table:
            return snapshot, table, rows, len(rows)
        wanted = _wanted(table, first)
        found = self._selections.get(
            snapshot, (asked, wanted), lambda: sort_rows(table, rows, sort, names, features, wanted)
        )
        return snapshot, table, found, len(rows)

    def _text_search(self, snapshot: Snapshot, table: pa.Table) -> TextSearch:
        from rollscope.query.search.text_search import TextSearch  # most lists look into no text

        return TextSearch(snapshot, table, self._format, self.store.fresh(), self._index.engine)

    def _rows(self, snapshot: Snapshot, asked: SampleSelection) -> pa.Table:
        split, step = asked.split, asked.step
        if step is not None:
            splits = (
                [split] if split is not None else [name for name, steps in snapshot.splits.items() if step in steps]
            )
            if len(splits) == 1:
                return snapshot.rows_of(splits[0], step)
            # A format may read the files of an evaluation before those of training.
            rows = snapshot.rows_of_steps([(name, step) for name in splits])
            return in_order(rows) if rows.num_rows else rows
        table = snapshot.all_rows
        if split is not None and table.num_rows > 0:
            table = of_split(table, split)
        return of_steps(table, *parse_steps(asked.steps)) if asked.steps else table

    def groups(
        self,
        *,
        split: str = "train",
        step: int | None = None,
        steps: str | None = None,
        where: str | None = None,
        sort: str | None = "index",
        discarded: bool | None = False,
        columns: Sequence[str] = DOT_COLUMNS,
        offset: int = 0,
        limit: int | None = None,
        preview: bool = True,
        wait: bool = True,
    ) -> answers.GroupPage:
        """Samples by groups: of one step, of a range of `steps` ("10:20"), or of all steps. `sort` as for samples, or
        `spread`: of the rewards within the group."""
        asked = SampleSelection(split=split, step=step, steps=steps, where=where, sort=sort, discarded=discarded)
        snapshot, table, shown, total = self._page_of_groups(asked, offset, limit, wait)
        if features := [name for name in columns if is_feature(name)]:
            wanted = None if step is not None else shown.rows
            table = self._feature_columns(snapshot, table).joined(table, features, wanted)
        found = group_answers(table, shown, columns)
        if preview:
            self._reader.fetch_ahead(snapshot, table, [int(positions[0]) for positions in shown.groups])
            for row, positions in zip(found, shown.groups):
                row.prompt_start = self._reader.starts(snapshot, table, int(positions[0]))[0]
        return answers.GroupPage(
            split=split,
            step=step,
            total_groups=total,
            total_samples=shown.samples,
            offset=offset,
            rows=found,
            observed=observed(table, columns),
            progress=self.progress(),
        )

    def _page_of_groups(
        self, asked: SampleSelection, offset: int, limit: int | None, wait: bool
    ) -> tuple[Snapshot, pa.Table, Grouped, int]:
        """As `_grouped`, of the groups of a page; and how many groups there are."""
        page = page_slice(offset, limit)
        if asked.step is None and not mentions_notes(asked.where, asked.sort):
            snapshot, table, rows = self._select(asked.unsorted(), wait)
            if is_large(table):
                return snapshot, table, *self._page_of_large_groups(snapshot, table, rows, asked, page)
            wait = False
        snapshot, table, grouped = self._grouped(asked, wait)
        return snapshot, table, grouped.page(offset, limit), len(grouped.ends)

    def _page_of_large_groups(
        self, snapshot: Snapshot, table: pa.Table, rows: Rows, asked: SampleSelection, page: slice
    ) -> tuple[Grouped, int]:
        names = list(snapshot.fields)
        features = self._feature_columns(snapshot, table) if mentions_features(asked.sort) else None

        def whole() -> Rows:
            return select(table, discarded=asked.discarded, known=names) if asked.where else rows

        def first_rows(given: Rows, count: int) -> Rows:
            return sort_rows(table, given, asked.sort or "", names, features, None if count > MOST_FIRST else count)

        return page_of_groups(asked, page, table, rows, whole, first_rows, partial(self._selections.get, snapshot))

    def _grouped(self, asked: SampleSelection, wait: bool) -> tuple[Snapshot, pa.Table, Grouped]:
        by_spread = asked.sort_field == "spread"
        snapshot, table, rows = self._select(asked.unsorted() if by_spread else asked, wait)

        def make() -> Grouped:
            known = list(snapshot.fields)
            # In the table's order: a mean is the same to the last digit in whatever order groups are listed.
            whole = select(table, discarded=asked.discarded, known=known) if asked.where else np.sort(rows)
            return group_rows(table, rows, asked.sort, whole)

        if asked.step is not None or mentions_notes(asked.where, asked.sort):
            return snapshot, table, make()
        return snapshot, table, self._selections.get(snapshot, ("groups", asked), make)

    def step_counts(
        self, split: str = "train", *, where: str | None = None, discarded: bool | None = False, wait: bool = True
    ) -> answers.StepCounts:
        """How many samples of each step match a filter."""
        asked = SampleSelection(split=split, where=where, discarded=discarded)
        _, table, rows = self._select(asked, wait)
        whole = self._select(structs.replace(asked, where=None), wait=False)[2] if where else rows
        steps, samples, matching = across_steps.counts_by_step(table, whole, rows)
        return answers.StepCounts(
            split=split,
            steps=steps,
            samples=samples,
            matching=matching,
            total=len(whole),
            total_matching=len(rows),
            progress=self.progress(),
        )

    def neighbours(
        self,
        address: str,
        *,
        steps: str | None = None,
        where: str | None = None,
        sort: str | None = None,
        discarded: bool | None = False,
        listed: Literal["samples", "groups"] = "samples",
    ) -> answers.Neighbours:
        """The previous and next addresses, in the order and with the filter of the list that the sample was opened
        from: of its step, or of a range of `steps` (":" for all)."""
        split, step, number = place_of(address)
        asked = SampleSelection(split=split, steps=steps, where=where, sort=sort, discarded=discarded)
        if not steps:
            if listed == "groups":
                raise UsageError("neighbours by group need a list over several steps", hint="give steps, such as :")
            _, table, rows = self._select(structs.replace(asked, step=step), wait=False)
            return neighbours(self._index.snapshot, table, rows, split, step, number)
        if listed == "groups":
            snapshot, table, grouped = self._grouped(asked, wait=False)
            order = grouped.rows
        else:
            snapshot, table, order = self._select(asked, wait=False)
        codes = self._selections.get(snapshot, ("codes", split, steps), lambda: across_steps.group_codes(table))
        row = row_of(table, step, number)
        return across_steps.neighbours_across(table, order, codes, row, split, step)
