"""The central types: a sample and what it is made of. No I/O.

A missing value is ``None``, never 0. Text is kept exactly as the source has it: joining a message's parts gives back
the message. The same Structs are the Python API, the ``--json`` output and the HTTP answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta, Struct

from rollscope.fields import Scalars, shown_in

Status = Literal["completed", "truncated", "aborted", "failed", "pending"]
STATUSES: tuple[Status, ...] = ("completed", "truncated", "aborted", "failed", "pending")

PartType = Literal[
    "text",  # what was said
    "thinking",  # a reasoning block
    "tool_call",  # the model asks for a tool
    "tool_result",  # what the tool answered
    "tools",  # the list of tools offered in a system prompt
    "answer",  # text marked as the final answer
    "media",  # an image, sound or video: only a summary of it
    "pad",  # a run of image/audio pad tokens; `count` says how many
    "marker",  # a chat template's own control tokens
]

Scalar = float | int | str | bool | None


class Part(Struct, omit_defaults=True, kw_only=True):
    """A stretch of a message. ``text`` is the source text with its delimiters: the first ``lead`` and the last ``tail``
    characters are delimiters (``<think>``, ``</think>``), what lies between is the content."""

    type: PartType = "text"
    text: str = ""
    lead: int = 0
    tail: int = 0
    name: Annotated[
        str | None, Meta(description='A tool\'s name; for media its kind ("image"), for pads one of them.')
    ] = None
    id: Annotated[str | None, Meta(description="The id that pairs a tool call with its result.")] = None
    closed: Annotated[bool, Meta(description="False when a block was cut before its closing delimiter.")] = True
    count: Annotated[int, Meta(description="How many pad tokens this run stands for.")] = 0
    chars: Annotated[
        int,
        Meta(
            description="Characters of the whole text when `text` holds only a part of it (HTTP answers for very long texts)."
        ),
    ] = 0

    @property
    def content(self) -> str:
        return self.text[self.lead : len(self.text) - self.tail]


class Message(Struct, omit_defaults=True, kw_only=True):
    """One message. ``turn`` is the 0-based turn it belongs to; prompt messages have none."""

    role: str
    parts: list[Part] = []
    tokens: int | None = None
    turn: int | None = None
    name: str | None = None
    tool_call_id: str | None = None
    guessed: Annotated[bool, Meta(description="The role was read off bare text and may be wrong.")] = False
    trainable: bool | None = None

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


class Turn(Struct, omit_defaults=True, kw_only=True):
    """The numbers of one model response."""

    index: int
    reward: float | None = None
    metrics: dict[str, float] = {}
    logs: dict[str, Any] = {}
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    stop_reason: str | None = None
    timings: dict[str, float] = {}


class TopToken(Struct, omit_defaults=True, kw_only=True):
    """One of the likeliest tokens at a place."""

    token: Annotated[str, Meta(description="As text; of a source that has only ids, the id.")]
    logprob: float | None = None


class TokenArrays(Struct, omit_defaults=True, kw_only=True):
    """Per-token values of the response, all of one length."""

    ids: list[int] = []
    strings: list[str] = []
    logprobs: Annotated[list[float | None], Meta(description="What the sampler gave each token.")] = []
    trainer_logprobs: Annotated[
        list[float | None], Meta(description="What the trainer's own forward pass gave each token.")
    ] = []
    reference_logprobs: Annotated[
        list[float | None], Meta(description="What the reference model gave each token.")
    ] = []
    entropy: list[float | None] = []
    mask: Annotated[list[int], Meta(description="1 where the token is one to train on.")] = []
    masked: Annotated[
        list[int],
        Meta(description="1 where the trainer left a token out that its mask has: for its importance ratio, say."),
    ] = []
    advantage: list[float | None] = []
    versions: Annotated[list[int | str], Meta(description="The version of the weights that sampled each token.")] = []
    top: Annotated[
        list[list[TopToken]],
        Meta(description="The likeliest tokens at each place, the likeliest first; empty: unknown."),
    ] = []


#: The arrays of numbers that may be fractions.
TOKEN_NUMBERS: tuple[str, ...] = tuple(
    name for name, kind in get_type_hints(TokenArrays).items() if kind == list[float | None]
)


class Transcript(Struct, omit_defaults=True, kw_only=True):
    """A conversation of the group that could not be joined to one sample with certainty."""

    title: str
    messages: list[Message] = []


class Sample(Scalars, kw_only=True):
    """One rollout, whole. Its scalars are those of `fields.Scalars`."""

    address: str = ""
    messages: list[Message] = []
    rewards: dict[str, float] = {}
    metrics: dict[str, float] = {}
    golden_answers: dict[str, str] = {}
    turns: list[Turn] = []
    timings: dict[str, float] = {}
    tokens: TokenArrays | None = None
    nonfinite: Annotated[
        dict[str, str],
        Meta(
            description='Values that JSON has no word for, by field: `{"reward": "NaN"}`. The field itself is then null.'
        ),
    ] = {}
    notes: Annotated[
        list[str], Meta(description="What was guessed or could not be known about this sample, in sentences.")
    ] = []
    failing_turns: Annotated[
        dict[int, str],
        Meta(
            description="Turns (0-based) that went wrong, and why: by their numbers and logs, by a negative reward, or "
            "because a tool's answer begins like an error message, which is a guess."
        ),
    ] = {}
    unmatched: list[Transcript] = []
    source: Annotated[
        dict[str, Scalar], Meta(description="Where it lies: file, line (1-based) or member and row.")
    ] = {}
    record: Annotated[
        Any,
        Meta(
            description="The source record as it was. Bare NaN and lone surrogates, which JSON cannot hold, are shown as text."
        ),
    ] = None

    def __repr__(self) -> str:
        facts = {"reward": self.reward, "status": self.status, "discard_reason": self.discard_reason}
        known = "".join(f" {name}={value!r}" for name, value in facts.items() if value is not None)
        return f"<Sample {self.address!r}{known} messages={len(self.messages)}>"

    def _repr_html_(self) -> str:
        """As a notebook shows it: what came of it, its numbers, its messages."""
        from rollscope import notebook  # not in a training loop

        numbers = {
            **{field.name: getattr(self, field.name) for field in shown_in("head") if field.is_number},
            **{f"rewards.{name}": value for name, value in self.rewards.items()},
            **{f"metrics.{name}": value for name, value in self.metrics.items()},
            **{f"golden {name}": value for name, value in self.golden_answers.items()},
        }
        known = {name: value for name, value in numbers.items() if value is not None}
        messages = (notebook.text(message.role, message.text) for message in self.messages)
        return (
            notebook.title(
                self.address, *(getattr(self, field.name) for field in shown_in("head") if field.kind == "category")
            )
            + notebook.table(list(known), [list(known.values())])
            + "".join(messages)
        )


class Skipped(Struct, kw_only=True, frozen=True):
    """A piece of a file that holds no sample although it should. Bad data is a value, not an exception."""

    file: str
    line: int
    reason: str


#: How the reason of a line begins that is a sample only because something in it was put right.
REPAIRED = "repaired: "


def is_repair(reason: str) -> bool:
    return reason.startswith(REPAIRED)


class Range(Struct, omit_defaults=True, kw_only=True):
    """How a reward or metric ranges, and which end is good."""

    min: float | None = None
    max: float | None = None
    higher_is_better: bool = True
    origin: Annotated[
        Literal["declared", "observed"],
        Meta(description='"declared" in the run\'s config, or "observed" in its samples.'),
    ] = "declared"
    outliers: Annotated[
        int, Meta(description="Observed values that lie so far outside that the range leaves them out.")
    ] = 0


class Checkpoint(Struct, kw_only=True):
    """One line of a run's checkpoint list."""

    name: str
    step: int | None = None
    paths: dict[str, str] = {}
    state: dict[str, Any] = {}


#: The least and the greatest number of a column.
MIN_INT, MAX_INT = -(2**63), 2**63 - 1
#: Some 4,200 digits.
_MAX_STR_BITS = 14_000
#: Of a step or of a sample in it. More digits than this no column holds.
_NUMBER = re.compile(r"-?[0-9]{1,20}")
#: Floats hold every integer up to here, and of those beyond only some.
_LAST_EXACT = 2**53
TOTAL_KEYS = ("total", "score", "reward")


#: What each part of a reward has where they are a list.
_NAMED = frozenset({"name", "value"})


def split_reward(value: Any, declared_key: str | None = None) -> tuple[float | None, dict[str, float]]:
    """A reward as the source has it → (total, components). A dict's total is its declared key, else
    ``total``/``score``/``reward``, else none. A list was given out over tokens or turns: its sum."""
    if isinstance(value, Mapping):
        parts = dict(numbers(value))
        keys = (declared_key, *TOTAL_KEYS) if declared_key else TOTAL_KEYS
        return next((parts[key] for key in keys if key in parts), None), parts
    if isinstance(value, list) and value and all(isinstance(item, Mapping) and item.keys() >= _NAMED for item in value):
        return split_reward({str(item["name"]): item["value"] for item in value}, declared_key)
    if isinstance(value, list):
        given = [as_number(item) for item in value if not isinstance(item, str)]
        known = [number for number in given if number is not None]
        return (sum(known) if known and len(known) == len(value) else None), {}
    return as_number(value), {}


def as_number(value: Any) -> float | None:
    """A float for numbers and bools (and text that is a number, as some writers leave it), else None."""
    if isinstance(value, (bool, int, float)):
        try:
            number = float(value)
        except OverflowError:
            return None
        # An integer that no float holds exactly is a name or a time, and would be shown as another one.
        return number if number == value or isinstance(value, float) else None
    if isinstance(value, str):
        if value in ("True", "False", "true", "false"):
            return float(value in ("True", "true"))
        try:
            number = float(value)
            if abs(number) >= _LAST_EXACT and value.strip().removeprefix("-").isdecimal() and number != int(value):
                return None
        except (ValueError, OverflowError):
            return None
        # "1" and 400 zeros is not infinite, only longer than a float.
        return None if math.isinf(number) and "inf" not in value.lower() else number
    return None


def as_integer(value: Any) -> int | None:
    """A whole number that 64 bits hold, from a number or text that is one, else None."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value)
    elif type(value) is not int:
        number = as_number(value)
        if number is None or not number.is_integer():
            return None
        value = int(number)
    return value if MIN_INT <= value <= MAX_INT else None


def as_text(value: Any) -> str:
    """As the source wrote it, as far as that is known: a bare `Infinity` has the name that we use in all our JSON."""
    if type(value) is float:
        return nonfinite_name(value) or str(value)
    if type(value) is int and value.bit_length() > _MAX_STR_BITS:
        from decimal import Decimal  # Python writes no integer of more than 4,300 digits; this does

        return str(Decimal(value))
    return str(value)


def numbers(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, float]]:
    """The numeric leaves of a mapping, nested keys joined with ``/``. Text is left out."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from numbers(value, f"{prefix}{key}/")
        elif isinstance(value, (bool, int, float)) and (number := as_number(value)) is not None:
            yield f"{prefix}{key}", number


def nonfinite_name(value: float) -> str | None:
    """``"NaN"``, ``"Infinity"``, ``"-Infinity"``, or None for an ordinary number."""
    if math.isfinite(value):
        return None
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def address(split: str, step: int, index: int) -> str:
    return f"{split}/{step}/{index}"


def parse_address(text: str) -> tuple[str, int, int]:
    """``eval/aime24/40/3`` → ("eval/aime24", 40, 3). Raises ValueError with a sentence."""
    split, _, rest = text.strip("/").rpartition("/")
    split, _, step = split.rpartition("/")
    # Python would take `1_2`, ` 12` and digits of any script for numbers, too: one sample has one name.
    if split and _NUMBER.fullmatch(step) and _NUMBER.fullmatch(rest):
        return split, int(step), int(rest)
    shown = text if len(text) <= 200 else f"{text[:200]}…"
    raise ValueError(f"{shown!r} is no sample address: expected split/step/n, such as train/12/37")


encode_json = msgspec.json.Encoder(enc_hook=str).encode
