"""How many samples of each step have a hit, counted over all hits, however many of them are listed."""

from __future__ import annotations

from collections import Counter

from rollscope.model import parse_address
from rollscope.query.answers import Hit


class HitCounts:
    """A sample counts once, in however many of its texts it has a hit."""

    def __init__(self) -> None:
        self.hits = 0
        self._samples: set[str] = set()
        self._steps: Counter[int] = Counter()

    def add(self, hit: Hit) -> None:
        self.hits += 1
        if hit.address not in self._samples:
            self._samples.add(hit.address)
            self._steps[parse_address(hit.address)[1]] += 1

    def by_step(self) -> dict[int, int]:
        return dict(sorted(self._steps.items()))
