"""The lists that a run can be asked for: samples and groups of one step or of any steps, filtered and sorted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from rollscope.errors import UsageError
from rollscope.index import compute
from rollscope.query import answers
from rollscope.query.insights.features import FeaturesOfRun
from rollscope.query.lists import across
from rollscope.query.lists.groups import Grouped, group_answers, group_rows, observed
from rollscope.query.lists.neighbours import neighbours
from rollscope.query.samples.feature_columns import is_feature, mentions_features
from rollscope.query.samples.notes import mentions_notes
from rollscope.query.samples.reader import place_of
from rollscope.query.samples.rows import sample_rows
from rollscope.query.samples.select import page_slice, select, sort_rows
from rollscope.query.search.text_search import TextSearch
from rollscope.query.sql import tables
from rollscope.query.tabular import SampleTable
from rollscope.query.watch import step_changed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rollscope.index.snapshot import Snapshot

    Rows = NDArray[np.int64]

#: Sorting by these over many steps keeps the run's own order, step by step: it does not put sample 0 of every step first.
_BY_PLACE = frozenset({"index", "address"})


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
        """The scalars of the samples asked for. `discarded`: False the kept ones, True the others, None all.

        `steps` is a range such as "10:20". `known`: numeric fields of other runs; a filter may name them, although this
        run has none of them. `features`: what is computed from texts and wanted beside the scalars, such as "text.loop"."""
        page = page_slice(offset, limit)
        snapshot, table, rows = self._select(split, step, where, sort, discarded, wait, known, steps)
        shown = rows[page]
        picked = compute.take(table, shown)
        found = sample_rows(picked, self.name)
        sorted_by = [(sort or "").lstrip("-+")] if mentions_features(sort) else []
        picked = self._add_features(snapshot, table, shown, list(dict.fromkeys([*features, *sorted_by])), picked, found)
        if preview:
            self._reader.fetch_ahead(snapshot, table, shown)
            for row, position in zip(found, shown):
                row.prompt_start, row.response_start = self._reader.starts(snapshot, table, int(position))
        answer = SampleTable(total=len(rows), offset=offset, rows=found, progress=self.progress())
        answer._table = picked
        return answer

    def list_state(self, split: str, step: int, where: str | None = None, sort: str | None = None) -> Hashable | None:
        """Look at the files of a step, and name the state that a list of it would be made from: as long as that is equal,
        so is the list, but for `progress`. None while the files are newer than what is indexed of them."""
        snapshot = self._index.snapshot
        if step_changed(self._index, split, step) or self._index.snapshot is not snapshot:
            return None
        state = snapshot.state_of(split, step)
        if state is None:
            return None
        # The fields of the whole run are those that a filter may name.
        whole = (self._token, split, step, state, tuple(snapshot.fields))
        # Which sample a note is about is found among all samples of the run.
        return (*whole, self._files_version, self._notes.state()) if mentions_notes(where, sort) else whole

    def table(self, **asked: Any) -> pa.Table:
        """`samples(...)` as an Arrow table: the same rows, one column per field."""
        wait = asked.pop("wait", True)
        page = page_slice(asked.pop("offset", 0), asked.pop("limit", None))
        asked.pop("preview", None)
        features = list(asked.pop("features", ()))
        defaults = {"split": None, "step": None, "where": None, "sort": None, "discarded": False}
        snapshot, table, rows = self._select(**{**defaults, **asked}, wait=wait)
        picked = compute.take(table, rows[page])
        return tables.public(self._add_features(snapshot, table, rows[page], features, picked, []))

    def _select(
        self,
        split: str | None,
        step: int | None,
        where: str | None,
        sort: str | None,
        discarded: bool | None,
        wait: bool,
        known: Sequence[str] = (),
        steps: str | None = None,
    ) -> tuple[Snapshot, pa.Table, Rows]:
        """A state of the index, rows of it, and the positions of the chosen ones in the order asked for."""
        return self._steady(lambda: self._selected(split, step, where, sort, discarded, wait, known, steps))

    def _selected(
        self,
        split: str | None,
        step: int | None,
        where: str | None,
        sort: str | None,
        discarded: bool | None,
        wait: bool,
        known: Sequence[str],
        steps: str | None,
    ) -> tuple[Snapshot, pa.Table, Rows]:
        snapshot = self._fresh(split, step, wait)
        if split is not None:
            self._known_split(snapshot, split)
        table = self._rows(snapshot, split, step, steps)
        search = self._text_search(snapshot, table)
        names = [*snapshot.fields, *known]
        features = self._feature_columns(snapshot, table) if mentions_features(where, sort) else None
        asked = table
        if mentions_notes(where, sort):
            asked = self._notes.columns(table, snapshot, self._files_version)
        if step is not None or asked is not table:
            rows = select(
                asked,
                where=where,
                sort=sort,
                discarded=discarded,
                known=names,
                matcher=search.matches,
                features=features,
            )
            return snapshot, table, rows
        key = (split, steps, where, discarded, tuple(known))
        rows = self._selections.get(
            snapshot,
            key,
            lambda: select(
                table, where=where, discarded=discarded, known=names, matcher=search.matches, features=features
            ),
        )
        if not sort:
            return snapshot, table, rows
        if sort.lstrip("-+") in _BY_PLACE:
            return snapshot, table, rows[::-1] if sort.startswith("-") else rows
        rows = self._selections.get(snapshot, (*key, sort), lambda: sort_rows(table, rows, sort, names, features))
        return snapshot, table, rows

    def _text_search(self, snapshot: Snapshot, table: pa.Table) -> TextSearch:
        return TextSearch(snapshot, table, self._format, self.store.fresh(), self._index.engine)

    def _rows(self, snapshot: Snapshot, split: str | None, step: int | None, steps: str | None) -> pa.Table:
        if step is not None:
            splits = (
                [split] if split is not None else [name for name, steps in snapshot.splits.items() if step in steps]
            )
            if len(splits) == 1:
                return snapshot.rows_of(splits[0], step)
            return snapshot.rows_of_steps([(name, step) for name in splits])
        table = snapshot.all_rows
        if split is not None and table.num_rows > 0:
            table = tables.of_split(table, split)
        return across.of_steps(table, steps) if steps else table

    def groups(
        self,
        *,
        split: str = "train",
        step: int | None = None,
        steps: str | None = None,
        where: str | None = None,
        sort: str | None = "index",
        discarded: bool | None = False,
        columns: Sequence[str] = ("reward", "advantage", "completion_tokens"),
        offset: int = 0,
        limit: int | None = None,
        preview: bool = True,
        wait: bool = True,
    ) -> answers.GroupPage:
        """Samples by groups: of one step, of a range of `steps` ("10:20"), or of all steps. `sort` as for samples, or
        `spread`: of the rewards within the group."""
        page_slice(offset, limit)  # neither is negative
        snapshot, table, grouped = self._grouped(split, step, steps, where, sort, discarded, wait)
        shown = grouped.page(offset, limit)
        if features := [name for name in columns if is_feature(name)]:
            wanted = None if step is not None else np.concatenate(shown.groups) if shown.groups else np.arange(0)
            table = self._feature_columns(snapshot, table).joined(table, features, wanted)
        found = group_answers(table, shown, columns)
        if preview:
            self._reader.fetch_ahead(snapshot, table, [int(positions[0]) for positions in shown.groups])
            for row, positions in zip(found, shown.groups):
                row.prompt_start = self._reader.starts(snapshot, table, int(positions[0]))[0]
        return answers.GroupPage(
            split=split,
            step=step,
            total_groups=len(grouped.groups),
            total_samples=grouped.samples,
            offset=offset,
            rows=found,
            observed=observed(table, columns),
            progress=self.progress(),
        )

    def _grouped(
        self,
        split: str,
        step: int | None,
        steps: str | None,
        where: str | None,
        sort: str | None,
        discarded: bool | None,
        wait: bool,
    ) -> tuple[Snapshot, pa.Table, Grouped]:
        by_spread = (sort or "").lstrip("-+") == "spread"
        chosen = None if by_spread else sort
        snapshot, table, rows = self._select(split, step, where, chosen, discarded, wait, steps=steps)

        def make() -> Grouped:
            whole = select(table, discarded=discarded, known=list(snapshot.fields)) if where else rows
            return group_rows(table, rows, sort, whole)

        if step is not None or mentions_notes(where, sort):
            return snapshot, table, make()
        key = ("groups", split, steps, where, sort, discarded)
        return snapshot, table, self._selections.get(snapshot, key, make)

    def step_counts(
        self, split: str = "train", *, where: str | None = None, discarded: bool | None = False, wait: bool = True
    ) -> answers.StepCounts:
        """How many samples of each step match a filter."""
        _, table, rows = self._select(split, None, where, None, discarded, wait)
        whole = self._select(split, None, None, None, discarded, wait=False)[2] if where else rows
        steps, samples, matching = across.counts_by_step(table, whole, rows)
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
        """The addresses before and after, in the order and under the filter of the list one came from: of its step, or
        of a range of `steps` (":" for all)."""
        split, step, number = place_of(address)
        if not steps:
            if listed == "groups":
                raise UsageError("neighbours by groups are of a list over several steps", hint="give steps, such as :")
            _, table, rows = self._select(split, step, where, sort, discarded, wait=False)
            return neighbours(self._index.snapshot, table, rows, split, step, number)
        if listed == "groups":
            snapshot, table, grouped = self._grouped(split, None, steps, where, sort, discarded, wait=False)
            order = np.concatenate(grouped.groups) if grouped.groups else np.array([], dtype=np.int64)
        else:
            snapshot, table, order = self._select(split, None, where, sort, discarded, wait=False, steps=steps)
        codes = self._selections.get(snapshot, ("codes", split, steps), lambda: across.group_codes(table))
        row = across.row_of(table, step, number)
        return across.neighbours_across(table, order, codes, row, split, step)
