"""Logged and derived series, distributions, and SQL."""

from __future__ import annotations

from rollscope.query.answers import Distribution, Series, SeriesColumns, SeriesInfo, SqlResult
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.parameters import DistributionQuery, RunQuery, SeriesColumnsQuery, SeriesQuery, SqlQuery

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/catalog", answer=list[SeriesInfo], query=RunQuery, by_version=True)
def list_series(call: ApiCall, _query: RunQuery) -> list[SeriesInfo]:
    """The metric catalog: every logged and derived series by section and group."""
    return call.run.catalog(wait=False)


@endpoints.get("/api/runs/{run}/series", answer=list[Series], query=SeriesQuery, by_version=True)
def get_series(call: ApiCall, query: SeriesQuery) -> list[Series]:
    """The points of the named series."""
    return call.run.series(query.name, wait=False)


@endpoints.get("/api/runs/{run}/series_columns", answer=list[SeriesColumns], query=SeriesColumnsQuery, by_version=True)
def get_series_columns(call: ApiCall, query: SeriesColumnsQuery) -> list[SeriesColumns]:
    """The same as columns: steps, values, times."""
    return call.run.series_columns(query.name, times=query.times, wait=False)


@endpoints.get("/api/runs/{run}/distribution", answer=Distribution, query=DistributionQuery, by_version=True)
def get_distribution(call: ApiCall, query: DistributionQuery) -> Distribution:
    """How a field is spread in each step."""
    return call.run.distribution(query.field, split=query.split, wait=False)


@endpoints.get("/api/runs/{run}/sql", answer=SqlResult, query=SqlQuery)
def run_sql(call: ApiCall, query: SqlQuery) -> SqlResult:
    """Read-only SQL over the tables samples, steps, metrics and runs, with limits on time, memory and rows."""
    return call.run.sql(query.query, only_shown=True)
