"""Named layouts of charts, saved on the server."""

from __future__ import annotations

import msgspec

from rollscope.errors import UsageError
from rollscope.server.context import Call
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.answers import Dashboard, DashboardName, NewLayout
from rollscope.server.schema.parameters import Query

endpoints = Endpoints()


@endpoints.get("/api/dashboards", answer=list[DashboardName])
def list_dashboards(call: Call, _query: Query) -> list[DashboardName]:
    """The layouts saved for the opened paths."""
    return call.context.dashboards.names()


@endpoints.get("/api/dashboards/{name}", answer=Dashboard)
def get_dashboard(call: Call, _query: Query) -> Dashboard:
    """One layout."""
    return call.context.dashboards.load(call.path["name"])


@endpoints.add("PUT", "/api/dashboards/{name}", answer=Dashboard, body=NewLayout)
def put_dashboard(call: Call, _query: Query) -> Dashboard:
    """Save a layout under this name, in place of an earlier one."""
    try:
        body = msgspec.json.decode(call.body, type=NewLayout)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the body is no layout: {error}", hint='send {"layout": {…}} as JSON (Content-Type: application/json)'
        ) from None
    return call.context.dashboards.save(call.path["name"], body.layout)


@endpoints.add("DELETE", "/api/dashboards/{name}", answer=DashboardName)
def delete_dashboard(call: Call, _query: Query) -> DashboardName:
    """Remove a layout."""
    return call.context.dashboards.delete(call.path["name"])
