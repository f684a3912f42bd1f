"""`tokens`: what is known of each token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, number, plural
from rollscope.cli.opening import one_run, refresh, say_left_out
from rollscope.cli.output import TableColumn

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.insights.tokens.quantiles import PositionQuantiles, StepTokens
    from rollscope.query.insights.tokens.run_tokens import SampleTokens, TokenSteps


def tokens(arguments: Arguments) -> None:
    run = one_run(arguments)
    limit = arguments.settings.limit or None
    if arguments.address:
        sample = run.tokens(arguments.address)
        if arguments.json:
            output.write_json(sample)
        else:
            _print_sample(sample, limit)
        return
    refresh(run)
    found = run.token_steps(split=arguments.split, steps=arguments.steps, where=arguments.where, value=arguments.value)
    if arguments.json:
        output.write_json(found)
    else:
        _print_steps(found, limit)


def _print_sample(sample: SampleTokens, limit: int | None) -> None:
    output.talk(f"{sample.run} {sample.address}: {plural(sample.count, 'token')}")
    for note in sample.notes:
        output.talk(note)
    if not sample.count:
        return
    columns = [TableColumn("value"), *(TableColumn(title, right=True) for title in ("known", "mean", "min", "max"))]
    rows = sample.summary.items()
    output.write_table(columns, ([name, *map(number, (s.known, s.mean, s.min, s.max))] for name, s in rows))
    by_column = next(((name, places) for name, places in sample.outliers.items() if places), None)
    if by_column is None:
        return
    name, places = by_column
    print()
    from rollscope.query.insights.tokens.values import COLUMN_TITLES

    shown = [(title, attribute) for title, attribute in COLUMN_TITLES if getattr(sample, attribute)]
    output.write_table(
        [TableColumn("at", right=True), TableColumn("token"), *(TableColumn(title, right=True) for title, _ in shown)],
        (
            [str(place), _token(sample, place), *(number(getattr(sample, column)[place]) for _, column in shown)]
            for place in places[:limit]
        ),
    )
    say_left_out(len(places[:limit]), len(places), f"outliers of {name}")


def _token(sample: SampleTokens, place: int) -> str:
    if sample.strings:
        return repr(sample.strings[place])
    return f"#{sample.ids[place]}" if sample.ids else MISSING


def _print_steps(found: TokenSteps, limit: int | None) -> None:
    for note in found.notes:
        output.talk(note)
    titles = ("step", "positions", "samples", "tokens", "p50", "p90", "p99", "max")
    rows = [row for step in found.steps for row in (_row(step), *(_row(step, part) for part in step.positions))]
    output.write_table([TableColumn(title, right=True) for title in titles], rows[:limit])
    say_left_out(len(rows[:limit]), len(rows), "lines")


def _row(step: StepTokens, part: PositionQuantiles | None = None) -> list[str]:
    shown = part or step
    where = f"{part.start}–{part.end - 1}" if part else "all"
    return [
        str(step.step),
        where,
        "" if part else f"{step.samples:,}",
        f"{shown.tokens:,}",
        *map(number, (shown.p50, shown.p90, shown.p99, shown.max)),
    ]
