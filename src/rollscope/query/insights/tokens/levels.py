"""How unusual a token's value is: by what it means and not by the values beside it, so that a colour always says the same."""

from __future__ import annotations

from bisect import bisect_right
from math import log

from rollscope.query.insights.tokens.values import TokenValues

#: Values a viewer can colour by, in the order in which they are offered.
COLUMNS = ("ratio", "logprobs", "entropy", "reference_kl", "advantage", "mask")
#: From these on a value is one level more unusual; beyond the last it is an outlier. Of what `_strangeness` makes of it.
BOUNDS: dict[str, tuple[float, ...]] = {
    "ratio": (0.05, 0.2, log(1.5), log(2)),
    "logprobs": (-log(0.5), -log(0.2), -log(0.05), -log(0.01)),
    "entropy": (0.5, 1.0, 1.6, log(10)),
    "reference_kl": (0.01, 0.1, 0.5, 1.0),
}


def columns_of(tokens: TokenValues) -> list[str]:
    """The values that this sample can be coloured by."""
    return [name for name in COLUMNS if getattr(tokens, name)]


def level(column: str, value: float | None) -> int:
    """0: as expected, to 4: an outlier. Of an advantage 1 where it is above 0, -1 below; of a mask -1 where left out."""
    if value is None:
        return 0
    if column == "advantage":
        return (value > 0) - (value < 0)
    if column == "mask":
        return 0 if value else -1
    return bisect_right(BOUNDS[column], _strangeness(column, value))


def _strangeness(column: str, value: float) -> float:
    if column == "ratio":
        return abs(log(value)) if value > 0 else float("inf")
    return -value if column == "logprobs" else value


def outliers(tokens: TokenValues, column: str) -> list[int]:
    """The tokens that the `next outlier` key stops at: of an advantage and a mask, where it changes."""
    if column in tokens.outliers:
        return tokens.outliers[column]
    values = getattr(tokens, column)
    if column in BOUNDS:
        return [place for place, value in enumerate(values) if level(column, value) == len(BOUNDS[column])]
    return [place for place in range(1, len(values)) if values[place] != values[place - 1]]
