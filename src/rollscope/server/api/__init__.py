"""The requests below ``/api``, one module per subject. The page uses these and nothing else."""

from __future__ import annotations

from rollscope.server.api import dashboards, exports, findings, insights, metrics, notes, runs, samples, search, service
from rollscope.server.http.endpoints import Endpoint

ENDPOINTS: tuple[Endpoint, ...] = (
    *runs.endpoints,
    *samples.endpoints,
    *exports.endpoints,
    *metrics.endpoints,
    *search.endpoints,
    *notes.endpoints,
    *insights.endpoints,
    *findings.endpoints,
    *dashboards.endpoints,
    *service.endpoints,
)
