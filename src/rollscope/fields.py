"""The one table of a sample's fields.

Each field of the Structs below is a row of the table: its name and type, its title, what kind of value it is, where it is
shown, and one sentence about it. Index columns, answers, SQL columns, the words of the filter language, statistics and
what the command line, the terminal viewer and the page show are derived from it. To add a field, add a row here and read
it in the formats that have it.

This module is imported inside training loops, so it imports nothing but msgspec.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct

#: Columns in which trainers record whether an answer is right, the most reliable first. pass@k is computed from them.
VERDICTS = tuple(
    f"{kind}.{name}"
    for name in ("correct", "acc", "accuracy", "is_correct", "success", "solved", "passed", "answer")
    for kind in ("metrics", "rewards")
)
FieldType = Literal["number", "integer", "boolean", "string", "strings"]
#: score: more is better, or less is; signed: good above zero, bad below; amount: neither good nor bad; category: one of a
#: few words; text: read by people and searched; identity: says which sample it is.
FieldKind = Literal["score", "signed", "amount", "category", "text", "identity"]
#: head: always in view above an open sample; list: a column of lists; dots: a column of dots in lists of groups; details:
#: among everything known about a sample; folded: of the details, one that is shown only when asked for where there is
#: little room; charts: a curve over the steps.
ShownIn = Literal["head", "list", "dots", "details", "folded", "charts"]
#: stored: a column of the index; derived: computed from columns; text: read from the source file when it is asked for;
#: sample: known only when the sample is opened; noted: from people's notes, which are kept outside the run; feature:
#: computed from its texts.
Origin = Literal["stored", "derived", "text", "sample", "noted", "feature"]


class Field(Struct, frozen=True, kw_only=True):
    """One row of the table."""

    name: str
    type: FieldType
    title: str
    #: For narrow columns.
    short: str
    kind: FieldKind
    about: str
    shown: tuple[ShownIn, ...] = ()
    origin: Origin = "stored"

    @property
    def is_number(self) -> bool:
        return self.type in ("number", "integer")


def _row(title: str, about: str, kind: FieldKind, *shown: ShownIn, short: str = "", origin: Origin = "stored") -> Meta:
    extra = {"short": short or title.lower(), "kind": kind, "shown": shown, "origin": origin}
    return Meta(title=title, description=about, extra=extra)


class Scalars(Struct):
    """What may be known about any trainer's sample, in the order in which it is shown."""

    split: Annotated[str, _row("Split", "train, or eval/ and the name of the eval set.", "category", "details")] = (
        "train"
    )
    step: Annotated[int, _row("Step", "The training iteration it belongs to.", "identity", "head", "details")] = 0
    index: Annotated[
        int, _row("Sample", "Its position in its step, from 0.", "identity", "head", "details", short="n")
    ] = 0
    group: Annotated[
        int | str | None,
        _row("Group", "The samples of one step that share one prompt.", "identity", "head", "list", "details"),
    ] = None
    env: Annotated[
        str | None,
        _row(
            "Environment",
            "The environment that gave the prompt and the reward.",
            "category",
            "head",
            "list",
            "details",
            short="env",
        ),
    ] = None
    dataset: Annotated[str | None, _row("Dataset", "The dataset its prompt is from.", "category", "details")] = None
    tags: Annotated[list[str], _row("Tags", "Tags given by the trainer.", "category", "details")] = []
    reward: Annotated[
        float | None,
        _row("Reward", "The total reward.", "score", "head", "list", "dots", "details", "charts", short="rew"),
    ] = None
    final_reward: Annotated[
        float | None,
        _row(
            "Final reward", "The reward given at the end, without the rewards of turns.", "score", "details", "charts"
        ),
    ] = None
    advantage: Annotated[
        float | None,
        _row(
            "Advantage",
            "How much better than its group.",
            "signed",
            "head",
            "list",
            "dots",
            "details",
            "charts",
            short="adv",
        ),
    ] = None
    status: Annotated[
        str | None,
        _row("Status", "completed, truncated, aborted, failed or pending.", "category", "head", "list", "details"),
    ] = None
    stop_reason: Annotated[
        str | None, _row("Stop reason", "Why generation stopped, in the source's words.", "category", "details")
    ] = None
    discard_reason: Annotated[
        str | None,
        _row("Discard reason", "Why it was not trained on; missing if it was.", "category", "head", "list", "details"),
    ] = None
    prompt_tokens: Annotated[
        int | None,
        _row("Prompt tokens", "Tokens in the prompt.", "amount", "head", "list", "details", "charts", short="prm"),
    ] = None
    completion_tokens: Annotated[
        int | None,
        _row(
            "Completion tokens",
            "Tokens that the model wrote.",
            "amount",
            "head",
            "list",
            "dots",
            "details",
            "charts",
            short="tok",
        ),
    ] = None
    total_tokens: Annotated[
        int | None,
        _row("Total tokens", "Tokens in the whole sample.", "amount", "head", "list", "details", "charts", short="tot"),
    ] = None
    sampling_step: Annotated[
        int | None, _row("Sampling step", "The step of the weights that sampled it.", "amount", "details")
    ] = None
    staleness: Annotated[
        int | None,
        _row("Staleness", "Its step minus its sampling step.", "amount", "head", "details", "charts", short="stale"),
    ] = None
    attempt: Annotated[
        int,
        _row(
            "Attempt", "Which attempt at the run wrote it, from 0; the newest is shown.", "amount", "details", "folded"
        ),
    ] = 0
    prompt_id: Annotated[
        str | None,
        _row("Prompt id", "The prompt's name across steps.", "identity", "details", "folded", origin="sample"),
    ] = None


class RowScalars(Scalars):
    """What a row of a list has in addition: numbers that summarise a sample's texts and turns."""

    turns: Annotated[int | None, _row("Turns", "How often the model answered.", "amount", "details", "charts")] = None
    response_bytes: Annotated[
        int | None,
        _row("Response bytes", "Size of the response in the file.", "amount", "charts", short="bytes"),
    ] = None


class Space(Struct, frozen=True, kw_only=True):
    """Fields whose names come from the run, after a prefix and a dot: `metrics.correct`."""

    prefix: str
    title: str
    about: str


SPACES: dict[str, Space] = {
    "metrics": Space(prefix="metrics.", title="Metrics", about="Numbers about the sample, under the trainer's names."),
    "rewards": Space(prefix="rewards.", title="Reward components", about="The components of the reward, by name."),
}
#: Features (computed from a sample's texts and tokens) have a prefix too: `text.loop`. See `features`.
FEATURE_SPACES = ("text", "token")
#: What the names of such columns start with.
SPACE_PREFIXES = tuple(space.prefix for space in SPACES.values())
FEATURE_PREFIXES = tuple(f"{space}." for space in FEATURE_SPACES)


def _text(name: str, title: str, about: str) -> Field:
    return Field(name=name, type="string", title=title, short=title.lower(), kind="text", about=about, origin="text")


_OTHERS = (
    Field(
        name="address",
        type="string",
        title="Address",
        short="address",
        kind="identity",
        about="Its permanent name in the run: split/step/n.",
        shown=("list", "details"),
        origin="derived",
    ),
    Field(
        name="discarded",
        type="boolean",
        title="Discarded",
        short="discarded",
        kind="category",
        about="It was generated but not trained on.",
        origin="derived",
    ),
    Field(
        name="reward_spread",
        type="number",
        title="Reward spread",
        short="spread",
        kind="amount",
        about="Standard deviation of the rewards of its group, kept and discarded samples apart; 0 if all are equal. "
        "Missing if fewer than two are known.",
        origin="derived",
    ),
    Field(
        name="label",
        type="strings",
        title="Labels",
        short="label",
        kind="category",
        about="Labels given by people.",
        origin="noted",
    ),
    Field(
        name="rating",
        type="integer",
        title="Rating",
        short="rating",
        kind="score",
        about="The newest rating given by somebody, 1 to 5.",
        origin="noted",
    ),
    Field(
        name="noted",
        type="boolean",
        title="Noted",
        short="noted",
        kind="category",
        about="Somebody wrote a note on it.",
        origin="noted",
    ),
    _text("prompt", "Prompt", "What the model was given."),
    _text("response", "Response", "What the model wrote, and what tools and the environment replied."),
    _text("text", "Text", "Prompt, response and golden answers."),
    _text("golden", "Golden answers", "The reference answers."),
)

#: Other names for a field, accepted wherever fields are named.
ALIASES = {"n": "index"}

_TYPES: dict[Any, FieldType] = {float: "number", int: "integer", str: "string", bool: "boolean"}


def _type_of(annotation: Any) -> FieldType:
    if get_origin(annotation) is list:
        return "strings"
    members = [member for member in get_args(annotation) or (annotation,) if member is not type(None)]
    return "string" if str in members else _TYPES[members[0]]


def _rows_of(table: type[Struct]) -> tuple[Field, ...]:
    rows = []
    hints = get_type_hints(table, include_extras=True)
    for name in table.__struct_fields__:
        annotation, meta = get_args(hints[name])
        rows.append(
            Field(
                name=name,
                type=_type_of(annotation),
                title=meta.title,
                about=meta.description,
                short=meta.extra["short"],
                kind=meta.extra["kind"],
                shown=meta.extra["shown"],
                origin=meta.extra["origin"],
            )
        )
    return tuple(rows)


FIELDS: tuple[Field, ...] = (*_rows_of(RowScalars), *_OTHERS)
BY_NAME: dict[str, Field] = {field.name: field for field in FIELDS}
#: Fields that are columns of the index.
STORED: tuple[Field, ...] = tuple(field for field in FIELDS if field.origin == "stored")
#: Those that may be fractions, and so infinite or no number at all.
FLOATS: tuple[str, ...] = tuple(field.name for field in STORED if field.type == "number")
#: Fields whose text is in the source files and not in the index.
TEXT_FIELDS: tuple[str, ...] = tuple(field.name for field in FIELDS if field.origin == "text")

#: Fields that come from people's notes.
NOTED: tuple[Field, ...] = tuple(field for field in FIELDS if field.origin == "noted")


#: Fields whose empty text counts as missing everywhere: `"status": ""` is no status.
EMPTY_IS_MISSING = frozenset(field.name for field in STORED if field.type == "string") - {"split", "group"}


def shown_in(place: ShownIn) -> tuple[Field, ...]:
    """The fields shown in this place, in the table's order."""
    return tuple(field for field in FIELDS if place in field.shown)


#: The columns of dots that lists of groups have unless a person chooses others.
DOT_COLUMNS: tuple[str, ...] = tuple(field.name for field in shown_in("dots"))


def is_charted(name: str) -> bool:
    """Whether this column has statistics for every step."""
    return name.startswith((*SPACE_PREFIXES, *FEATURE_PREFIXES)) or (
        name in BY_NAME and "charts" in BY_NAME[name].shown
    )
