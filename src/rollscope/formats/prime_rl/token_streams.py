"""Values per token that were annotated later: one stream per branch, as long as the branch's tokens, null where unknown."""

from __future__ import annotations

from typing import Any

from rollscope.formats.prime_rl.sample import graph, main_path, trace_of
from rollscope.model import Sample

_FIELDS = {
    "advantages": "advantage",
    "trainer_logprobs": "trainer_logprobs",
    "reference_logprobs": "reference_logprobs",
    "entropies": "entropy",
}


def add_streams(sample: Sample, record: dict[str, Any], member: str, annotations: list[dict[str, Any]]) -> None:
    """Fill the sample's token arrays from these annotations. A message takes a stream only where it is covered whole."""
    tokens = sample.tokens
    if tokens is None:
        return
    trace = trace_of(record, member)
    nodes = graph(trace)
    calls = [call for call in trace.get("calls") or [] if isinstance(call, dict)]
    path = main_path(nodes, calls)
    masks = [[bool(flag) for flag in nodes[number].get("mask") or []] for number in path]
    before = sum(map(len, masks)) - len(tokens.ids)
    for item in annotations:
        branch = _branch(item, nodes, path, sum(map(len, masks)))
        for key, name in _FIELDS.items():
            values = _covered(branch.get(key), masks)
            if values is not None and any(value is not None for value in values[before:]):
                setattr(tokens, name, values[before:])
        left_out = branch.get("is_masked")
        if isinstance(left_out, list) and len(left_out) > before:
            gone = [*left_out[before:], *([None] * len(tokens.mask))]
            tokens.masked = [int(bool(item) and bool(flag)) for flag, item in zip(tokens.mask, gone)]


def _branch(item: dict[str, Any], nodes: list[dict[str, Any]], path: list[int], length: int) -> dict[str, Any]:
    """The stream of the branch that is shown: branches are numbered as the graph's leaves."""
    parents = {node.get("parent") for node in nodes}
    leaves = [number for number in range(len(nodes)) if number not in parents]
    branches = [branch for branch in item.get("branches") or [] if isinstance(branch, dict)]
    wanted = leaves.index(path[-1]) if path and path[-1] in leaves else 0
    named = [branch for branch in branches if branch.get("index", 0) == wanted]
    fitting = [branch for branch in branches if any(_is_stream(value, length) for value in branch.values())]
    return (named or (fitting if len(branches) == 1 else []) or [{}])[0]


def _is_stream(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length


def _covered(values: Any, masks: list[list[bool]]) -> list[float | None] | None:
    """The stream with nothing where a message's sampled tokens are not all covered: it may end before the branch does."""
    if not isinstance(values, list):
        return None
    found: list[float | None] = []
    for mask in masks:
        part = values[len(found) : len(found) + len(mask)]
        whole = len(part) == len(mask) and all(value is not None for value, flag in zip(part, mask) if flag)
        found += [value if flag and whole else None for value, flag in zip(part, mask)] if whole else [None] * len(mask)
    return found
