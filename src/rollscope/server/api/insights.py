"""Comparisons: two samples, and the samples of a group."""

from __future__ import annotations

from rollscope.query.insights.comparisons import GroupTree, SampleDiff
from rollscope.server.context import Call
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.parameters import AddressQuery, DiffQuery

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/diff", answer=SampleDiff, query=DiffQuery)
def get_diff(call: Call, query: DiffQuery) -> SampleDiff:
    """The responses of two samples, word by word."""
    other = call.context.library.run(query.other) if query.other else None
    return call.run.diff(query.a, query.b, other=other)


@endpoints.get("/api/runs/{run}/group_tree", answer=GroupTree, query=AddressQuery)
def get_group_tree(call: Call, query: AddressQuery) -> GroupTree:
    """The responses of a sample's group as a tree: what they share once, and where they part."""
    return call.run.group_tree(query.address)
