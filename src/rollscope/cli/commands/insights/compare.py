"""`compare`: two runs beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, number, plural
from rollscope.cli.opening import refresh, run_at, say_left_out
from rollscope.cli.output import TableColumn

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.insights.compare_runs import RunComparison

REGRESSION = 3
#: Characters of a prompt in the table.
PROMPT_CHARS = 60


def compare(arguments: Arguments) -> int:
    a, b = run_at(arguments.run_a, arguments), run_at(arguments.run_b, arguments)
    for run in (a, b):
        refresh(run)
    limit = arguments.settings.limit or None
    found = a.compare(
        b, split=arguments.split, steps=arguments.steps, where=arguments.where, only=arguments.only, limit=limit
    )
    if arguments.json:
        output.write_json(found)
    else:
        _print(found)
    say_left_out(len(found.rows), found.asked, "prompts")
    allowed = arguments.fail_on_regression
    return REGRESSION if allowed is not None and found.regressed(allowed) else 0


def _print(found: RunComparison) -> None:
    titles = ("a n", "a mean", "b n", "b mean", "delta")
    columns = [*(TableColumn(title, right=True) for title in titles), *map(TableColumn, ("class", "a", "b", "prompt"))]
    output.write_table(
        columns,
        (
            [
                *map(number, (row.a_n, row.a_mean, row.b_n, row.b_mean, row.delta)),
                *(row.class_, row.a_example, row.b_example, (row.prompt or MISSING)[:PROMPT_CHARS]),
            ]
            for row in found.rows
        ),
    )
    output.talk(f"a is {found.a}, b is {found.b}; {plural(found.matched, 'prompt')} in both")
    output.talk(f"{found.only_a:,} only in a, {found.only_b:,} only in b")
    left_out = ((found.without_reward, "without a reward"), (found.unknown_prompt, "whose prompt is not known"))
    if reasons := [f"{plural(count, 'sample')} {reason}" for count, reason in left_out if count]:
        output.talk(f"left out: {', '.join(reasons)}")
    if not found.matched:
        output.talk("nothing can be compared: no prompt has a reward in both runs")
        return
    interval = f" [{number(found.ci[0])}, {number(found.ci[1])}]" if found.ci else ""
    output.talk(
        f"mean {number(found.a_mean)} → {number(found.b_mean)}, delta {number(found.delta)}{interval}, p {number(found.p)}"
    )
    output.talk(", ".join(f"{name} {count:,}" for name, count in found.classes.items() if count))
    output.talk(found.rule)
