"""Steps as groups of samples that share a prompt, with the columns of dots a reader scans."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from msgspec import Struct

from rollscope.arrays import Floats, Rows
from rollscope.index import compute
from rollscope.index.rows.run_order import parts_by_steps
from rollscope.index.statistics.moments import spreads
from rollscope.query.answers import GroupRow
from rollscope.query.lists.across_steps import group_codes
from rollscope.query.samples.rows import group_name


class Grouped(Struct):
    """Groups in the order asked for; each is the positions of its rows in the table, in the samples' order."""

    #: The rows of all groups, one after the other, and where each group ends: a run may have millions of them.
    rows: Rows
    ends: Rows
    samples: int
    #: Per group, over all its samples and not only those that a filter left; NaN where none has a reward.
    means: Floats
    spreads: Floats

    @property
    def groups(self) -> list[Rows]:
        return np.split(self.rows, self.ends[:-1]) if len(self.ends) else []

    def page(self, offset: int, limit: int | None) -> Grouped:
        part = slice(offset, None if limit is None else offset + limit)
        ends = self.ends[part]
        before = int(self.ends[offset - 1]) if 0 < offset <= len(self.ends) else 0
        rows = self.rows[before : int(ends[-1])] if len(ends) else self.rows[:0]
        return Grouped(rows, ends - before, self.samples, self.means[part], self.spreads[part])


def group_rows(table: pa.Table, rows: Rows, sort: str | None, whole: Rows) -> Grouped:
    """Put selected rows (already in the samples' order) into groups, and order the groups.

    A group stands where its best-placed sample does, except for `spread`: the standard deviation of its rewards. `whole`
    are the rows that would be selected without a filter: whether a group teaches anything is not the filter's to say."""
    if len(rows) == 0:
        nothing = np.array([], dtype=np.int64)
        return Grouped(nothing, nothing, 0, np.array([]), np.array([]))
    codes = group_codes(table)
    means, spread = _rewards_by_group(table, codes, whole, int(codes.max()) + 1)
    order = np.argsort(codes[rows], kind="stable")
    sorted_codes = codes[rows][order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(sorted_codes)) + 1])
    lengths = np.diff(np.append(starts, len(rows)))
    firsts, of_members = order[starts], sorted_codes[starts]
    if (sort or "index").lstrip("-+") == "spread":
        direction = -1.0 if (sort or "").startswith("-") else 1.0
        key = np.where(np.isnan(spread[of_members]), np.inf, direction * spread[of_members])
        ranking = np.lexsort((firsts, key))
    else:
        ranking = np.argsort(firsts, kind="stable")
    ranked = of_members[ranking]
    ends = np.cumsum(lengths[ranking])
    # Of each group, whose rows lie together in `order`, to where they lie in the order of groups.
    places = np.arange(len(rows)) + np.repeat(starts[ranking] - ends + lengths[ranking], lengths[ranking])
    return Grouped(np.asarray(rows)[order[places]], ends, len(rows), means[ranked], spread[ranked])


def _rewards_by_group(table: pa.Table, codes: Rows, whole: Rows, count: int) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the finite rewards of each group; one alone has no spread."""
    rewards = compute.floats(table["reward"])[whole]
    usable = np.isfinite(rewards)
    rewards, groups = rewards[usable], codes[whole][usable]
    means, found = np.full(count, np.nan), np.full(count, np.nan)
    if len(rewards) == 0:
        return means, found
    order = np.argsort(groups, kind="stable")
    rewards, groups = rewards[order], groups[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(groups)) + 1])
    means[groups[starts]], found[groups[starts]] = spreads(rewards, starts)
    return means, found


def group_answers(table: pa.Table, grouped: Grouped, columns: Sequence[str]) -> list[GroupRow]:
    """All rows of the groups are taken at once: a take per group costs 4 s for 100,000 samples."""
    groups = grouped.groups
    if not groups:
        return []
    part = compute.take(table, np.concatenate(groups))
    ends = np.cumsum([len(rows) for rows in groups]).tolist()
    names, indexes, steps = part["group"].to_pylist(), part["index"].to_pylist(), part["step"].to_pylist()
    envs = part["env"].to_pylist() if "env" in part.column_names else [None] * part.num_rows
    reasons, statuses = part["discard_reason"].to_pylist(), part["status"].to_pylist()
    values = {name: _values(part, name) for name in columns}
    return [
        GroupRow(
            step=steps[start],
            group=group_name(names[start]),
            env=envs[start],
            prompt_start=None,
            samples=indexes[start:end],
            values={name: column[start:end] for name, column in values.items()},
            discard_reasons=reasons[start:end],
            statuses=statuses[start:end],
            reward_mean=None if math.isnan(mean) else mean,
            reward_spread=None if math.isnan(spread) else spread,
        )
        for start, end, mean, spread in zip([0, *ends], ends, grouped.means.tolist(), grouped.spreads.tolist())
    ]


def _values(part: pa.Table, name: str) -> list[float | None]:
    if name not in part.column_names:
        return [None] * part.num_rows
    # As the column has them, as in a list of samples: a float would round an integer above 2**53.
    return [value if value is not None and math.isfinite(value) else None for value in part[name].to_pylist()]


def observed(table: pa.Table, columns: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Smallest and largest finite value of each column that has one."""
    found = {}
    for name in columns:
        if name in table.column_names:
            lowest, highest = math.inf, -math.inf
            for _, part in parts_by_steps(table):
                values = compute.floats(part[name])
                values = values[np.isfinite(values)]
                if len(values):
                    lowest, highest = min(lowest, float(values.min())), max(highest, float(values.max()))
            if lowest <= highest:
                found[name] = (lowest, highest)
    return found
