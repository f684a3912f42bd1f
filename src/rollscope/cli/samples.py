"""`steps` and `samples`: tables of a run's numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, byte_count, number
from rollscope.cli.opening import chosen_runs, refresh, say_left_out
from rollscope.cli.output import Column
from rollscope.errors import NotFoundError

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.answers import SampleRow, StepRow
    from rollscope.query.run import Run

#: Metric columns of the table for people; `--json` has them all.
METRIC_COLUMNS = 6


def steps(arguments: Arguments) -> None:
    runs = chosen_runs(arguments)
    rows: list[tuple[Run, str, StepRow]] = []
    for run in runs:
        refresh(run)
        split = _split(run, arguments.split)
        rows += [(run, split, row) for row in run.steps(split).steps]
    total = len(rows)
    rows = rows[: arguments.settings.limit or None]
    if arguments.json:
        with output.JsonArray() as array:
            for run, split, row in rows:
                array.add({"run": run.name, "split": split, **_fields(row)})
    else:
        titles = ("step", "samples", "groups", "discarded", "reward", "std", "min", "max", "size", "skipped")
        columns = [*_run_column(runs), *(Column(title, right=True) for title in titles), Column("")]
        output.write_table(columns, ([*_run_cell(runs, run.name), *_step_cells(row)] for run, _, row in rows))
    say_left_out(len(rows), total, "steps")


def _split(run: Run, asked: str | None) -> str:
    """The split asked for; unless told, train, or the only kind there is. Other splits are mentioned."""
    splits = run.splits
    if asked is not None:
        if asked not in splits:
            raise NotFoundError(f"{run.name} has no split {asked!r}: it has {', '.join(splits) or 'no samples'}")
        return asked
    first = splits[0] if splits else "train"
    if others := [split for split in splits if split != first]:
        output.talk(f"{first}; --split shows {', '.join(others)}")
    return first


def _step_cells(row: StepRow) -> list[str]:
    reward = row.reward
    numbers = [row.step, row.samples, row.groups, row.discarded, reward.mean, reward.std, reward.min, reward.max]
    skipped = str(row.skipped_lines) if row.skipped_lines else MISSING
    return [*map(number, numbers), byte_count(row.bytes), skipped, "" if row.complete else "still growing"]


def samples(arguments: Arguments) -> None:
    runs = chosen_runs(arguments)
    discarded = True if arguments.discarded else None if arguments.all else False
    limit = arguments.settings.limit or None
    rows: list[SampleRow] = []
    total = 0
    for run in runs:
        if arguments.split is not None:
            _split(run, arguments.split)
        refresh(run, split=arguments.split, step=arguments.step)
        page = run.samples(
            split=arguments.split,
            step=arguments.step,
            where=arguments.where,
            sort=arguments.sort,
            discarded=discarded,
            limit=None if limit is None else limit - len(rows),
        )
        total += page.total
        rows += page.rows
    if not total and arguments.step is not None:
        _check_step(runs, arguments)
    if arguments.json:
        with output.JsonArray() as array:
            for row in rows:
                fields = _fields(row)
                del fields["prompt_start"], fields["response_start"]  # not asked for, so never there
                array.add(fields)
    else:
        _print_samples(runs, rows)
    say_left_out(len(rows), total, "samples")


def _check_step(runs: list[Run], arguments: Arguments) -> None:
    """Nothing found: was it filtered away, or is there no such step?"""
    everything = (run.samples(split=arguments.split, step=arguments.step, discarded=None, limit=0) for run in runs)
    if not any(page.total for page in everything):
        raise NotFoundError(f"there is no step {arguments.step}", hint="`rollscope steps` lists those there are")


def _print_samples(runs: list[Run], rows: list[SampleRow]) -> None:
    metrics = list(dict.fromkeys(name for row in rows for name in row.metrics))
    shown = metrics[:METRIC_COLUMNS]
    columns = [*_run_column(runs), Column("address"), Column("group"), Column("reward", right=True)]
    columns += [Column("advantage", right=True), Column("status"), Column("discarded"), Column("env")]
    columns += [Column(title, right=True) for title in ("prompt", "completion", "tokens", *shown)]
    output.write_table(columns, ([*_run_cell(runs, row.run), *_sample_cells(row, shown)] for row in rows))
    if len(shown) < len(metrics):
        output.talk(f"{len(shown)} of {len(metrics)} metrics shown; --json has all")


def _sample_cells(row: SampleRow, metrics: Iterable[str]) -> list[str]:
    odd = row.nonfinite
    tokens = (row.prompt_tokens, row.completion_tokens, row.total_tokens)
    return [
        row.address,
        MISSING if row.group is None else str(row.group),
        number(row.reward, odd.get("reward")),
        number(row.advantage, odd.get("advantage")),
        row.status or MISSING,
        row.discard_reason or MISSING,
        row.env or MISSING,
        *map(number, tokens),
        *(number(row.metrics.get(name), odd.get(f"metrics.{name}")) for name in metrics),
    ]


def _run_column(runs: list[Run]) -> list[Column]:
    return [Column("run")] if len(runs) > 1 else []


def _run_cell(runs: list[Run], name: str) -> list[str]:
    return [name] if len(runs) > 1 else []


def _fields(struct: Any) -> dict[str, Any]:
    from msgspec.structs import asdict

    return asdict(struct)
