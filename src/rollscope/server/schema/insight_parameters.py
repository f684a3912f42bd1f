"""What requests about insights may ask: findings, comparisons, contrast, tokens."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from rollscope.server.schema.parameters import Address, Limit, Query, Split, Steps, Where

TextField = Annotated[
    Literal["response", "prompt", "golden", "text"], Meta(description="Whose words; text is all of them.")
]


class DiffQuery(Query, kw_only=True, frozen=True):
    a: Address
    b: Address
    other: Annotated[str, Meta(description="The run that b is in, by id or name; unless given, the same.")] | None = (
        None
    )


class FindingsQuery(Query, kw_only=True, frozen=True):
    split: Split | None = None
    kind: Annotated[str, Meta(description="Only this kind, such as loop or pattern:refusal.")] | None = None


class FindingMarksQuery(Query, kw_only=True, frozen=True):
    split: Split = "train"
    step: Annotated[tuple[int, ...], Meta(max_length=500, description="Steps; may be repeated.")] = ()


class InsightCommandQuery(Query, kw_only=True, frozen=True):
    name: Annotated[
        Literal["findings", "contrast", "changes", "compare", "group", "diff", "prompt", "tokens", "samples"],
        Meta(description="The command."),
    ]
    word: Annotated[tuple[str, ...], Meta(max_length=40, description="Its arguments; may be repeated.")] = ()
    other: Annotated[str, Meta(description="The other run, by id or name.")] | None = None


class FindingDetailQuery(Query, kw_only=True, frozen=True):
    split: Split
    kind: Annotated[str, Meta(description="As the report names it.")]
    where: Annotated[str, Meta(description="The finding's own filter.")]


class CompareQuery(Query, kw_only=True, frozen=True):
    other: Annotated[str, Meta(min_length=1, description="The run to compare with, by id or name.")]
    split: Split | None = None
    steps: Steps | None = None
    where: Where | None = None
    limit: Limit = 100
    rewards: Annotated[int, Meta(ge=0, le=64, description="How many single rewards of each prompt are listed.")] = 0
    golden: Annotated[bool, Meta(description="Also each prompt's golden answers.")] = False


class ContrastQuery(Query, kw_only=True, frozen=True):
    a: Annotated[str, Meta(description="A filter: the first selection.")] | None = None
    b: Annotated[str, Meta(description="A filter: the second one; unless given, the rest.")] | None = None
    other: Annotated[str, Meta(description="The run that b is of, by id or name; unless given, the same.")] | None = (
        None
    )
    split: Split | None = None
    a_steps: Steps | None = None
    b_steps: Steps | None = None
    field: TextField = "response"
    limit: Limit = 30


class ChangesQuery(Query, kw_only=True, frozen=True):
    from_steps: Steps | None = None
    to_steps: Steps | None = None
    split: Split | None = None
    where: Where | None = None
    field: TextField = "response"
    limit: Limit = 30


class PromptQuery(Query, kw_only=True, frozen=True):
    address: Address
    other: Annotated[
        tuple[str, ...], Meta(max_length=100, description="Other runs, by id or name; may be repeated.")
    ] = ()
    all: Annotated[bool, Meta(description="Look into all runs that are open.")] = False


class TokenStepsQuery(Query, kw_only=True, frozen=True):
    split: Split | None = None
    steps: Steps | None = None
    where: Where | None = None
    value: Annotated[
        Literal["log_ratio", "entropy", "logprob", "mismatch_kl", "reference_kl"],
        Meta(description="Of what; log_ratio is |trainer - sampler|."),
    ] = "log_ratio"
