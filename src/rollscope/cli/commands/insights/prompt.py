"""`prompt`: one prompt over steps and runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, number, percent, plural
from rollscope.cli.opening import library, one_run, refresh
from rollscope.cli.output import TableColumn

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.insights.prompt_steps import PromptOverSteps, PromptSample, PromptStep

#: Rewards of a step that are written out.
SHOWN = 16


def prompt(arguments: Arguments) -> None:
    run = one_run(arguments)
    # With --run the others under PATH are looked at too: the same prompt over all of them is what is asked for.
    paths = [path for path in (arguments.path if arguments.run else None, arguments.other) if path]
    others = [other for other in library(paths, arguments).runs() if other.root != run.root] if paths else []
    for other in (run, *others):
        refresh(other)
    found = run.prompt(arguments.address, others)
    if arguments.json:
        output.write_json(found)
        return
    _print(found)


def _print(found: PromptOverSteps) -> None:
    output.talk(f"{found.prompt or MISSING}")
    for note in found.notes:
        output.talk(note)
    columns = [
        *map(TableColumn, ("run", "split")),
        *(TableColumn(title, right=True) for title in ("step", "samples", "mean", "pass")),
        TableColumn("rewards"),
    ]
    rows: list[list[str]] = []
    for strip in found.strips:
        rows.append([strip.run, strip.split, "all", *_numbers(strip.samples, strip.mean, strip.pass_rate), ""])
        rows += [[strip.run, strip.split, str(step.step), *_step(step)] for step in strip.steps]
    output.write_table(columns, rows)
    output.talk(f"{plural(found.runs, 'run')} looked at. {found.rule}")


def _step(step: PromptStep) -> list[str]:
    shown = " ".join(map(_reward, step.samples[:SHOWN]))
    more = f" and {len(step.samples) - SHOWN} more" if len(step.samples) > SHOWN else ""
    return [*_numbers(len(step.samples), step.mean, step.pass_rate), shown + more]


def _reward(sample: PromptSample) -> str:
    return f"({number(sample.reward)})" if sample.discard_reason else number(sample.reward)


def _numbers(samples: int, mean: float | None, pass_rate: float | None) -> list[str]:
    return [f"{samples:,}", number(mean), MISSING if pass_rate is None else percent(pass_rate)]
