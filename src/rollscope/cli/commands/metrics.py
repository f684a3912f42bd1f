"""`metrics`: series of numbers over a run's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import number
from rollscope.cli.opening import chosen_runs, refresh, say_left_out
from rollscope.cli.output import TableColumn

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.answers import Series
    from rollscope.query.run import Run


#: Names of series that a hint has.
_NAMED = 6


def metrics(arguments: Arguments) -> None:
    runs = chosen_runs(arguments)
    found: list[tuple[Run, Series]] = []
    for run in runs:
        refresh(run)
        found += [(run, series) for series in run.metrics(arguments.name or "*")]
    listed = found[: arguments.settings.limit or None]
    if not found and arguments.name:
        output.talk(f"no series matches {arguments.name!r}; {_advice(runs, arguments.name)}")
    if arguments.json:
        from msgspec.structs import asdict

        with output.JsonArray() as array:
            for run, series in listed:
                array.add({"run": run.name, **asdict(series)})
    else:
        columns = [TableColumn("run"), TableColumn("name")] if len(runs) > 1 else [TableColumn("name")]
        columns += [TableColumn(title, right=True) for title in ("points", "first", "last", "min", "max")]
        output.write_table(
            columns, ([*([run.name] if len(runs) > 1 else []), *_cells(series)] for run, series in listed)
        )
    say_left_out(len(listed), len(found), "series")


def _advice(runs: list[Run], name: str) -> str:
    """A pattern is the whole name: people write a part of it, in whatever case."""
    parted = name.casefold().strip("*")
    near = dict.fromkeys(series.name for run in runs for series in run.metrics() if parted in series.name.casefold())
    if not near or not parted:
        return "`rollscope metrics PATH --limit 0` lists them all"
    more = f" and {len(near) - _NAMED} more" if len(near) > _NAMED else ""
    return f"names with it: {', '.join([*near][:_NAMED])}{more}"


def _cells(series: Series) -> list[str]:
    values = [value for _, value in series.points if value is not None]
    ends = [values[0], values[-1], min(values), max(values)] if values else [None] * 4
    return [series.name, str(len(series.points)), *map(number, ends)]
