"""Rows of ``metrics.jsonl``: what the loop logs, and what follows from an iteration's samples, in the page's key names."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from rollscope.model import nonfinite_name
from rollscope.record.samples.schema import METRIC_ROW_KEYS, RolloutLine
from rollscope.record.samples.values import ABSENT, Complain, as_scalar, flat, plain

METRICS_FILE = "metrics.jsonl"
#: A group whose equal rewards are at least this is "all good", as the Tinker Cookbook counts.
GOOD_REWARD = 0.5


def flatten(metrics: Mapping[str, Any], complain: Complain) -> tuple[dict[str, Any], dict[str, str]]:
    """Metrics as JSON values, nested names joined with ``/``; and the names of those that are not finite."""
    row: dict[str, Any] = {}
    nonfinite: dict[str, str] = {}
    for name, value in flat(metrics):
        key = f"metric/{name}" if name in METRIC_ROW_KEYS else name
        scalar = value if type(value) is float else as_scalar(value)
        if type(scalar) is float:
            if math.isfinite(scalar):
                row[key] = scalar
            else:
                row[key] = None
                nonfinite[key] = str(nonfinite_name(scalar))
        elif scalar is ABSENT:
            row[key] = plain(value, complain, path=key, nonfinite=nonfinite)
        else:
            # bool as a number, so that a column of flags is a column of numbers
            row[key] = int(scalar) if type(scalar) is bool else scalar
    return row, nonfinite


def memory_size(values: Mapping[str, Any]) -> int:
    """About what flattened metrics take while they wait for the disk."""
    return 64 * len(values) + sum(len(value) for value in values.values() if type(value) is str)


def sample_metrics(lines: Iterable[RolloutLine]) -> dict[str, float]:
    """``env/all/…`` over all samples, discarded ones too, and ``env/<tag>/…`` where a tag or environment covers only
    some of them. A metric's mean is over the samples (or turns) that have it."""
    everything = list(lines)
    if not everything:
        return {}
    out = _section(everything)
    subsets: dict[str, list[RolloutLine]] = defaultdict(list)
    for line in everything:
        for tag in dict.fromkeys([*line.tags, *([line.env] if line.env else [])]):
            subsets[tag].append(line)
    result = {f"env/all/{name}": value for name, value in out.items()}
    for tag, subset in subsets.items():
        if len(subset) < len(everything):
            result |= {f"env/{tag}/{name}": value for name, value in _section(subset).items()}
    tokens, turns = _tokens(everything)
    if turns:
        result["ac_tokens_per_turn"] = tokens / turns
    return result


def _section(lines: list[RolloutLine]) -> dict[str, float]:
    collected: dict[str, list[float]] = defaultdict(list)
    for line in lines:
        _collect(line, collected)
    out = {name: sum(values) / len(values) for name, values in collected.items()}
    out["total_episodes"] = len(lines)
    turns = [line.num_turns for line in lines if line.num_turns is not None]
    if turns:
        out["total_turns"] = sum(turns)
        out["turns_per_episode"] = sum(turns) / len(turns)
    return out | _by_group(lines)


def _collect(line: RolloutLine, collected: dict[str, list[float]]) -> None:
    if line.reward is not None:
        collected["reward/total"].append(line.reward)
    for name, value in line.rewards.items():
        if name == "total" and line.reward is not None:
            continue  # it is the reward, which a mapping gives under this name: counted once
        collected[f"reward/{name}"].append(value)
    for name, value in line.metrics.items():
        collected[name].append(value)
    for turn in line.turns:
        for name, value in turn.metrics.items():
            if name not in line.metrics:
                collected[name].append(value)


def _by_group(lines: list[RolloutLine]) -> dict[str, float]:
    groups: dict[int | str, set[float]] = defaultdict(set)
    for line in lines:
        if line.reward is not None:
            groups[line.group].add(line.reward)
    if not groups:
        return {}
    constant = [next(iter(rewards)) for rewards in groups.values() if len(rewards) == 1]
    good = sum(reward >= GOOD_REWARD for reward in constant)
    return {
        "by_group/frac_mixed": 1 - len(constant) / len(groups),
        "by_group/frac_all_good": good / len(groups),
        "by_group/frac_all_bad": (len(constant) - good) / len(groups),
    }


def _tokens(lines: list[RolloutLine]) -> tuple[int, int]:
    counted = [line for line in lines if line.completion_tokens is not None and line.num_turns]
    return sum(line.completion_tokens or 0 for line in counted), sum(line.num_turns or 0 for line in counted)
