"""Numbers that JSON has no word for: a line leaves them out and names them by their path, with their word."""

from __future__ import annotations

import math
from typing import Any

from rollscope.model import Sample, TokenArrays

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_TOTALS = ("reward", "advantage", "final_reward")


def restore(sample: Sample, named: Any) -> None:
    """Puts them back: `reward`, `metrics/kl`, `turns/0/reward`, `tokens/logprobs/7`."""
    for path, word in named.items() if isinstance(named, dict) else ():
        kind, _, name = path.partition("/")
        number = NOT_FINITE.get(str(word), math.nan)
        if name and kind in ("metrics", "rewards"):
            getattr(sample, kind)[name] = number
        elif kind == "turns":
            _set_in_turn(sample, name, number)
        elif kind == "tokens" and sample.tokens is not None:
            _set_in_tokens(sample.tokens, name, number)
        elif path in _TOTALS:
            setattr(sample, path, number)


def _set_in_turn(sample: Sample, path: str, number: float) -> None:
    """`2/reward` or `2/metrics/NAME`: of the turn that stands at this place."""
    place, _, name = path.partition("/")
    if place.isdecimal() and int(place) < len(sample.turns):
        turn = sample.turns[int(place)]
        if name == "reward":
            turn.reward = number
        elif name.startswith("metrics/"):
            turn.metrics = {**turn.metrics, name.removeprefix("metrics/"): number}


def _set_in_tokens(tokens: TokenArrays, path: str, number: float) -> None:
    """`logprobs/7`: of the token that stands at this place, which has no number there."""
    name, _, place = path.partition("/")
    values = getattr(tokens, name, None) if name in TokenArrays.__struct_fields__ else None
    if isinstance(values, list) and place.isdecimal() and int(place) < len(values) and values[int(place)] is None:
        values[int(place)] = number
