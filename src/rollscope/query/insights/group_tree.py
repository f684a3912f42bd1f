"""Texts that begin alike, as a tree: what they share stands once, and where they part it forks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from msgspec import Meta, Struct

from rollscope.query.insights.statistics import mean_of
from rollscope.query.insights.words import split_words


class TreeNode(Struct, kw_only=True):
    """A stretch that all its samples have at the same place. Its children are what follows, by their first word."""

    parent: Annotated[int | None, Meta(description="Its place in `nodes`; null for the root.")]
    children: list[int]
    start: Annotated[
        int, Meta(description="Where the stretch begins in the text of each of its samples, in characters.")
    ]
    text: str
    words: int
    samples: Annotated[list[int], Meta(description="Places in `samples` of those that run through here.")]
    ended: Annotated[list[int], Meta(description="Those of them whose text ends here.")]
    reward_mean: Annotated[float | None, Meta(description="Of its samples that have a finite reward.")]
    parting: Annotated[
        float | None,
        Meta(
            description="At a fork: greatest minus smallest mean reward of what follows. Null where fewer than two have one."
        ),
    ]


class Tree(Struct, kw_only=True):
    nodes: Annotated[list[TreeNode], Meta(description="The root first, and every node after its parent.")]
    parts_most: Annotated[
        int | None,
        Meta(
            description="The fork with the greatest `parting`; of several the one with most samples, then the first. "
            "Null where rewards part nowhere."
        ),
    ]


def build_tree(texts: Sequence[str], rewards: Sequence[float | None]) -> Tree:
    """A text that ends where others go on is a way of its own at that fork: it counts in the fork's rewards."""
    words = [split_words(text) for text in texts]
    # Sorted, texts that begin alike are neighbours, and all of a range begin as far alike as its least alike neighbours.
    order = sorted(range(len(texts)), key=lambda member: words[member])
    alike = [_common_start(words[one], words[other]) for one, other in pairwise(order)]
    nodes: list[TreeNode] = []
    waiting: list[tuple[int | None, int, int, int, int]] = [(None, 0, len(order), 0, 0)] if order else []
    while waiting:
        parent, low, high, depth, chars = waiting.pop()
        end = min(alike[low : high - 1], default=len(words[order[low]]))
        shared = "".join(words[order[low]][depth:end])
        ways, ended = _ways(order, alike, low, high, [len(words[member]) == end for member in order[low:high]], end)
        if parent is not None:
            nodes[parent].children.append(len(nodes))
        # The last put down is taken up first: turned around, so that children stand in their samples' order.
        waiting += [(len(nodes), start, stop, end, chars + len(shared)) for start, stop in reversed(ways)]
        members = sorted(order[low:high])
        nodes.append(
            TreeNode(
                parent=parent,
                children=[],
                start=chars,
                text=shared,
                words=end - depth,
                samples=members,
                ended=ended,
                reward_mean=_mean(rewards, members),
                parting=_parting(rewards, [*(order[start:stop] for start, stop in ways), ended]),
            )
        )
    return Tree(nodes=nodes, parts_most=_parts_most(nodes))


def _ways(
    order: list[int], alike: list[int], low: int, high: int, has_ended: list[bool], end: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """The ranges of `order` that follow a fork, by their first sample, and the samples that end at it."""
    cuts = [low, *(place + 1 for place in range(low, high - 1) if alike[place] == end), high]
    ended = sorted(member for member, over in zip(order[low:high], has_ended) if over)
    ways = [(start, stop) for start, stop in pairwise(cuts) if not has_ended[start - low]]
    return sorted(ways, key=lambda way: min(order[way[0] : way[1]])), ended


def _common_start(one: list[str], other: list[str]) -> int:
    """How many words the two begin with alike. By halving: slices are compared at the speed of memory."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _mean(rewards: Sequence[float | None], members: Sequence[int]) -> float | None:
    return mean_of([value for member in members if (value := rewards[member]) is not None and math.isfinite(value)])


def _parting(rewards: Sequence[float | None], following: list[list[int]]) -> float | None:
    means = [mean for way in following if (mean := _mean(rewards, way)) is not None]
    return max(means) - min(means) if len(means) > 1 else None


def _parts_most(nodes: list[TreeNode]) -> int | None:
    forks = [(node.parting, len(node.samples), -place) for place, node in enumerate(nodes) if node.parting]
    return -max(forks)[2] if forks else None
