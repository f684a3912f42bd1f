"""`ls`, `doctor`, `index`: about runs as wholes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from rollscope.cli import output
from rollscope.cli.numbers import byte_count, duration, plural
from rollscope.cli.opening import library, refresh, say_left_out
from rollscope.cli.output import TableColumn, clean
from rollscope.cli.progress import ProgressLine

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.answers import DoctorReport, RunInfo, SplitInfo


def ls(arguments: Arguments) -> None:
    runs = library(arguments.paths, arguments).runs()
    listed = runs[: arguments.settings.limit or None]
    infos = []
    for run in listed:
        refresh(run)
        infos.append(run.info())
    if arguments.json:
        with output.JsonArray() as array:
            for info in infos:
                array.add(info)
    else:
        columns = [TableColumn("run"), TableColumn("format"), TableColumn("state"), TableColumn("split")]
        columns += [TableColumn(title, right=True) for title in ("steps", "first", "last", "samples", "discarded")]
        output.write_table(columns, (row for info in infos for row in _run_rows(info)))
    for run, info in zip(listed, infos):
        for warning in info.warnings:
            # What concerns all of them was said when they were opened.
            if warning not in run.notices:
                output.talk(f"{info.run}: {warning}")
    say_left_out(len(listed), len(runs), "runs")


def _run_rows(info: RunInfo) -> list[list[str]]:
    """A run's splits; its name stands only before the first."""
    head = [info.run, info.format, info.state]
    return [
        [*(head if place == 0 else ["", "", ""]), *_split_cells(split)] for place, split in enumerate(info.splits)
    ] or [[*head, "", "0", "", "", "0", "0"]]


def _split_cells(split: SplitInfo) -> list[str]:
    numbers = (split.steps, split.first_step, split.last_step, split.samples, split.discarded)
    return [split.split, *("" if value is None else str(value) for value in numbers)]


def doctor(arguments: Arguments) -> None:
    found = library(arguments.paths, arguments)
    reports = []
    for run in found.runs():
        refresh(run)
        reports.append(run.doctor())
    if arguments.json:
        output.write_json(reports)
    else:
        for place, report in enumerate(reports):
            if place:
                print()
            _print_report(report)
    for records in found.outside_runs():
        output.talk(f"in no run: {records}")


def _print_report(report: DoctorReport) -> None:
    print(output.heading(clean(report.run)))
    print(f"path     {clean(report.path)}")
    print(f"format   {report.format}, {report.confidence:.0%} sure")
    _print_list("because", report.reasons)
    _print_list("also recognised by", report.others)
    for split in report.splits:
        steps = plural(split.steps, "step")
        if split.steps:
            steps += f" ({split.first_step} to {split.last_step})"
        counts = f"{plural(split.samples, 'sample')}, {split.discarded:,} discarded"
        print(f"split    {clean(split.split)}: {steps}, {counts}")
    _print_list("cannot know", report.limits)
    _print_list("warnings", report.warnings)
    skipped = [f"{entry.file}:{entry.line}: {entry.reason}" for entry in report.skipped]
    _print_list("skipped lines", skipped, report.skipped_total)
    _print_list("files no format claims", report.unclaimed, report.unclaimed_total)
    if not (report.skipped_total or report.unclaimed_total or report.warnings):
        print("nothing wrong")


def _print_list(title: str, entries: list[str], total: int | None = None) -> None:
    total = len(entries) if total is None else total
    if total:
        print(f"{title} ({total:,}):")
        for entry in entries:
            print(f"  {clean(entry)}")
        if total > len(entries):
            print(f"  … and {total - len(entries):,} more")


class Indexed(NamedTuple):
    """What `index` says of a run."""

    run: str
    path: str
    format: str
    files: int
    bytes: int
    samples: int
    seconds: float


def index(arguments: Arguments) -> None:
    rows = []
    for run in library(arguments.paths, arguments).runs():
        started = time.monotonic()
        refresh(run)
        if arguments.features:
            with ProgressLine(f"features of {run.name}") as line:
                run.compute_features(line.counted)
        progress = run.progress()
        row = Indexed(
            run=run.name,
            path=run.path,
            format=run.format,
            files=progress.files_total,
            bytes=progress.bytes_total,
            samples=sum(split.samples + split.discarded for split in run.info().splits),
            seconds=round(time.monotonic() - started, 3),
        )
        rows.append(row)
        if not arguments.json:
            size = f"{byte_count(row.bytes)}, {plural(row.samples, 'sample')}"
            print(f"{clean(row.run)}: {size}, {duration(row.seconds)}", flush=True)
    if arguments.json:
        output.write_json([row._asdict() for row in rows])
