"""Named layouts of charts, saved on the server."""

from __future__ import annotations

from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.answers import NewLayout
from rollscope.server.schema.decoding import decode_body
from rollscope.server.schema.parameters import Query
from rollscope.userdata.dashboards import Dashboard, DashboardName

endpoints = Endpoints()


@endpoints.get("/api/dashboards", answer=list[DashboardName])
def list_dashboards(call: ApiCall, _query: Query) -> list[DashboardName]:
    """The layouts saved for the opened paths."""
    return call.context.dashboards.names()


@endpoints.get("/api/dashboards/{name}", answer=Dashboard)
def get_dashboard(call: ApiCall, _query: Query) -> Dashboard:
    """One layout."""
    return call.context.dashboards.load(call.path["name"])


@endpoints.add("PUT", "/api/dashboards/{name}", answer=Dashboard, body=NewLayout)
def put_dashboard(call: ApiCall, _query: Query) -> Dashboard:
    """Save a layout under this name, in place of an earlier one."""
    body = decode_body(call.body, NewLayout, '{"layout": {…}}')
    return call.context.dashboards.save(call.path["name"], body.layout)


@endpoints.add("DELETE", "/api/dashboards/{name}", answer=DashboardName)
def delete_dashboard(call: ApiCall, _query: Query) -> DashboardName:
    """Remove a layout."""
    return call.context.dashboards.delete(call.path["name"])
