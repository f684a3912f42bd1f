"""What each request may ask, as types: they check the query string, and the OpenAPI document is made from them.

`decoding` reads them; those of insights are in `insight_parameters`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from rollscope.fields import DOT_COLUMNS
from rollscope.query.answers import MAX_POINTS

MAX_ROWS = 10_000
MAX_NAMES = 500
MAX_PART_CHARS = 4_000_000
MAX_WAIT_SECONDS = 60

Offset = Annotated[int, Meta(ge=0, description="How many to leave out at the start.")]
Limit = Annotated[int, Meta(ge=1, le=MAX_ROWS, description="How many to send at most.")]
Address = Annotated[str, Meta(min_length=1, description="A sample: split/step/n, such as train/12/37.")]
Split = Annotated[str, Meta(description="train, or eval/NAME.")]
Step = Annotated[int, Meta(description="The training step.")]
Steps = Annotated[str, Meta(description="A range of steps: 10:20 (10 to 19), 90:, :10, or : for all.")]
Where = Annotated[str, Meta(description='A filter, such as reward < 0.2 and status = "truncated".')]
Sort = Annotated[str, Meta(description="A field to sort by; with - before it, largest first.")]
Discarded = Annotated[
    Literal["false", "true", "all", "0", "1"],
    Meta(description="false: samples that were trained on; true: discarded ones; all: both."),
]
Wait = Annotated[
    float,
    Meta(
        ge=0,
        le=MAX_WAIT_SECONDS,
        description="Seconds to wait for files that were never read before. What is not read by then is missing, and "
        "`progress` says so.",
    ),
]


class Query(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The root of all: no parameters."""


class RunQuery(Query, kw_only=True, frozen=True):
    """About a run's data, which may not have been read yet."""

    wait: Wait = 1.0


class RunsQuery(RunQuery, kw_only=True, frozen=True):
    offset: Offset = 0
    limit: Limit = MAX_ROWS


class StepsQuery(RunQuery, kw_only=True, frozen=True):
    split: Split = "train"
    offset: Offset = 0
    limit: Limit = MAX_ROWS


class FilterQuery(RunQuery, kw_only=True, frozen=True):
    """Which samples of a run."""

    where: Where | None = None
    discarded: Discarded = "false"


class SelectionQuery(FilterQuery, kw_only=True, frozen=True):
    """Which samples of a run, in which order."""

    sort: Sort | None = None


class SamplesQuery(SelectionQuery, kw_only=True, frozen=True):
    split: Split | None = None
    step: Step | None = None
    steps: Steps | None = None
    offset: Offset = 0
    limit: Limit = 100
    preview: Annotated[bool, Meta(description="Send the starts of prompt and response too.")] = False
    features: Annotated[
        tuple[str, ...],
        Meta(max_length=40, description="Features to send with each row, such as text.loop; with commas, or repeated."),
    ] = ()


class ListQuery(SelectionQuery, kw_only=True, frozen=True):
    """A whole list, without pages."""

    split: Split | None = None
    step: Step | None = None
    steps: Steps | None = None


class ExportQuery(ListQuery, kw_only=True, frozen=True):
    format: Annotated[Literal["csv", "jsonl", "parquet"], Meta(description="What kind of file.")] = "csv"
    text: Annotated[bool, Meta(description="Also prompt and response.")] = False


class GroupsQuery(SelectionQuery, kw_only=True, frozen=True):
    step: Step | None = None
    steps: Steps | None = None
    split: Split = "train"
    sort: Annotated[str, Meta(description="As for samples; also spread: the spread of reward in a group.")] = "index"
    columns: Annotated[
        tuple[str, ...],
        Meta(max_length=40, description="Fields whose values are wanted per sample; with commas, or repeated."),
    ] = DOT_COLUMNS
    offset: Offset = 0
    limit: Limit = 100
    preview: Annotated[bool, Meta(description="Send the start of each group's prompt too.")] = True


class AddressQuery(Query, kw_only=True, frozen=True):
    address: Address


class SampleQuery(AddressQuery, kw_only=True, frozen=True):
    max_chars: (
        Annotated[
            int, Meta(ge=1, description="Of a longer part, send only its last characters, and its length as `chars`.")
        ]
        | None
    ) = None
    record: Annotated[bool, Meta(description="Send the source record as it was.")] = True


class PartQuery(AddressQuery, kw_only=True, frozen=True):
    message: Annotated[int, Meta(ge=0, description="Which of the sample's messages, from 0.")]
    part: Annotated[int, Meta(ge=0, description="Which of the message's parts, from 0.")]
    start: Annotated[int, Meta(ge=0, description="The first character wanted.")] = 0
    end: (
        Annotated[
            int,
            Meta(ge=0, description=f"The character after the last one wanted; at most {MAX_PART_CHARS:,} after start."),
        ]
        | None
    ) = None


class NeighboursQuery(SelectionQuery, kw_only=True, frozen=True):
    address: Address
    steps: (
        Annotated[str, Meta(description="The list goes over these steps: 10:20 (10 to 19), or : for all of them.")]
        | None
    ) = None
    listed: Annotated[
        Literal["samples", "groups"],
        Meta(description="Whether the list over several steps is one of samples or of groups."),
    ] = "samples"


class StepCountsQuery(FilterQuery, kw_only=True, frozen=True):
    split: Split = "train"


class ScatterQuery(FilterQuery, kw_only=True, frozen=True):
    x: Annotated[str, Meta(description="A numeric field; unless given, the length of the response.")] | None = None
    y: Annotated[str, Meta(description="A numeric field.")] = "reward"
    split: Split = "train"
    step: Step | None = None
    steps: Steps | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_POINTS, description="How many points to send at most.")] = MAX_POINTS


class HistoryQuery(RunQuery, kw_only=True, frozen=True):
    address: Address


class FieldsQuery(RunQuery, kw_only=True, frozen=True):
    step: Step
    split: Split = "train"


class SeriesQuery(RunQuery, kw_only=True, frozen=True):
    name: Annotated[
        tuple[str, ...],
        Meta(min_length=1, max_length=MAX_NAMES, description="Names from the catalog; may be repeated."),
    ]


class SeriesColumnsQuery(SeriesQuery, kw_only=True, frozen=True):
    times: Annotated[bool, Meta(description="Also when each point was logged.")] = True


class DistributionQuery(RunQuery, kw_only=True, frozen=True):
    field: Annotated[str, Meta(min_length=1, description="A numeric field, such as reward or metrics.correct.")]
    split: Split = "train"


class SearchQuery(Query, kw_only=True, frozen=True):
    q: Annotated[str, Meta(min_length=1, description="The text or pattern to find.")]
    regex: Annotated[bool, Meta(description="q is a regular expression (RE2).")] = False
    ignore_case: Annotated[bool, Meta(description="Letters match in upper and lower case.")] = False
    fields: Annotated[
        tuple[str, ...],
        Meta(
            max_length=40,
            description="Where to look (prompt, response, …); with commas, or repeated. All unless given.",
        ),
    ] = ()
    where: Where | None = None
    split: Split | None = None
    discarded: Discarded = "all"
    limit: Limit = 1_000
    counts: Annotated[
        bool,
        Meta(description="Go on after the limit without sending hits: the last line counts all of them by step."),
    ] = False


class SqlQuery(Query, kw_only=True, frozen=True):
    query: Annotated[str, Meta(min_length=1, description="A SELECT over samples, steps, metrics, runs.")]


class ReportQuery(Query, kw_only=True, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="One of the run's `reports`.")]


class NotesQuery(Query, kw_only=True, frozen=True):
    address: Address | None = None


class NoteQuery(Query, kw_only=True, frozen=True):
    id: Annotated[str, Meta(min_length=1, description="The note's `id`.")]
    author: Annotated[str, Meta(description="Who wrote it; the server's user unless given.")] | None = None
