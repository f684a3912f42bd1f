"""What is computed from a run's texts, and what is worth reading."""

from __future__ import annotations

from rollscope.query.insights.features import FeatureReport
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.parameters import Query

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/features", answer=FeatureReport)
def get_features(call: ApiCall, _query: Query) -> FeatureReport:
    """What is computed from the run's texts, and how far that is."""
    return call.run.feature_report(wait=False)
