"""`sql`: a read-only query over the tables of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, number
from rollscope.cli.opening import library, refresh, say_left_out
from rollscope.cli.output import TableColumn

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments


def sql(arguments: Arguments) -> None:
    from rollscope.query.sql.tables import sql_records

    opened = library([arguments.path], arguments)
    picked = opened.run(arguments.run) if arguments.run else None
    for run in [picked] if picked else opened.runs():
        refresh(run)
    table = (picked or opened).sql_table(arguments.query)
    shown = table.slice(0, arguments.settings.limit or table.num_rows)
    records = sql_records(shown)
    if arguments.json:
        from rollscope.query.sql.nonfinite import with_names

        with output.JsonArray() as array:
            for record in records:
                array.add(with_names(record))
    else:
        rows = [list(record.values()) for record in records]
        columns = [TableColumn(name, right=_is_number(rows, place)) for place, name in enumerate(shown.column_names)]
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
