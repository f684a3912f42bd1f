"""Answers to questions about samples, worked out one sample at a time from what a plain reader found."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from tests.differential.odd_runs import Plain

Test = Callable[[Plain], bool]
_VERDICTS = ("correct", "acc", "accuracy", "is_correct", "success", "solved", "passed", "answer")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_@^](?:[A-Za-z0-9_@^/.-]*[A-Za-z0-9_@^])?")


def fill_groups(samples: list[Plain]) -> None:
    """Where no id says it, equal prompts of a step are a group; its name is anything that no other group has."""
    for sample in samples:
        if "group" not in sample:
            sample["group"] = (sample["prompt"],)


def group_of(sample: Plain) -> tuple[Any, ...]:
    return (sample["split"], sample["step"], sample["group"])


# Filters


def any_filter(chance: random.Random, names: Sequence[str], depth: int = 2) -> tuple[str, Test]:
    """A filter as people write it, and the same as a function."""
    kind = chance.choice(["and", "or", "not", *["one"] * 3]) if depth else "one"
    if kind == "one":
        return _condition(chance, names)
    left, left_test = any_filter(chance, names, depth - 1)
    if kind == "not":
        return f"not ({left})", lambda sample: not left_test(sample)
    right, right_test = any_filter(chance, names, depth - 1)
    if kind == "and":
        return f"({left}) and ({right})", lambda sample: left_test(sample) and right_test(sample)
    return f"({left}) or ({right})", lambda sample: left_test(sample) or right_test(sample)


def field_word(name: str) -> str:
    """As a filter names it."""
    space, dot, member = name.partition(".")
    if not dot or _PLAIN_NAME.fullmatch(member):
        return name
    return f"{space}.{json.dumps(member, ensure_ascii=False)}"


def _condition(chance: random.Random, names: Sequence[str]) -> tuple[str, Test]:
    name = chance.choice(names)
    word = field_word(name)
    if name in ("prompt", "response"):
        said = chance.choice(["needle", "Q1", "é", "I cannot", "🙂", '"quoted"', "a\n", "x" * 20])
        fold = chance.random() < 0.3
        negated = chance.random() < 0.3
        verb = f"{'not ' if negated else ''}{'icontains' if fold else 'contains'}"
        return (
            f"{word} {verb} {json.dumps(said)}",
            lambda sample: (said.lower() in sample[name].lower() if fold else said in sample[name]) != negated,
        )
    state = chance.random()
    if state < 0.15:
        negated = chance.random() < 0.5
        return f"{word} is {'not ' if negated else ''}missing", lambda sample: (name not in sample) != negated
    if name in ("status", "env", "discard_reason", "stop_reason", "dataset"):
        value = chance.choice(["completed", "truncated", "Completed", "", "7", "e", "too long", "length"])
        sign = chance.choice(["=", "!=", "<", ">="])
        return f"{word} {sign} {json.dumps(value)}", lambda sample: name in sample and _holds(sample[name], sign, value)
    if state < 0.25:
        return f"{word} is nan", lambda sample: name in sample and sample[name] != sample[name]
    bound: float = chance.choice([0, 1, 0.5, -1, 1e-12, 1e200, 1e308, 2**53, 0.25])
    if state < 0.4:
        several = (bound, 0.5)
        negated = chance.random() < 0.5
        listed = f"{'not ' if negated else ''}in ({', '.join(map(repr, several))})"
        return f"{word} {listed}", lambda sample: _is_number(sample, name) and (sample[name] in several) != negated
    sign = chance.choice(["=", "!=", "<", "<=", ">", ">="])
    return f"{word} {sign} {bound!r}", lambda sample: _is_number(sample, name) and _holds(sample[name], sign, bound)


def _is_number(sample: Plain, name: str) -> bool:
    return name in sample and sample[name] == sample[name]


def _holds(value: Any, sign: str, bound: Any) -> bool:
    if sign in ("=", "!="):
        return bool((value == bound) == (sign == "="))
    if isinstance(value, str):
        value, bound = value.encode("utf-8", "surrogatepass"), bound.encode()
    return bool({"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound}[sign])


# Order


def in_order(samples: Iterable[Plain], name: str, *, descending: bool) -> list[Plain]:
    """NaN and what is missing last either way; what is equal stays as it was read."""
    known = [sample for sample in samples if name in sample and sample[name] == sample[name]]
    nan = [sample for sample in samples if name in sample and sample[name] != sample[name]]
    without = [sample for sample in samples if name not in sample]
    key: Callable[[Plain], Any] = lambda sample: sample[name]  # noqa: E731
    if known and isinstance(known[0][name], str):
        key = lambda sample: sample[name].encode("utf-8", "surrogatepass")  # noqa: E731
    known.sort(key=key)
    if descending:  # what is equal stays as it was
        known = sorted(known, key=key, reverse=True)
    return [*known, *nan, *without]


# Steps


def summary(values: Iterable[Any]) -> dict[str, Any]:
    """Of the finite ones, in whole fractions: nothing overflows and nothing is rounded before the end."""
    finite = [Fraction(value) for value in values if value is not None and math.isfinite(value)]
    if not finite:
        return {"count": 0, "mean": None, "std": None, "min": None, "max": None}
    mean = sum(finite, Fraction(0)) / len(finite)
    variance = sum(((value - mean) ** 2 for value in finite), Fraction(0)) / len(finite)
    return {
        "count": len(finite),
        "mean": float(mean),
        "std": root(variance),
        "min": float(min(finite)),
        "max": float(max(finite)),
    }


def size_of(found: dict[str, Any]) -> float:
    """The largest number that a summary is made of."""
    return float(max(abs(found["min"] or 0), abs(found["max"] or 0)))


def root(value: Fraction) -> float:
    """A square root that neither overflows nor vanishes on its way."""
    if value == 0:
        return 0.0
    shift = 600
    scaled = math.isqrt((value.numerator << 2 * shift) // value.denominator or 0)
    return float(Fraction(scaled, 1 << shift)) if scaled > 1 << 60 else math.sqrt(float(value))


def step_facts(samples: list[Plain]) -> dict[str, Any]:
    """Of one step's samples, kept and discarded."""
    kept = [sample for sample in samples if "discard_reason" not in sample]
    groups: dict[Any, list[Plain]] = {}
    for sample in samples:
        groups.setdefault(group_of(sample), []).append(sample)
    reasons = [sample["discard_reason"] for sample in samples if "discard_reason" in sample]
    rewards = [
        [r for s in group if (r := s.get("reward")) is not None and math.isfinite(r)] for group in groups.values()
    ]
    several = [values for values in rewards if len(values) > 1]
    stated = [sample["status"] for sample in kept if "status" in sample]
    return {
        "samples": len(kept),
        "discarded": len(samples) - len(kept),
        "groups": len(groups),
        "reward": summary(sample.get("reward") for sample in kept),
        "discard_reasons": {reason: reasons.count(reason) for reason in set(reasons)},
        "pass_at": pass_at(samples, list(groups.values())),
        "spread": float(sum(Fraction(summary(values)["std"]) for values in several) / len(several))
        if several
        else None,
        "zero_variance_pct": 100 * sum(map(_same, several)) / len(several) if several else None,
        "truncated_pct": 100 * stated.count("truncated") / len(stated) if stated else None,
    }


def _same(values: list[float]) -> bool:
    low, high = Fraction(min(values)), Fraction(max(values))
    return high - low <= Fraction(1, 10**9) * max(abs(low), abs(high))


def pass_at(samples: list[Plain], groups: list[list[Plain]]) -> dict[int, float]:
    usable = [
        name
        for verdict in _VERDICTS
        for name in (f"metrics.{verdict}", f"rewards.{verdict}")
        if all(not (sample[name] < 0 or sample[name] > 1) for sample in samples if name in sample)
    ]

    def verdict(sample: Plain) -> float | None:
        return next((sample[name] for name in usable if sample.get(name, math.nan) == sample.get(name, math.nan)), None)

    judged = {id(sample): value for sample in samples if (value := verdict(sample)) is not None}
    if not judged:
        rewards = [r for sample in samples if (r := sample.get("reward")) is not None and r == r]
        if all(reward in (0, 1) for reward in rewards):
            judged = {id(s): r for s in samples if (r := s.get("reward")) is not None and r == r}
    counts = [
        (len(known), sum(value > 0 for value in known))
        for group in groups
        if (known := [judged[id(s)] for s in group if id(s) in judged])
    ]
    found = {}
    k = 1
    while counts and k <= min(64, *(size for size, _ in counts)):
        chances = [1 - Fraction(math.comb(size - passed, k), math.comb(size, k)) for size, passed in counts]
        found[k] = float(sum(chances) / len(chances))
        k *= 2
    return found


def near(left: Any, right: Any, size: float = 0.0) -> bool:
    """The same but for the last digits of a float; of a mean, those of the largest number (`size`) that it is made of."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(near(left[name], right[name], size) for name in left)
    if isinstance(left, float) and isinstance(right, (int, float)):
        return left == right or math.isclose(left, right, rel_tol=1e-9, abs_tol=max(1e-320, 1e-14 * size))
    return bool(left == right)
