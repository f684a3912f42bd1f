"""Tables for people and programs: SQL views, Arrow, pandas, polars, files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rollscope.errors import MissingExtraError
from rollscope.fields import FEATURE_PREFIXES, FEATURE_SPACES, SPACE_PREFIXES, STORED
from rollscope.index import compute
from rollscope.index.segments.rows import SCHEMA, concat
from rollscope.index.snapshot import Snapshot
from rollscope.query.answers import Series, StepRow
from rollscope.query.language.sql import identifier, literal
from rollscope.query.metrics.series import Curve
from rollscope.query.overview.steps import step_rows
from rollscope.query.samples.feature_columns import mentions_features
from rollscope.query.sql.connection import distinct_names, plain, query_untrusted
from rollscope.query.sql.sandbox import is_harmless

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: Rows of an SQL answer; it says if there are more. `sql_table` returns all.
MAX_SQL_ROWS = 10_000
_LISTS_TABLES = re.compile(r"\s*(show\s+(all\s+)?tables|describe)\s*;?\s*", re.IGNORECASE)
_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.uint64(): "UBIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.list_(pa.string()): "VARCHAR[]",
}
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


def same_prompt(table: pa.Table, split: str, prompt_hash: int | None) -> pa.Table:
    if prompt_hash is None:
        return table.slice(0, 0)
    same = compute.equal(table["prompt_hash"], pa.scalar(prompt_hash, pa.uint64()))
    return compute.keep(table, compute.and_(compute.fill_null(same, False), compute.equal(table["split"], split)))


# SQL


def sql_over(parts: Sequence[tuple[Run, Snapshot]], query: str, max_rows: int | None = None) -> pa.Table:
    """One SELECT over the tables `samples`, `steps`, `metrics` and `runs` of these runs."""
    wanted = mentions_features(query)
    rows = [
        public(run.rows_with_features(snapshot) if wanted else snapshot.all_rows, address=False)
        for run, snapshot in parts
    ]
    # Made where they may be asked for: a run of 50,000 steps has millions of points.
    steps = [_all_steps(snapshot) if _may_read("steps", query) else steps_table(()) for _, snapshot in parts]
    metrics = [curves_table(run.curves() if _may_read("metrics", query) else ()) for run, _ in parts]
    samples = {f"_samples{number}": table for number, table in enumerate(_told_apart(rows))}
    tables = {
        **samples,
        "steps": concat([_with_run(table, run.name) for table, (run, _) in zip(steps, parts)]),
        "metrics": concat([_with_run(table, run.name) for table, (run, _) in zip(metrics, parts)]),
        "runs": pa.table(
            {
                "run": [run.name for run, _ in parts],
                "path": [run.path for run, _ in parts],
                "format": [run.format for run, _ in parts],
            }
        ),
    }
    if _LISTS_TABLES.fullmatch(query):  # those of the runs, of which `samples` is made, are nobody's business
        query = f"SELECT * FROM ({query.strip().rstrip(';')}) WHERE NOT starts_with(name, '_samples')"
    view = _samples_view({name: (run.name, table) for (name, table), (run, _) in zip(samples.items(), parts)})
    return query_untrusted(query, tables, setup=view, max_rows=max_rows)


def _may_read(table: str, query: str) -> bool:
    """False where the query surely does not: it is plain (see `is_harmless`), and nowhere has the word."""
    return not is_harmless(query) or re.search(rf"\b{table}\b", query, re.IGNORECASE) is not None


def _told_apart(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """DuckDB's names ignore case: of `acc` and `ACC` it would take either for the other, in one run or in two. Both get a
    number, so that what is meant must be said, and what was said before is an error that names them."""
    names = sorted({name for table in tables for name in table.column_names})
    counts = Counter(name.lower() for name in names)
    seen: Counter[str] = Counter()
    new_names: dict[str, str] = {}
    for name in names:
        seen[name.lower()] += 1
        new_names[name] = f"{name}_{seen[name.lower()]}" if counts[name.lower()] > 1 else name
    renamed = (table.rename_columns([new_names[name] for name in table.column_names]) for table in tables)
    return [distinct_names(table, str.lower) for table in renamed]


def _samples_view(tables: Mapping[str, tuple[str, pa.Table]]) -> str:
    """Of name -> (run, rows): the rows of all as one. What a table lacks is a null of the view and not a column of as many
    nulls as it has rows; metrics and rewards are structs, so that `metrics.correct` reads as in a filter."""
    types: dict[str, pa.DataType] = {}
    for _, table in tables.values():
        types.update({field.name: field.type for field in table.schema})
    scalars = [name for name in _ORDER if name in SCHEMA or name in types]
    spaced = sorted(name for name in types if name.startswith(SPACE_PREFIXES))
    spaced += [name for name in types if name.startswith(FEATURE_PREFIXES)]
    selects = []
    for source, (run, table) in tables.items():
        found = set(table.column_names)
        columns = [f"{literal(run)} AS run"]
        for name in [*scalars, *spaced]:
            kind = types.get(name) or SCHEMA[name]
            columns.append(
                identifier(name) if name in found else f"CAST(NULL AS {_sql_type(kind)}) AS {identifier(name)}"
            )
        selects.append(f"SELECT {', '.join(columns)} FROM {source}")
    rows = " UNION ALL ".join(selects)
    # Made by DuckDB for the rows of an answer that shows it, not ahead for every row there is.
    shown = ["run", 'concat_ws(\'/\', "split", "step", "index") AS address', *(identifier(name) for name in scalars)]
    for kind in ("rewards", "metrics", *FEATURE_SPACES):
        names = [name for name in spaced if name.startswith(f"{kind}.")]
        if not names and kind in FEATURE_SPACES:
            continue  # nobody asked for them
        fields = ", ".join(f"{literal(name.removeprefix(f'{kind}.'))}: {identifier(name)}" for name in names)
        shown.append(f"{{{fields}}} AS {kind}" if names else f"NULL AS {kind}")
    return f"CREATE TEMP VIEW samples AS SELECT {', '.join(shown)} FROM ({rows})"


def _sql_type(kind: pa.DataType) -> str:
    return _SQL_TYPES.get(kind, "DOUBLE")


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


def curves_table(curves: Iterable[Curve]) -> pa.Table:
    """The same of series that are columns already. What is no finite number is null, as in `Series.points`."""
    found = [
        pa.table(
            {
                "name": pa.repeat(pa.scalar(curve.name), len(curve.steps)),
                "step": pa.array(curve.steps.astype(np.int64)),
                "value": pa.array(curve.values, mask=~np.isfinite(curve.values)),
            }
        )
        for curve in curves
    ]
    return concat(found) if found else metrics_table(())


def _all_steps(snapshot: Snapshot) -> pa.Table:
    return steps_table([(split, row) for split in snapshot.splits for row in step_rows(snapshot, split)])


def sql_rows(table: pa.Table) -> tuple[list[str], list[list[Any]], int | None]:
    """Columns, rows as far as they are shown, and the limit that cut them."""
    shown = table.slice(0, MAX_SQL_ROWS)
    rows = [[plain(value) for value in record.values()] for record in shown.to_pylist()]
    return table.column_names, rows, MAX_SQL_ROWS if table.num_rows > MAX_SQL_ROWS else None


def sql_records(table: pa.Table, rows_at_a_time: int = 1_000) -> Iterator[dict[str, Any]]:
    """All rows by column, few at one time as Python objects."""
    for batch in table.to_batches(rows_at_a_time):
        for record in batch.to_pylist():
            yield {name: plain(value) for name, value in record.items()}


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
