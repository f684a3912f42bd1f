"""`findings`: what is worth reading in a run, since when, and where to see it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import number, plural
from rollscope.cli.opening import chosen_runs, having_split, refresh
from rollscope.cli.output import clean, heading
from rollscope.cli.progress import ProgressLine

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.insights.findings.model import Finding, FindingsReport
    from rollscope.query.run import Run

#: The exit status when a finding is as serious as `--fail-on` says.
SERIOUS = 3
#: Between two looks of `--follow`.
FOLLOW_SECONDS = 5.0
COLORS = {"high": "31", "medium": "33", "low": "2"}
_WEIGHTS = {"high": 3, "medium": 2, "low": 1}


def findings(arguments: Arguments) -> int:
    runs = having_split(chosen_runs(arguments), arguments.split)
    if arguments.follow:
        return _follow(runs, arguments)
    reports = [_look(run, arguments) for run in runs]
    found = [item for report in reports for item in report.findings]
    if arguments.json:
        output.write_json([item for item in found if _is_asked(item, arguments)])
    else:
        for report in reports:
            _print(report, arguments)
    return SERIOUS if _any_serious(found, arguments) else 0


def _follow(runs: list[Run], arguments: Arguments) -> int:
    """Each finding once, as it comes, until the runs have ended or one is as serious as `--fail-on` says."""
    reported: dict[tuple[str, str, str], int] = {}
    while True:
        found = [item for run in runs for item in _look(run, arguments).findings]
        fresh = _fresh(found, reported)
        for item in fresh:
            if _is_asked(item, arguments):
                _tell_one(item, as_json=arguments.json)
        if _any_serious(fresh, arguments):
            return SERIOUS
        if all(run.has_ended() for run in runs):
            return 0
        time.sleep(FOLLOW_SECONDS)


def _any_serious(found: list[Finding], arguments: Arguments) -> bool:
    return arguments.fail_on is not None and any(
        _WEIGHTS[item.severity] >= _WEIGHTS[arguments.fail_on] for item in found
    )


def _is_asked(item: Finding, arguments: Arguments) -> bool:
    return _WEIGHTS[item.severity] >= _WEIGHTS[arguments.at_least or "low"]


def _look(run: Run, arguments: Arguments) -> FindingsReport:
    refresh(run)
    with ProgressLine(f"features of {run.name}") as line:
        return run.findings_report(split=arguments.split, kind=arguments.kind, tell=line.counted)


def _fresh(found: list[Finding], reported: dict[tuple[str, str, str], int]) -> list[Finding]:
    """Those not told yet. Thresholds follow the first steps and filters move a little: the same kind and title are told
    once, and again only when they become more serious than they ever were."""
    fresh = [item for item in found if _WEIGHTS[item.severity] > reported.get(_key(item), 0)]
    for item in fresh:
        reported[_key(item)] = max(_WEIGHTS[item.severity], reported.get(_key(item), 0))
    return fresh


def _key(item: Finding) -> tuple[str, str, str]:
    return item.run, item.split, f"{item.kind} {item.title}"


def _tell_one(item: Finding, *, as_json: bool) -> None:
    if as_json:
        output.write_json(item)
    else:
        _print_finding(item)


def _print(report: FindingsReport, arguments: Arguments) -> None:
    print(heading(clean(report.run)))
    listed = [item for item in report.findings if _is_asked(item, arguments)]
    for item in listed:
        _print_finding(item)
    if not listed:
        print("nothing found")
    if left := len(report.findings) - len(listed):
        output.talk(f"{report.run}: {plural(left, 'less serious finding')} not listed")
    output.talk(f"{report.run}: looked at {plural(report.samples, 'sample')} for {plural(len(report.kinds), 'kind')}")
    for line in report.unknown_lines():
        output.talk(f"could not check {line}")


def _print_finding(item: Finding) -> None:
    mark = heading(item.severity.ljust(6), COLORS[item.severity])
    print(f"{mark} {clean(item.split)}  {item.kind}  {clean(item.title)}")
    print(f"       {clean(item.why)}")
    print(f"       {clean(item.where)}")
    for seen in item.evidence[:3]:
        print(
            f"       {clean(seen.address)} {seen.field}[{number(seen.start)}:{number(seen.end)}]  {clean(seen.value)[:80]}"
        )
