"""`findings`: what is worth reading in a run, since when, and where to see it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import number
from rollscope.cli.opening import chosen_runs, having_split, refresh
from rollscope.cli.output import clean, heading

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.insights.findings.model import Finding, FindingsReport
    from rollscope.query.run import Run

#: The exit status when a finding is as serious as `--fail-on` says.
SERIOUS = 3
#: Between two looks of `--follow`.
FOLLOW_SECONDS = 5.0
COLORS = {"high": "31", "medium": "33", "low": "2"}
_FAILS_ON = {"high": {"high"}, "medium": {"high", "medium"}, "low": {"high", "medium", "low"}}


def findings(arguments: Arguments) -> int:
    runs = having_split(chosen_runs(arguments), arguments.split)
    told: set[tuple[str, str, str, str]] = set()
    serious = False
    while True:
        reports = [_look(run, arguments) for run in runs]
        fresh = [item for report in reports for item in report.findings if _key(item) not in told]
        told.update(map(_key, fresh))
        serious = serious or any(item.severity in _FAILS_ON.get(arguments.fail_on, ()) for item in fresh)
        if arguments.follow:
            for item in fresh:
                _tell_one(item, as_json=arguments.json)
        elif arguments.json:
            output.write_json([item for report in reports for item in report.findings])
        else:
            for report in reports:
                _print(report)
        if not arguments.follow or (serious and arguments.fail_on) or all(run.has_ended() for run in runs):
            return SERIOUS if serious else 0
        time.sleep(FOLLOW_SECONDS)


def _look(run: Run, arguments: Arguments) -> FindingsReport:
    refresh(run)
    return run.findings_report(split=arguments.split, kind=arguments.kind)


def _key(item: Finding) -> tuple[str, str, str, str]:
    # Thresholds that follow the first steps may move a little: a kind is told once, unless it becomes more serious.
    return item.run, item.split, f"{item.kind} {item.title}", item.severity


def _tell_one(item: Finding, *, as_json: bool) -> None:
    if as_json:
        output.write_json(item)
    else:
        _print_finding(item)


def _print(report: FindingsReport) -> None:
    print(heading(clean(report.run)))
    for item in report.findings:
        _print_finding(item)
    kinds = f"{len(report.kinds)} kinds"
    if not report.findings:
        print("nothing found")
    output.talk(f"{report.run}: looked at {report.samples:,} samples for {kinds}")
    reasons: dict[tuple[str, str], list[str]] = {}
    for unknown in report.unknown:
        reasons.setdefault((unknown.kind, unknown.reason), []).append(unknown.split)
    for (kind, reason), splits in reasons.items():
        output.talk(f"cannot know {kind} in {', '.join(splits)}: {reason}")


def _print_finding(item: Finding) -> None:
    mark = heading(item.severity.ljust(6), COLORS[item.severity])
    print(f"{mark} {clean(item.split)}  {item.kind}  {clean(item.title)}")
    print(f"       {clean(item.why)}")
    print(f"       {clean(item.where)}")
    for seen in item.evidence[:3]:
        print(
            f"       {clean(seen.address)} {seen.field}[{number(seen.start)}:{number(seen.end)}]  {clean(seen.value)[:80]}"
        )
