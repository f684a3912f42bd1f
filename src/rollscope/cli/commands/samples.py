"""`steps` and `samples`: tables of a run's numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, byte_count, number, plural
from rollscope.cli.opening import chosen_runs, expect_step, having_split, refresh, say_left_out
from rollscope.cli.output import TableColumn
from rollscope.fields import shown_in

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.answers import SampleRow, StepRow
    from rollscope.query.run import Run

#: Metric columns of the table for people; `--json` has them all.
METRIC_COLUMNS = 6
_LISTED = tuple(field for field in shown_in("list") if field.name != "address")


def steps(arguments: Arguments) -> None:
    runs = chosen_runs(arguments)
    for run in runs:
        refresh(run)
    answers = [(run, run.steps(arguments.split or _first_split(run))) for run in having_split(runs, arguments.split)]
    rows = [(run, answer.split, row) for run, answer in answers for row in answer.steps]
    listed = rows[: arguments.settings.limit or None]
    if arguments.json:
        with output.JsonArray() as array:
            for run, split, row in listed:
                array.add({"run": run.name, "split": split, **_fields(row)})
    else:
        titles = (
            "step",
            "samples",
            "groups",
            "discarded",
            "reward",
            "std",
            "min",
            "max",
            "size",
            "skipped",
            "repaired",
        )
        columns = [*_run_column(runs), *(TableColumn(title, right=True) for title in titles), TableColumn("")]
        output.write_table(columns, ([*_run_cell(runs, run.name), *_step_cells(row)] for run, _, row in listed))
    say_left_out(len(listed), len(rows), "steps")


def _first_split(run: Run) -> str:
    """Unless told, train; where there is none, the first there is. The others are mentioned."""
    first, *others = run.splits or ["train"]
    if others:
        output.talk(f"{run.name}: {first}; --split shows {', '.join(others)}")
    return first


def _step_cells(row: StepRow) -> list[str]:
    reward = row.reward
    numbers = [row.step, row.samples, row.groups, row.discarded, reward.mean, reward.std, reward.min, reward.max]
    lines = [str(count) if count else MISSING for count in (row.skipped_lines, row.repaired_lines)]
    return [
        *map(number, numbers),
        MISSING if row.bytes is None else byte_count(row.bytes),
        *lines,
        "" if row.complete else "still growing",
    ]


def samples(arguments: Arguments) -> None:
    from rollscope.query.lists.several_runs import samples_of_runs

    runs = chosen_runs(arguments)
    limit = arguments.settings.limit or None
    discarded = True if arguments.discarded else None if arguments.all else False
    for run in runs:
        # Only what is asked for is indexed: one step of a large run opens at once.
        refresh(run, split=arguments.split, step=arguments.step)
    total, rows = samples_of_runs(
        runs,
        split=arguments.split,
        step=arguments.step,
        steps=arguments.steps,
        where=arguments.where,
        sort=arguments.sort,
        discarded=discarded,
        limit=limit,
        features=[name.strip() for name in (arguments.features or "").split(",") if name.strip()],
    )
    if not total:
        expect_step(having_split(runs, arguments.split), arguments.split, arguments.step)
        _say_nothing_matched(runs, arguments, discarded=discarded)
    if arguments.json:
        with output.JsonArray() as array:
            for row in rows:
                fields = _fields(row)
                del fields["prompt_start"], fields["response_start"]  # not asked for, so never there
                array.add(fields)
    else:
        _print_samples(runs, rows)
    say_left_out(len(rows), total, "samples")


def _say_nothing_matched(runs: list[Run], arguments: Arguments, *, discarded: bool | None) -> None:
    """How many there were to match, so that an empty answer is one; and what may have been meant."""
    from rollscope.query.lists.nothing_matched import values_no_sample_has

    looked_at = _count(runs, arguments, None, discarded=discarded)
    noun = "discarded samples" if discarded else "samples"
    output.talk(f"nothing matches, of {looked_at:,} {noun}" if looked_at else f"there are no {noun} here")
    if discarded is False and (others := _count(runs, arguments, arguments.where, discarded=True)):
        output.talk(f"{plural(others, 'discarded sample')} would; --discarded lists them, --all both")
    elif arguments.where:
        for sentence in values_no_sample_has(having_split(runs, arguments.split), arguments.where):
            output.talk(sentence)


def _count(runs: list[Run], arguments: Arguments, where: str | None, *, discarded: bool | None) -> int:
    from rollscope.query.lists.several_runs import samples_of_runs

    split, step, steps = arguments.split, arguments.step, arguments.steps
    return samples_of_runs(runs, split=split, step=step, steps=steps, where=where, discarded=discarded, limit=0)[0]


def _print_samples(runs: list[Run], rows: list[SampleRow]) -> None:
    metrics = list(dict.fromkeys(name for row in rows for name in row.metrics))
    shown = metrics[:METRIC_COLUMNS]
    columns = [*_run_column(runs), TableColumn("address")]
    columns += [TableColumn(field.title.lower(), right=field.is_number) for field in _LISTED]
    columns += [TableColumn(name, right=True) for name in shown]
    features = list(dict.fromkeys(name for row in rows for name in row.features))
    columns += [TableColumn(name, right=True) for name in features]
    cells = ([*_sample_cells(row, shown), *_feature_cells(row, features)] for row in rows)
    output.write_table(columns, ([*_run_cell(runs, row.run), *found] for row, found in zip(rows, cells)))
    if len(shown) < len(metrics):
        output.talk(f"{len(shown)} of {len(metrics)} metrics shown; --json has all")


def _sample_cells(row: SampleRow, metrics: Iterable[str]) -> list[str]:
    odd = row.nonfinite
    values = ((field, getattr(row, field.name)) for field in _LISTED)
    return [
        row.address,
        *(
            number(value, odd.get(field.name)) if field.is_number else MISSING if value is None else str(value)
            for field, value in values
        ),
        *(number(row.metrics.get(name), odd.get(f"metrics.{name}")) for name in metrics),
    ]


def _feature_cells(row: SampleRow, names: Iterable[str]) -> list[str]:
    values = (row.features.get(name) for name in names)
    return [
        " ".join(value) if isinstance(value, list) else value if isinstance(value, str) else number(value)
        for value in values
    ]


def _run_column(runs: list[Run]) -> list[TableColumn]:
    return [TableColumn("run")] if len(runs) > 1 else []


def _run_cell(runs: list[Run], name: str) -> list[str]:
    return [name] if len(runs) > 1 else []


def _fields(struct: Any) -> dict[str, Any]:
    from msgspec.structs import asdict

    return asdict(struct)
