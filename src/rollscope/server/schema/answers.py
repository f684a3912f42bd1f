"""The HTTP answers that are the server's own: what the engine's :mod:`rollscope.query.answers` has no word for.

As there, field names are stable and a missing value is null.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from rollscope.query.live.follow import RunChange
from rollscope.userdata.notes import Note


class Problem(Struct, kw_only=True, omit_defaults=True):
    """An error as RFC 9457 has it (``application/problem+json``): what happened, and in ``hint`` what to do."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"
    hint: str = ""
    position: Annotated[
        int | None, Meta(description="For a filter that does not parse: where in it, counted from 0.")
    ] = None


class VersionInfo(Struct, kw_only=True):
    """The server that answers, and the limits it holds clients to."""

    version: str
    base_path: str
    instance: Annotated[
        str,
        Meta(
            description="Changes with every start of the server: versions of runs are comparable only below one `instance`."
        ),
    ]
    mask: Annotated[
        str | None,
        Meta(description="Pattern of pad tokens, shown once with their count; empty: none; null: the usual ones."),
    ]
    max_rows: int
    max_query_bytes: int
    max_body_bytes: int
    search_seconds: float


class PartSlice(Struct, kw_only=True):
    """Characters ``start`` to ``end`` of one part's text, and how many it has."""

    start: int
    end: int
    chars: int
    text: str


class SearchEnd(Struct, kw_only=True):
    """The last line of a search: why it ended."""

    done: Literal[True]
    hits: int
    seconds: float
    reason: Annotated[
        Literal["complete", "limit", "time", "error"],
        Meta(
            description='"complete": all was searched; "limit": more may match; '
            '"time": the time limit came first; "error": see `detail`.'
        ),
    ]
    limit: Annotated[float | None, Meta(description="The limit that ended it (hits or seconds), or null.")]
    detail: str
    counts: Annotated[
        HitsOfSteps | None, Meta(description="Where `counts` was asked for: of all hits, sent or not.")
    ] = None


class HitsOfSteps(Struct, kw_only=True):
    """Hits over the steps of a run: columns of one length, ascending."""

    hits: int
    samples: Annotated[int, Meta(description="Samples with at least one hit.")]
    steps: list[int]
    step_samples: Annotated[list[int], Meta(description="How many samples of each of `steps` have a hit.")]
    complete: Annotated[bool, Meta(description="False where the search ended before all was looked at.")]


class ReportNode(Struct, kw_only=True):
    """An element of a logtree report. The page makes elements of it itself; it is never used as HTML."""

    tag: str
    attrs: dict[str, str]
    children: list[ReportNode | str]
    data: Any = None


class Report(Struct, kw_only=True):
    """A logtree report as its file has it."""

    title: str
    started_at: str
    path: str
    root: ReportNode


class NotesPage(Struct, kw_only=True):
    """What people wrote about the run's samples, oldest first."""

    notes: list[Note]
    labels: Annotated[dict[str, int], Meta(description="Every label that is used, and on how many notes.")]
    skipped: Annotated[int, Meta(description="Lines of the notes' folder that cannot be read.")]


class NewLayout(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of a PUT."""

    layout: dict[str, Any]


class HelloEvent(Struct, kw_only=True):
    """``event: hello``, the first of every connection: each run's version now, to notice what was missed."""

    instance: str
    versions: dict[str, int]


class RunEvent(RunChange, kw_only=True):
    """``event: run``: something in this run changed."""


class RunsEvent(Struct, kw_only=True):
    """``event: runs``: runs appeared or went; ask for the list again."""

    runs: int
