"""What is computed from a run's texts, and what is worth reading."""

from __future__ import annotations

from rollscope.query.insights.features import FeatureReport
from rollscope.query.insights.findings.model import Finding, FindingsReport
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.parameters import FindingsQuery, Query

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/features", answer=FeatureReport)
def get_features(call: ApiCall, _query: Query) -> FeatureReport:
    """What is computed from the run's texts, and how far that is."""
    return call.run.feature_report(wait=False)


@endpoints.get("/api/runs/{run}/findings", answer=list[Finding], query=FindingsQuery)
def list_findings(call: ApiCall, query: FindingsQuery) -> list[Finding]:
    """What is worth reading, most serious first. Features that are missing are computed first."""
    return call.run.findings_report(split=query.split, kind=query.kind).findings


@endpoints.get("/api/runs/{run}/findings/report", answer=FindingsReport, query=FindingsQuery)
def get_findings_report(call: ApiCall, query: FindingsQuery) -> FindingsReport:
    """The same with what was looked at, and what cannot be known."""
    return call.run.findings_report(split=query.split, kind=query.kind)
