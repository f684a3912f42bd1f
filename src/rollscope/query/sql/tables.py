"""Tables for people and programs: SQL views, Arrow, pandas, polars, files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rollscope.errors import MissingExtraError
from rollscope.fields import FEATURE_PREFIXES, FEATURE_SPACES, SPACE_PREFIXES, STORED
from rollscope.index import compute
from rollscope.index.segments.rows import SCHEMA, concat
from rollscope.index.snapshot import Snapshot
from rollscope.query.answers import Series, StepRow
from rollscope.query.overview.steps import step_rows
from rollscope.query.samples.feature_columns import mentions_features
from rollscope.query.sql.connection import distinct_names, plain, query_untrusted, quoted

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: Rows of an SQL answer; what was cut is said. `sql_table` gives all.
MAX_SQL_ROWS = 10_000
#: The order of columns: first those that say which sample it is, then as in the table of fields.
_ORDER = tuple(dict.fromkeys(("run", "address", *(field.name for field in STORED))))


def public(table: pa.Table, *, address: bool = True) -> pa.Table:
    """Index rows as users see them: with the address first, and without the offsets into files. SQL makes addresses itself,
    where a query reads them."""
    if address:
        parts = [table["split"], compute.cast(table["step"], pa.string()), compute.cast(table["index"], pa.string())]
        table = table.append_column("address", compute.binary_join_element_wise(*parts, "/"))
    named = [name for name in _ORDER if name in table.column_names]
    others = sorted(name for name in table.column_names if name.startswith(SPACE_PREFIXES))
    others += [name for name in table.column_names if name.startswith(FEATURE_PREFIXES)]
    return table.select([*named, *others])


def of_split(table: pa.Table, split: str) -> pa.Table:
    """Of a run's rows in their order: those of a split lie together, so nothing is copied."""
    found = np.flatnonzero(compute.equal(table["split"], split).to_numpy())
    return table.slice(int(found[0]), len(found)) if len(found) else table.slice(0, 0)


def same_prompt(table: pa.Table, split: str, prompt_hash: int | None) -> pa.Table:
    if prompt_hash is None:
        return table.slice(0, 0)
    same = compute.equal(table["prompt_hash"], pa.scalar(prompt_hash, pa.uint64()))
    return compute.keep(table, compute.and_(compute.fill_null(same, False), compute.equal(table["split"], split)))


# SQL


def run_sql(
    query: str, run: Run, snapshot: Snapshot, metrics: Sequence[Series], max_rows: int | None = None
) -> pa.Table:
    return sql_over([(run, snapshot, metrics)], query, max_rows)


def sql_over(
    parts: Sequence[tuple[Run, Snapshot, Sequence[Series]]], query: str, max_rows: int | None = None
) -> pa.Table:
    """One SELECT over the tables `samples`, `steps`, `metrics` and `runs` of these runs."""
    wanted = mentions_features(query)
    rows = [run.rows_with_features(snapshot) if wanted else snapshot.all_rows for run, snapshot, _ in parts]
    samples = concat(
        [_with_run(public(_with_scalars(table), address=False), run.name) for table, (run, _, _) in zip(rows, parts)]
    )
    samples = distinct_names(samples, str.lower)  # DuckDB's names ignore case
    tables = {
        "_samples": samples,
        "steps": concat([_with_run(_all_steps(snapshot), run.name) for run, snapshot, _ in parts]),
        "metrics": concat([_with_run(metrics_table(metrics), run.name) for run, _, metrics in parts]),
        "runs": pa.table(
            {
                "run": [run.name for run, _, _ in parts],
                "path": [run.path for run, _, _ in parts],
                "format": [run.format for run, _, _ in parts],
            }
        ),
    }
    view = f"CREATE TEMP VIEW samples AS SELECT {_columns(samples)} FROM _samples"
    return query_untrusted(query, tables, setup=view, max_rows=max_rows)


def _with_scalars(table: pa.Table) -> pa.Table:
    """Every scalar column, so that a query that reads one works on every run."""
    for name, kind in SCHEMA.items():
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, kind))
    return table


def _columns(samples: pa.Table) -> str:
    """Scalars under their names; metrics and rewards as structs, so that `metrics.correct` reads as in a filter."""
    scalars = [
        quoted(name) for name in samples.column_names if not name.startswith((*SPACE_PREFIXES, *FEATURE_PREFIXES))
    ]
    # Made by DuckDB for the rows of an answer that shows it, not ahead for every row there is.
    scalars.insert(1, 'concat_ws(\'/\', "split", "step", "index") AS address')
    structs = []
    for kind in ("rewards", "metrics", *FEATURE_SPACES):
        names = [name for name in samples.column_names if name.startswith(f"{kind}.")]
        if not names and kind in FEATURE_SPACES:
            continue  # nobody asked for them
        fields = ", ".join(f"{_literal(name.removeprefix(f'{kind}.'))}: {quoted(name)}" for name in names)
        structs.append(f"{{{fields}}} AS {kind}" if names else f"NULL AS {kind}")
    return ", ".join([*scalars, *structs])


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _with_run(table: pa.Table, run: str) -> pa.Table:
    return table.add_column(0, "run", pa.repeat(pa.scalar(run), table.num_rows))


def steps_table(rows: Sequence[tuple[str, StepRow]]) -> pa.Table:
    return pa.table(
        {
            "split": pa.array([split for split, _ in rows], pa.string()),
            "step": pa.array([row.step for _, row in rows], pa.int64()),
            "samples": pa.array([row.samples for _, row in rows], pa.int64()),
            "groups": pa.array([row.groups for _, row in rows], pa.int64()),
            "discarded": pa.array([row.discarded for _, row in rows], pa.int64()),
            "reward_mean": pa.array([row.reward.mean for _, row in rows], pa.float64()),
            "reward_std": pa.array([row.reward.std for _, row in rows], pa.float64()),
            "reward_min": pa.array([row.reward.min for _, row in rows], pa.float64()),
            "reward_max": pa.array([row.reward.max for _, row in rows], pa.float64()),
            "bytes": pa.array([row.bytes for _, row in rows], pa.int64()),
            "skipped_lines": pa.array([row.skipped_lines for _, row in rows], pa.int64()),
            "repaired_lines": pa.array([row.repaired_lines for _, row in rows], pa.int64()),
        }
    )


def metrics_table(metrics: Sequence[Series]) -> pa.Table:
    flat = [(item.name, step, value) for item in metrics for step, value in item.points]
    return pa.table(
        {
            "name": pa.array([name for name, _, _ in flat], pa.string()),
            "step": pa.array([int(step) for _, step, _ in flat], pa.int64()),
            "value": pa.array([value for _, _, value in flat], pa.float64()),
        }
    )


def _all_steps(snapshot: Snapshot) -> pa.Table:
    return steps_table([(split, row) for split in snapshot.splits for row in step_rows(snapshot, split)])


def sql_rows(table: pa.Table) -> tuple[list[str], list[list[Any]], int | None]:
    """Columns, rows as far as they are shown, and the limit that cut them."""
    shown = table.slice(0, MAX_SQL_ROWS)
    rows = [[plain(value) for value in record.values()] for record in shown.to_pylist()]
    return table.column_names, rows, MAX_SQL_ROWS if table.num_rows > MAX_SQL_ROWS else None


# Other libraries


def to_pandas(table: pa.Table) -> Any:
    try:
        import pandas  # noqa: F401, ICN001  # only to say how to install it
    except ImportError:
        raise MissingExtraError("pandas is not installed", hint="pip install 'rollscope[pandas]'") from None
    return table.to_pandas()


def to_polars(table: pa.Table) -> Any:
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError("polars is not installed", hint="pip install 'rollscope[polars]'") from None
    return pl.from_arrow(table)
