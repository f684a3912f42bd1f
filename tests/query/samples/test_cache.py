"""Samples kept between requests."""

from __future__ import annotations

from pathlib import Path

from tests.runs import settle

import rollscope


def test_the_cache_counts_and_is_cleared(path: Path) -> None:
    run = rollscope.open(settle(path))
    for _ in range(3):
        run.sample_json("train/0/1")
    stats = run._cache.stats()
    assert (stats.hits, stats.misses, stats.entries) == (2, 1, 1)
    assert stats.memory_mb > 0
    run._cache.clear()
    assert run._cache.stats().entries == 0
