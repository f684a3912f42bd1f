"""What follows from the values that were recorded for each token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from rollscope.arrays import Floats
from rollscope.model import TOKEN_NUMBERS, TokenArrays, TopToken

TokenColumn = list[float | None]

#: The recorded columns, those of numbers first.
_RECORDED = (*TOKEN_NUMBERS, *(name for name in TokenArrays.__struct_fields__ if name not in TOKEN_NUMBERS))
#: What viewers call the numbers of a token, in the order in which they tell them: title, column.
COLUMN_TITLES = (
    ("sampler", "logprobs"),
    ("trainer", "trainer_logprobs"),
    ("reference", "reference_logprobs"),
    ("ratio", "ratio"),
    ("kl", "reference_kl"),
    ("entropy", "entropy"),
    ("advantage", "advantage"),
)


class TokenLine(Struct, kw_only=True, frozen=True):
    """A value beyond which a token is worth a look."""

    column: str
    value: float
    name: str
    about: str


#: The same for every run, so that a colour means the same everywhere.
LINES = (
    TokenLine(column="ratio", value=2.0, name="verl", about="verl cuts importance ratios here."),
    TokenLine(column="ratio", value=3.0, name="TRL", about="TRL cuts importance ratios here."),
    TokenLine(column="logprobs", value=log(0.01), name="1 in 100", about="The sampler gave it one chance in 100."),
    TokenLine(column="entropy", value=log(10), name="10 alike", about="As open as a choice between ten equal tokens."),
)


class TokenSummary(Struct, kw_only=True):
    """Of the tokens where the value is known."""

    known: int
    mean: float | None
    min: float | None
    max: float | None


class TokenValues(Struct, kw_only=True, omit_defaults=True):
    """Columns over the response's tokens; one that the source does not tell is empty, a value that it does not tell null."""

    count: int
    ids: list[int] = []
    strings: list[str] = []
    logprobs: Annotated[TokenColumn, Meta(description="What the sampler gave the token.")] = []
    trainer_logprobs: Annotated[TokenColumn, Meta(description="What the trainer's own forward pass gave it.")] = []
    reference_logprobs: Annotated[TokenColumn, Meta(description="What the reference model gave it.")] = []
    log_ratio: Annotated[
        TokenColumn, Meta(description="trainer_logprobs - logprobs. Null where the loss mask leaves the token out.")
    ] = []
    ratio: Annotated[TokenColumn, Meta(description="The importance ratio: e to the power of log_ratio.")] = []
    mismatch_kl: Annotated[
        TokenColumn, Meta(description="k3 of sampler and trainer: ratio - 1 - log_ratio. Null where not in the loss.")
    ] = []
    reference_kl: Annotated[
        TokenColumn,
        Meta(
            description="k3 to the reference: r - 1 - log r, r the reference's probability over the trainer's (the sampler's "
            "where the trainer's is not told). Null where not in the loss."
        ),
    ] = []
    entropy: TokenColumn = []
    advantage: TokenColumn = []
    mask: Annotated[list[int], Meta(description="1 where the token is one to train on.")] = []
    masked: Annotated[list[int], Meta(description="1 where the trainer left it out although its mask has it.")] = []
    versions: list[int | str] = []
    top: list[list[TopToken]] = []
    summary: Annotated[dict[str, TokenSummary], Meta(description="By column; `abs_log_ratio` too.")] = {}
    lines: list[TokenLine] = []
    outliers: Annotated[
        dict[str, list[int]],
        Meta(description="By column, the tokens beyond its first line; for `ratio` below 1/2 too. In their order."),
    ] = {}
    notes: list[str] = []


def token_values(tokens: TokenArrays) -> TokenValues:
    """The recorded columns and what follows from them. Columns of another length than most are left out, and that is said."""
    count, odd = _length(tokens)
    notes = [f"{name} has another length than the tokens and is left out." for name in odd]
    given = {name: getattr(tokens, name) for name in _RECORDED if name not in odd}
    found = TokenValues(count=count, notes=notes, **given)
    columns = derived(found)
    for name in ("log_ratio", "ratio", "mismatch_kl", "reference_kl"):
        setattr(found, name, _listed(columns[name]))
    for name, column in columns.items():
        if len(column):
            found.summary[name] = _summary(column)
    found.lines = [line for line in LINES if len(columns.get(line.column, ()))]
    found.outliers = _outliers(columns)
    return found


def derived(tokens: TokenArrays | TokenValues) -> dict[str, Floats]:
    """All columns of numbers as arrays, NaN where unknown; empty where the source has none."""
    columns = {name: _numbers(getattr(tokens, name)) for name in TOKEN_NUMBERS}
    sampler, trainer, reference = (columns[name] for name in ("logprobs", "trainer_logprobs", "reference_logprobs"))
    left_out = np.array(tokens.mask, dtype=np.int64) == 0
    none = np.zeros(0)

    def where_trained(column: Floats) -> Floats:
        if len(left_out) == len(column):
            column[left_out] = np.nan
        return column

    with np.errstate(over="ignore", invalid="ignore"):
        both = len(sampler) and len(sampler) == len(trainer)
        columns["log_ratio"] = where_trained(trainer - sampler) if both else none
        columns["ratio"] = np.exp(columns["log_ratio"])
        columns["mismatch_kl"] = _k3(columns["log_ratio"])
        policy = trainer if len(trainer) else sampler
        known = len(policy) and len(policy) == len(reference)
        columns["reference_kl"] = _k3(where_trained(reference - policy)) if known else none
    columns["abs_log_ratio"] = np.abs(columns["log_ratio"])
    return columns


def _k3(log_ratio: Floats) -> Floats:
    """Schulman's estimate of a divergence from one token: never below 0. expm1, since near 0 all digits would cancel."""
    divergence: Floats = np.expm1(log_ratio) - log_ratio
    return np.maximum(divergence, 0.0)


def _length(tokens: TokenArrays) -> tuple[int, list[str]]:
    lengths = {name: len(getattr(tokens, name)) for name in _RECORDED if getattr(tokens, name)}
    if not lengths:
        return 0, []
    count = Counter(lengths.values()).most_common(1)[0][0]
    return count, [name for name, length in lengths.items() if length != count]


def _numbers(values: Sequence[float | None]) -> Floats:
    """None as NaN: what numpy makes of it."""
    return np.array(values, dtype=np.float64)


def _listed(column: Floats) -> TokenColumn:
    values: TokenColumn = column.tolist()
    for place in np.flatnonzero(~np.isfinite(column)).tolist():
        values[place] = None
    return values


def _summary(column: Floats) -> TokenSummary:
    known = column[np.isfinite(column)]
    if not len(known):
        return TokenSummary(known=0, mean=None, min=None, max=None)
    return TokenSummary(known=len(known), mean=float(known.mean()), min=float(known.min()), max=float(known.max()))


def _outliers(columns: dict[str, Floats]) -> dict[str, list[int]]:
    bounds = {line.column: line.value for line in reversed(LINES)}
    with np.errstate(invalid="ignore"):
        beyond = {
            "ratio": (columns["ratio"] > bounds["ratio"]) | (columns["ratio"] < 1 / bounds["ratio"]),
            "logprobs": columns["logprobs"] < bounds["logprobs"],
            "entropy": columns["entropy"] > bounds["entropy"],
        }
    return {name: np.flatnonzero(places).tolist() for name, places in beyond.items() if len(columns[name])}
