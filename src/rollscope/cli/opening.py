"""From paths on the command line to runs that are ready to be asked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rollscope.cli.output import talk
from rollscope.cli.progress import ProgressLine, looking_for_runs
from rollscope.errors import NotFoundError, UsageError
from rollscope.settings import open_library

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.library import Library
    from rollscope.query.run import Run
    from rollscope.settings import Settings

#: Paths of runs that a hint names.
PATHS_SHOWN = 8


def library(paths: Sequence[str], arguments: Arguments) -> Library:
    prepare(arguments.settings)
    with looking_for_runs() as tell:
        opened = open_library(paths, arguments.settings, tell=tell)
    for sentence in opened.warnings:
        talk(sentence)
    return opened


def prepare(settings: Settings) -> None:
    """What holds for this process, before the first run is opened: no pandas, and the limits of queries."""
    from rollscope.query.limits import Limits, set_limits
    from rollscope.startup import without_pandas

    without_pandas()
    os.environ["ROLLSCOPE_INDEX_READONLY"] = "1" if settings.index_readonly else "0"
    os.environ["ROLLSCOPE_POLL"] = f"{settings.poll:g}"  # the processes that read files go by it too
    set_limits(Limits(settings.query_seconds, settings.query_memory, settings.max_line))


def expect_search(paths: Sequence[str], arguments: Arguments) -> None:
    """What the workers need is imported by them while we import what we need."""
    from rollscope.query.search.early_start import expect_work

    expect_work(paths, arguments.settings.engine, module="rollscope.query.search.scan")


def chosen_runs(arguments: Arguments) -> list[Run]:
    """The runs under PATH; with `--run` that one."""
    opened = library([arguments.path], arguments)
    return [opened.run(arguments.run)] if arguments.run else opened.runs()


def one_run(arguments: Arguments) -> Run:
    """The run at PATH, for commands that can speak of one only."""
    return library([arguments.path], arguments).one_run(arguments.run)


def run_at(path: str, arguments: Arguments) -> Run:
    """The one run at another path, for commands that speak of two: `--run` would not say of which."""
    found = library([path], arguments)
    runs = found.runs()
    if len(runs) > 1:
        named = ", ".join(run.path for run in runs[:PATHS_SHOWN])
        more = f" and {len(runs) - PATHS_SHOWN} more" if len(runs) > PATHS_SHOWN else ""
        raise UsageError(f"{path} holds {len(runs)} runs", hint=f"give the path of one of them: {named}{more}")
    return found.one_run()


def having_split(runs: list[Run], split: str | None) -> list[Run]:
    """The runs that have the split; where none has, an error that names those there are."""
    if split is None:
        return runs
    having = [run for run in runs if split in run.splits]
    if not having:
        there = sorted({name for run in runs for name in run.splits})
        raise NotFoundError(f"there is no split {split!r}", hint=f"there is {', '.join(there) or 'none'}")
    return having


def expect_step(runs: list[Run], split: str | None, step: int | None) -> None:
    """An error where none of the runs has the step: nothing found in it would say that there was nothing to find."""
    if step is None or any(run.samples(split=split, step=step, discarded=None, limit=0).total for run in runs):
        return
    raise NotFoundError(f"there is no step {step}", hint="`rollscope steps` lists those there are")


def refresh(run: Run, *, split: str | None = None, step: int | None = None) -> None:
    """Index what is new, with a progress line on a terminal."""
    with ProgressLine(f"indexing {run.name}") as progress:
        run.refresh(split=split, step=step, progress=lambda state: progress.indexed(state, run.workers))
    for sentence in (*(warning for warning in run.warnings() if warning not in run.notices), *run.guessed()):
        talk(f"{run.name}: {sentence}")
    if run.guessed() and run.guessed_keys():
        talk("say which key is what with --map prompt=KEY,response=KEY,reward=KEY")


def say_left_out(shown: int, total: int, noun: str) -> None:
    """Every cap is announced with its size."""
    if shown < total:
        talk(f"{shown:,} of {total:,} {noun} listed; --limit 0 lists all")
