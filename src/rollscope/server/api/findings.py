"""What is computed from a run's texts, and what is worth reading."""

from __future__ import annotations

from rollscope.query.insights.features import FeatureReport
from rollscope.query.insights.findings.marks.marked_rows import FindingMarks
from rollscope.query.insights.findings.marks.sample_findings import FindingDetail, SampleFindings
from rollscope.query.insights.findings.model import Finding, FindingsReport
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.insight_parameters import FindingDetailQuery, FindingMarksQuery, FindingsQuery
from rollscope.server.schema.parameters import AddressQuery, Query

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


@endpoints.get("/api/runs/{run}/findings/detail", answer=FindingDetail, query=FindingDetailQuery)
def get_finding_detail(call: ApiCall, query: FindingDetailQuery) -> FindingDetail:
    """One finding from near: rewards with it and without, step by step, and its evidence with the words around it."""
    return call.run.finding_detail(query.split, query.kind, query.where)


@endpoints.get("/api/runs/{run}/findings/marks", answer=FindingMarks, query=FindingMarksQuery)
def get_finding_marks(call: ApiCall, query: FindingMarksQuery) -> FindingMarks:
    """Which samples of some steps findings mean, for marks in lists. Does not wait for features: see `ready`."""
    return call.run.finding_marks(query.split, list(query.step))


@endpoints.get("/api/runs/{run}/findings/sample", answer=SampleFindings, query=AddressQuery)
def get_sample_findings(call: ApiCall, query: AddressQuery) -> SampleFindings:
    """The findings that mean one sample, and the characters at which each is seen. Does not wait for features either."""
    return call.run.sample_findings(query.address)
