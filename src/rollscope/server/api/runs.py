"""Runs and their steps."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from rollscope.errors import RollscopeError
from rollscope.query.answers import DoctorReport, Progress, RunDetails, RunInfo, StepRow
from rollscope.query.live.watch import ask_when_read
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.answers import Report
from rollscope.server.schema.parameters import Query, ReportQuery, RunQuery, RunsQuery, StepsQuery

if TYPE_CHECKING:
    from rollscope.query.run import Run

endpoints = Endpoints()


@endpoints.get("/api/runs", answer=list[RunInfo], query=RunsQuery)
def list_runs(call: ApiCall, query: RunsQuery) -> list[RunInfo]:
    """All runs below the opened paths."""
    runs = call.context.library.runs()[query.offset : query.offset + query.limit]
    end = time.monotonic() + query.wait
    for run in runs:
        _info(run)  # starts the reading of all, so that they are waited for together
    return [ask_when_read(run, max(0.0, end - time.monotonic()), partial(_info, run)) for run in runs]


def _info(run: Run) -> RunInfo:
    """A run that cannot be read is listed with its error, and does not hide the others."""
    try:
        return run.info(wait=False)
    except (RollscopeError, OSError) as error:
        return RunInfo(
            id=run.id,
            run=run.name,
            name=run.name,
            path=run.path,
            format=run.format,
            state="unreadable",
            splits=[],
            warnings=[str(error)],
        )


# Not by the run's version: its config, checkpoints and reports are none of what is indexed, and its state depends on the time.
@endpoints.get("/api/runs/{run}", answer=RunDetails, query=RunQuery)
def get_run(call: ApiCall, _query: RunQuery) -> RunDetails:
    """One run: config, reward ranges, checkpoints, files, skipped lines."""
    return call.run.details(wait=False)


@endpoints.get("/api/runs/{run}/progress", answer=Progress)
def get_progress(call: ApiCall, _query: Query) -> Progress:
    """How far the run has been indexed."""
    return call.run.progress()


@endpoints.get("/api/runs/{run}/steps", answer=list[StepRow], query=StepsQuery, by_version=True)
def list_steps(call: ApiCall, query: StepsQuery) -> list[StepRow]:
    """The steps of a split with their sizes and rewards; one that is not `complete` is still being read or filled."""
    return call.run.steps(query.split, offset=query.offset, limit=query.limit, wait=False).steps


@endpoints.get("/api/runs/{run}/report", answer=Report, query=ReportQuery)
def get_report(call: ApiCall, query: ReportQuery) -> Any:
    """A logtree report of the run, as the tree its file holds."""
    return call.run.report(query.path)


@endpoints.get("/api/runs/{run}/doctor", answer=DoctorReport)
def get_doctor(call: ApiCall, _query: Query) -> DoctorReport:
    """What was detected and why, what was skipped, which files no format claims."""
    return call.run.doctor()
