"""`metrics`, `sql`, `export`: numbers over the whole run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, byte_count, number, plural
from rollscope.cli.opening import chosen_runs, library, one_run, refresh, say_left_out
from rollscope.cli.output import Column

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.answers import Series
    from rollscope.query.run import Run

#: Rows of an SQL answer that are Python objects at one time.
SQL_BATCH = 1_000


def metrics(arguments: Arguments) -> None:
    runs = chosen_runs(arguments)
    found: list[tuple[Run, Series]] = []
    for run in runs:
        refresh(run)
        found += [(run, series) for series in run.metrics(arguments.name or "*")]
    listed = found[: arguments.settings.limit or None]
    if not found and arguments.name:
        output.talk(f"no series matches {arguments.name!r}; `rollscope metrics PATH --limit 0` lists them all")
    if arguments.json:
        from msgspec.structs import asdict

        with output.JsonArray() as array:
            for run, series in listed:
                array.add({"run": run.name, **asdict(series)})
    else:
        columns = [Column("run"), Column("name")] if len(runs) > 1 else [Column("name")]
        columns += [Column(title, right=True) for title in ("points", "first", "last", "min", "max")]
        output.write_table(
            columns, ([*([run.name] if len(runs) > 1 else []), *_cells(series)] for run, series in listed)
        )
    say_left_out(len(listed), len(found), "series")


def _cells(series: Series) -> list[str]:
    values = [value for _, value in series.points if value is not None]
    ends = [values[0], values[-1], min(values), max(values)] if values else [None] * 4
    return [series.name, str(len(series.points)), *map(number, ends)]


def sql(arguments: Arguments) -> None:
    opened = library([arguments.path], arguments)
    picked = opened.run(arguments.run) if arguments.run else None
    for run in [picked] if picked else opened.runs():
        refresh(run)
    table = (picked or opened).sql_table(arguments.query)
    shown = table.slice(0, arguments.settings.limit or table.num_rows)
    records = (record for batch in shown.to_batches(SQL_BATCH) for record in batch.to_pylist())
    if arguments.json:
        from rollscope.query.sql.nonfinite import with_names

        with output.JsonArray() as array:
            for record in records:
                array.add(with_names(record))
    else:
        rows = [list(record.values()) for record in records]
        columns = [Column(name, right=_is_number(rows, place)) for place, name in enumerate(shown.column_names)]
        output.write_table(columns, ([_cell(value) for value in row] for row in rows), whole=True)
    say_left_out(shown.num_rows, table.num_rows, "rows")


def _is_number(rows: list[list[Any]], place: int) -> bool:
    return all(row[place] is None or isinstance(row[place], (int, float)) for row in rows)


def _cell(value: Any) -> str:
    if value is None:
        return MISSING
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return str(value)


def convert(arguments: Arguments) -> None:
    from rollscope.query.convert import convert as write

    run = one_run(arguments)
    refresh(run)
    count = write(run, arguments.to)
    if arguments.json:
        output.write_json({"run": run.name, "path": os.path.abspath(arguments.to), "samples": count})
    else:
        output.talk(f"wrote {plural(count, 'sample')} to {arguments.to}")


def export(arguments: Arguments) -> None:
    run = one_run(arguments)
    refresh(run)
    count = run.export(arguments.to, where=arguments.where, text=arguments.text)
    size = os.path.getsize(arguments.to)
    if arguments.json:
        output.write_json({"run": run.name, "path": os.path.abspath(arguments.to), "samples": count, "bytes": size})
    else:
        output.talk(f"wrote {plural(count, 'sample')} to {arguments.to}, {byte_count(size)}")
