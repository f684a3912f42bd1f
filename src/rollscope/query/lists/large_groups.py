"""Groups over the steps of a large run: made a part of the run at a time, and kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats, Rows
from rollscope.index.rows.run_order import between, parts_by_steps
from rollscope.index.segments.spill import NumbersOnDisk
from rollscope.query.lists.groups import Grouped, group_rows
from rollscope.query.lists.sample_selection import SampleSelection

#: Rows, in the table's order -> the first so many of them in another order.
TakeFirst = Callable[[Rows, int], Rows]
#: For a sort, so many groups are found at least: the next page is requested soon.
LEAST_GROUPS = 1_024

_T = TypeVar("_T")


class Keep(Protocol):
    """What was made for this key, or is made now."""

    def __call__(self, key: Hashable, make: Callable[[], _T]) -> _T: ...


class LargeGroups(Struct, eq=False):
    """All groups of some rows of a table, in the table's order: no group has samples of two steps."""

    #: The rows themselves, in the table's order.
    selected: Rows
    grouped: Grouped
    #: The group of each selected row.
    group_of: Rows

    def by_spread(self, descending: bool) -> Rows:
        """The groups' numbers in the order of the spread of their rewards."""
        spread: Floats = self.grouped.spreads
        return np.argsort(np.where(np.isnan(spread), np.inf, -spread if descending else spread), kind="stable")

    def by_best_row(self, first: int, first_rows: TakeFirst) -> Rows:
        """The numbers of the first groups: a group stands where the best-placed of its rows does."""
        wanted = min(first, len(self.grouped.ends))
        rows = 2 * first
        while True:
            best = first_rows(self.selected, min(rows, len(self.selected)))
            groups = self.group_of[np.searchsorted(self.selected, best)]
            _, places = np.unique(groups, return_index=True)
            if len(places) >= wanted:
                return np.asarray(groups[np.sort(places)][:wanted])
            rows *= 4

    def pick(self, numbers: Rows, first_rows: TakeFirst | None = None) -> Grouped:
        """Groups by their numbers, in this order. `first_rows`: the order of the samples in each."""
        whole = self.grouped
        ends = whole.ends[numbers]
        starts = np.where(numbers > 0, whole.ends[numbers - 1], 0)
        lengths = ends - starts
        ends = np.cumsum(lengths)
        rows = np.asarray(whole.rows[np.arange(int(lengths.sum())) + np.repeat(starts - ends + lengths, lengths)])
        if first_rows is not None:
            ordered = first_rows(np.sort(rows), len(rows))
            order = np.argsort(ordered)
            place = order[np.searchsorted(ordered, rows, sorter=order)]
            rows = rows[np.lexsort((place, np.repeat(np.arange(len(numbers)), lengths)))]
        return Grouped(rows, ends, whole.samples, whole.means[numbers], whole.spreads[numbers])


def large_groups(table: pa.Table, rows: Rows, whole: Rows, *, backwards: bool = False) -> LargeGroups:
    """As `group_rows`, of rows in the table's order, a part of whole steps at a time. `backwards`: of the same rows from
    the last to the first."""
    kept, ends, group_of = (NumbersOnDisk(np.int64) for _ in range(3))
    means, spreads = (NumbersOnDisk(np.float64) for _ in range(2))
    parts = list(parts_by_steps(table))
    groups = 0
    for start, part in reversed(parts) if backwards else parts:
        own, own_whole = (between(given, start, start + part.num_rows) for given in (rows, whole))
        found = group_rows(part, own[::-1] if backwards else own, None, own_whole)
        lengths: NDArray[np.int64] = np.diff(found.ends, prepend=0)
        numbers = np.repeat(np.arange(groups, groups + len(found.ends)), lengths)
        group_of.add(numbers[np.argsort(found.rows, kind="stable")])
        ends.add(found.ends + kept.count)
        kept.add(found.rows + start)
        means.add(found.means)
        spreads.add(found.spreads)
        groups += len(found.ends)
    grouped = Grouped(kept.all(), ends.all(), len(rows), means.all(), spreads.all())
    return LargeGroups(rows, grouped, group_of.all())


def page_of_groups(
    asked: SampleSelection,
    page: slice,
    table: pa.Table,
    rows: Rows,
    whole: Callable[[], Rows],
    first_rows: TakeFirst,
    keep: Keep,
) -> tuple[Grouped, int]:
    """(the groups of a page, how many there are), of rows in the table's order. `whole`: as for `group_rows`."""
    backwards = asked.by_place and asked.descending
    found = keep(
        ("large groups", asked.unsorted(), backwards),
        lambda: large_groups(table, rows, whole(), backwards=backwards),
    )
    total = len(found.grouped.ends)
    if not asked.sort or asked.by_place:
        return found.pick(np.arange(*page.indices(total))), total
    if asked.sort_field == "spread":
        order = keep(("order of groups", asked), lambda: found.by_spread(asked.descending))
        return found.pick(order[page]), total
    last = page.indices(total)[1]
    first = min(total, max(LEAST_GROUPS, 1 << last.bit_length()))
    order = keep(("order of groups", asked, first), lambda: found.by_best_row(first, first_rows))
    return found.pick(order[page], first_rows), total
