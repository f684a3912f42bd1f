"""The types of a run's answers: Python objects, ``--json`` output and HTTP bodies are all made of these.

Field names are stable: scripts and the page rely on them. A missing value is null.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from rollscope.fields import RowScalars
from rollscope.model import Checkpoint, Range, Skipped

RunState = Literal["live", "finished", "unreadable"]


class Progress(Struct, kw_only=True):
    """How far indexing is. ``done`` when nothing is left; ``seconds_left`` is an estimate."""

    done: bool
    bytes_done: int = 0
    bytes_total: int = 0
    samples: int = 0
    files_done: int = 0
    files_total: int = 0
    seconds_left: float | None = None


class SplitInfo(Struct, kw_only=True):
    split: str
    steps: int
    first_step: int | None
    last_step: int | None
    samples: int
    discarded: int


class RunReward(Struct, kw_only=True):
    """Mean rewards of training steps."""

    last: float
    last_step: int
    best: float
    best_step: int


class RunInfo(Struct, kw_only=True):
    """One run in a list."""

    id: str
    run: str
    name: str
    path: str
    format: str
    state: RunState
    splits: list[SplitInfo]
    warnings: list[str]
    modified: Annotated[float | None, Meta(description="Seconds since the epoch of the newest file.")] = None
    started: Annotated[float | None, Meta(description="Seconds since the epoch of the oldest file that is known.")] = (
        None
    )
    reward: Annotated[RunReward | None, Meta(description="Of what has been read so far.")] = None
    progress: Progress | None = None
    #: What was guessed in reading it, in sentences. Empty if its files say everything that is shown.
    guessed: list[str] = []
    mapping: Annotated[
        dict[str, str],
        Meta(
            description="Which key of its records was taken for which field, where that can be said with --map or in a "
            "file rollscope.toml; empty for formats whose keys are known."
        ),
    ] = {}


class FileInfo(Struct, kw_only=True):
    path: str
    bytes: int
    modified: float
    role: Annotated[
        str, Meta(description="What it is to this run: rollouts, metrics, config, checkpoints, diff, report, other.")
    ]
    split: Annotated[str | None, Meta(description="Split and step it holds, where the name says so.")] = None
    step: int | None = None


class RunDetails(Struct, kw_only=True):
    """Everything about one run but its samples."""

    info: RunInfo
    config: Any
    config_identity: Annotated[
        list[str],
        Meta(
            description="Keys of `config` that say which run it is or when it was written: no difference between runs."
        ),
    ]
    ranges: Annotated[
        dict[str, dict[str, Range]],
        Meta(description='By environment (`*` = any), then "reward", "advantage" or "metrics.NAME".'),
    ]
    checkpoints: list[Checkpoint]
    files: list[FileInfo]
    files_total: Annotated[
        int, Meta(description="All the files there are; `files` holds at most the first 2,000 of them.")
    ]
    skipped: list[Skipped]
    skipped_total: int
    code_diff: str | None
    reports: Annotated[list[str], Meta(description="Reports that can be shown: paths of logtree JSON files.")]
    escaped_reports: Annotated[bool, Meta(description="Texts in the reports are HTML-escaped.")]
    limits: Annotated[list[str], Meta(description="What the format cannot know, and what was guessed.")]
    fields: Annotated[
        list[str], Meta(description='Numeric per-sample fields that occur: "reward", "metrics.correct", …')
    ]
    envs: list[str]


class Summary(Struct, gc=False):
    """Of the finite values of one field over some samples."""

    count: int
    mean: float | None
    std: float | None
    min: float | None
    max: float | None


# Of these and of summaries there is one a step, so they are made by position.
class StepRow(Struct, gc=False):
    step: int
    samples: Annotated[int, Meta(description="Samples trained on; the discarded ones are counted apart.")]
    groups: int
    discarded: int
    reward: Summary
    bytes: Annotated[
        int | None,
        Meta(description="Size of its part of the files; null where they hold several steps and are not of lines."),
    ]
    skipped_lines: Annotated[
        int,
        Meta(
            description="Lines that hold no sample although they should, in files of this step alone. Of a file with "
            "several steps nobody knows whose they were: the doctor lists them."
        ),
    ]
    discard_reasons: dict[str, int]
    pass_at: Annotated[
        dict[int, float],
        Meta(
            description="Mean over groups of the unbiased pass@k, by k. A sample passed when its verdict "
            "(`metrics.correct` and the like, a number within [0, 1], or a reward of 0 or 1) is above 0. "
            "Empty where there is no verdict."
        ),
    ]
    complete: Annotated[bool, Meta(description="False while the step's files are still being read or still growing.")]
    repaired_lines: Annotated[
        int,
        Meta(description="Lines that are samples only because something in them was put right; counted likewise."),
    ] = 0


class StepList(Struct, kw_only=True):
    split: str
    steps: list[StepRow]
    progress: Progress


# Made a thousand at a time, so by position: three times as fast as by name.
class SampleRow(RowScalars):
    """A sample's scalars: those of `fields.RowScalars`, its address and its run."""

    run: str = ""
    address: str = ""
    metrics: dict[str, float | None] = {}
    rewards: dict[str, float | None] = {}
    nonfinite: dict[str, str] = {}
    prompt_start: Annotated[str | None, Meta(description="The starts of its texts; only when asked for.")] = None
    response_start: str | None = None
    features: Annotated[
        dict[str, Any], Meta(description="What is computed from its texts, by name; only those asked for that it has.")
    ] = {}


class SamplePage(Struct, kw_only=True):
    total: int
    offset: int
    rows: list[SampleRow]
    progress: Annotated[Progress, Meta(description="Not done: the list holds what has been read so far.")]


class GroupRow(Struct, kw_only=True):
    """A group and, column by column, its samples' values (for the dots), in the samples' order."""

    step: int
    group: int | str | None
    env: str | None
    prompt_start: str | None
    samples: Annotated[list[int], Meta(description="The samples' addresses' last number, sorted as asked.")]
    values: dict[str, list[float | None]]
    discard_reasons: list[str | None]
    statuses: list[str | None]
    reward_mean: Annotated[
        float | None,
        Meta(description="Over all samples of the group, whatever the filter left of it; so is its spread."),
    ]
    reward_spread: float | None


class GroupPage(Struct, kw_only=True):
    split: str
    step: Annotated[int | None, Meta(description="The step asked for; null where the list goes over several.")]
    total_groups: int
    total_samples: int
    offset: int
    rows: list[GroupRow]
    observed: Annotated[
        dict[str, tuple[float, float]],
        Meta(description="Observed (min, max) of each asked column over the whole step, for colours."),
    ]
    progress: Progress


class InsightCommand(Struct, kw_only=True):
    """A page of insights as a command line."""

    command: str


class ListCommands(Struct, kw_only=True):
    """A list of samples as a command line and as Python."""

    command: str
    python: str


class StepCounts(Struct, kw_only=True):
    """How many samples of each step match a filter: three columns of one length, and their sums."""

    split: str
    steps: list[int]
    samples: list[int]
    matching: list[int]
    total: int
    total_matching: int
    progress: Progress


#: More points than this cannot be distinguished on a plot, and would be many megabytes.
MAX_POINTS = 100_000


class ScatterPoints(Struct, kw_only=True):
    """Two fields of many samples: columns of one length, one entry a sample that has a number for both."""

    split: str
    x: Annotated[str, Meta(description="The field that the first number is of.")]
    y: str
    xs: list[float]
    ys: list[float]
    steps: list[int]
    indexes: list[int]
    env_codes: Annotated[list[int], Meta(description="Places in `envs`.")]
    envs: Annotated[list[str | None], Meta(description="Environments; null stands for samples without one.")]
    total: Annotated[int, Meta(description="Samples that match.")]
    placed: Annotated[
        int, Meta(description="Those of them with a finite number for both; given are as many as asked for.")
    ]
    without_x: int
    without_y: int
    progress: Progress


class Neighbours(Struct, kw_only=True):
    """What lies around a sample, in the order and under the filter of its list. Null where there is nothing."""

    previous: str | None
    next: str | None
    previous_group: str | None
    next_group: str | None
    previous_step: str | None
    next_step: str | None
    position: Annotated[
        int | None, Meta(description="0-based place in the list; null when the filter leaves the sample out.")
    ]
    total: int
    group_place: Annotated[
        int | None, Meta(description="In a list of groups over several steps: its group's 0-based place in it.")
    ] = None
    place_in_group: int | None = None
    group_samples: int | None = None


class SeriesInfo(Struct, kw_only=True):
    """One entry of the metric catalog."""

    name: str
    section: str
    group: str
    metric: str
    origin: Literal["logged", "derived"]
    points: int
    constant: Annotated[bool, Meta(description="It has several points, all finite and all the same.")]
    field: Annotated[
        str | None, Meta(description="For derived series with a distribution: the field to ask `distribution` for.")
    ] = None
    split: str | None = None


class Series(Struct, kw_only=True):
    name: str
    section: str
    group: str
    points: Annotated[
        list[tuple[float, float | None]],
        Meta(description="[step, value]; a value that is not finite is null and named in `nonfinite` by its position."),
    ]
    times: Annotated[
        list[float | None],
        Meta(description="Wall-clock seconds since the epoch of each point, where the source has them, else empty."),
    ]
    nonfinite: dict[str, str]


class SeriesColumns(Struct, kw_only=True):
    """A series as columns of one length: ten thousand points are read three times as fast as as many pairs."""

    name: str
    steps: list[int]
    values: Annotated[
        list[float | None],
        Meta(description="A value that is not finite is null and named in `nonfinite` by its position."),
    ]
    times: Annotated[
        list[float | None],
        Meta(description="Wall-clock seconds since the epoch, where the source has them, else empty."),
    ]
    nonfinite: dict[str, str]


class Distribution(Struct, kw_only=True):
    """How one field is spread in each step: ``counts[i][b]`` samples of step i lie in bin b."""

    field: str
    split: str
    steps: list[int]
    edges: list[float]
    counts: list[list[float]]
    exact: Annotated[
        bool,
        Meta(
            description="Every sample was counted, a bin with its lower edge. False for a run of more than a million "
            "samples: each step's own histogram is spread over these bins."
        ),
    ]


class Hit(Struct, kw_only=True):
    run: str
    address: str
    field: str
    start: Annotated[int, Meta(description="Characters in that field's text.")]
    end: int
    snippet: str
    snippet_start: Annotated[int, Meta(description="Where the match lies inside the snippet.")]
    snippet_end: int
    env: str | None = None
    reward: Annotated[float | None, Meta(description="Null where it is missing or not finite.")] = None
    discard_reason: str | None = None


class SqlResult(Struct, kw_only=True):
    columns: list[str]
    rows: list[list[Any]]
    truncated_at: Annotated[int | None, Meta(description="The limit that cut the result, or null.")]
    nonfinite: Annotated[
        dict[str, str],
        Meta(description='Values that JSON has no word for, by row (from 0) and column: `{"3.reward": "NaN"}`.'),
    ] = {}


class DoctorReport(Struct, kw_only=True):
    run: str
    path: str
    format: str
    confidence: float
    reasons: list[str]
    others: Annotated[list[str], Meta(description="Formats that also recognised something, and how sure they were.")]
    splits: list[SplitInfo]
    limits: list[str]
    skipped: list[Skipped]
    skipped_total: int
    unclaimed: list[str]
    unclaimed_total: int
    warnings: list[str]


class CacheStats(Struct, kw_only=True):
    entries: int
    memory_mb: float
    max_memory_mb: float
    max_entries: int
    hits: int
    misses: int
    evictions: int
