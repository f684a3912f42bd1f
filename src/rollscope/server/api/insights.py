"""Comparisons of samples, selections and runs, and what is known of tokens."""

from __future__ import annotations

from rollscope.query.answers import InsightCommand
from rollscope.query.insights.compare_runs import RunComparison
from rollscope.query.insights.comparisons import GroupTree, SampleDiff
from rollscope.query.insights.contrast.model import Contrast
from rollscope.query.insights.prompt_steps import PromptOverSteps
from rollscope.query.insights.tokens.run_tokens import SampleTokens, TokenSteps
from rollscope.query.lists.commands import insight_command
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.insight_parameters import (
    ChangesQuery,
    CompareQuery,
    ContrastQuery,
    DiffQuery,
    InsightCommandQuery,
    PromptQuery,
    TokenStepsQuery,
)
from rollscope.server.schema.parameters import AddressQuery

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/insight_command", answer=InsightCommand, query=InsightCommandQuery)
def get_insight_command(call: ApiCall, query: InsightCommandQuery) -> InsightCommand:
    """What a page of insights shows, as the command that prints it."""
    other = call.context.library.run(query.other) if query.other else None
    return InsightCommand(command=insight_command(call.run, query.name, query.word, other))


@endpoints.get("/api/runs/{run}/diff", answer=SampleDiff, query=DiffQuery)
def get_diff(call: ApiCall, query: DiffQuery) -> SampleDiff:
    """The responses of two samples, word by word."""
    other = call.context.library.run(query.other) if query.other else None
    return call.run.diff(query.a, query.b, other=other)


@endpoints.get("/api/runs/{run}/group_tree", answer=GroupTree, query=AddressQuery)
def get_group_tree(call: ApiCall, query: AddressQuery) -> GroupTree:
    """The responses of a sample's group as a tree: what they share once, and where they part."""
    return call.run.group_tree(query.address)


@endpoints.get("/api/runs/{run}/compare", answer=RunComparison, query=CompareQuery)
def compare_runs(call: ApiCall, query: CompareQuery) -> RunComparison:
    """Another run against this one, over the prompts that both have."""
    return call.run.compare(
        call.context.library.run(query.other),
        split=query.split,
        steps=query.steps,
        where=query.where,
        limit=query.limit,
        rewards=query.rewards,
        golden=query.golden,
    )


@endpoints.get("/api/runs/{run}/contrast", answer=Contrast, query=ContrastQuery)
def get_contrast(call: ApiCall, query: ContrastQuery) -> Contrast:
    """What tells the samples of two filters apart: phrases, numbers, categories. Without b, a against the rest."""
    return call.run.contrast(
        query.a,
        query.b,
        other=call.context.library.run(query.other) if query.other else None,
        split=query.split,
        a_steps=query.a_steps,
        b_steps=query.b_steps,
        field=query.field,
        limit=query.limit,
    )


@endpoints.get("/api/runs/{run}/changes", answer=Contrast, query=ChangesQuery)
def get_changes(call: ApiCall, query: ChangesQuery) -> Contrast:
    """What tells `to_steps` (side a) from `from_steps` (side b); unless given, the last and the first tenth."""
    return call.run.changes(
        query.from_steps, query.to_steps, split=query.split, where=query.where, field=query.field, limit=query.limit
    )


@endpoints.get("/api/runs/{run}/tokens", answer=SampleTokens, query=AddressQuery)
def get_tokens(call: ApiCall, query: AddressQuery) -> SampleTokens:
    """What is known of each token of a sample's response: as recorded, and the ratios and divergences that follow."""
    return call.run.tokens(query.address)


@endpoints.get("/api/runs/{run}/token_steps", answer=TokenSteps, query=TokenStepsQuery)
def get_token_steps(call: ApiCall, query: TokenStepsQuery) -> TokenSteps:
    """Quantiles of a value of tokens for every step, by position in the response."""
    return call.run.token_steps(split=query.split, steps=query.steps, where=query.where, value=query.value)


@endpoints.get("/api/runs/{run}/prompt", answer=PromptOverSteps, query=PromptQuery)
def get_prompt(call: ApiCall, query: PromptQuery) -> PromptOverSteps:
    """The samples of one prompt over all steps, here and in the other runs that are open, as far as they are indexed."""
    library = call.context.library
    others = [library.run(name) for name in query.other] if query.other else library.runs() if query.all else []
    return call.run.prompt(query.address, others)
