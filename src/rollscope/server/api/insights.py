"""Comparisons: two samples, the samples of a group, two runs."""

from __future__ import annotations

from rollscope.query.insights.compare_runs import RunComparison
from rollscope.query.insights.comparisons import GroupTree, SampleDiff
from rollscope.server.context import Call
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.parameters import AddressQuery, CompareQuery, DiffQuery

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


@endpoints.get("/api/runs/{run}/compare", answer=RunComparison, query=CompareQuery)
def compare_runs(call: Call, query: CompareQuery) -> RunComparison:
    """Another run against this one, over the prompts that both have."""
    return call.run.compare(
        call.context.library.run(query.other),
        split=query.split,
        steps=query.steps,
        where=query.where,
        limit=query.limit,
    )
