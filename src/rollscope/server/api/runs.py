"""Runs and their steps."""

from __future__ import annotations

from typing import Any

from rollscope.query.answers import DoctorReport, Progress, RunDetails, RunInfo, StepList
from rollscope.server.api.freshness import complete_within
from rollscope.server.context import Call
from rollscope.server.endpoints import Endpoints
from rollscope.server.parameters import PageQuery, Query, ReportQuery, StepsQuery
from rollscope.server.shapes import Report

endpoints = Endpoints()


@endpoints.get("/api/runs", answer=list[RunInfo], query=PageQuery)
def list_runs(call: Call, query: PageQuery) -> list[RunInfo]:
    """All runs below the opened paths."""
    runs = call.context.library.runs()
    return [run.info(wait=False) for run in runs[query.offset : query.offset + query.limit]]


@endpoints.get("/api/runs/{run}", answer=RunDetails, by_version=True)
def get_run(call: Call, _query: Query) -> RunDetails:
    """One run: config, reward ranges, checkpoints, files, skipped lines."""
    return call.run.details()


@endpoints.get("/api/runs/{run}/progress", answer=Progress)
def get_progress(call: Call, _query: Query) -> Progress:
    """How far the run has been indexed."""
    return call.run.progress()


@endpoints.get("/api/runs/{run}/steps", answer=StepList, query=StepsQuery, by_version=True)
def list_steps(call: Call, query: StepsQuery) -> StepList:
    """The steps of a split with their sizes and rewards."""
    run = call.run
    answer = complete_within(query.wait, lambda: run.steps(query.split, wait=False))
    answer.steps = answer.steps[query.offset : query.offset + query.limit]
    return answer


@endpoints.get("/api/runs/{run}/report", answer=Report, query=ReportQuery)
def get_report(call: Call, query: ReportQuery) -> Any:
    """A logtree report of the run, as the tree its file holds."""
    return call.run.report(query.path)


@endpoints.get("/api/runs/{run}/doctor", answer=DoctorReport, by_version=True)
def get_doctor(call: Call, _query: Query) -> DoctorReport:
    """What was detected and why, what was skipped, which files no format claims."""
    return call.run.doctor()
