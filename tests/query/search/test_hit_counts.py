"""Samples with a hit, by step."""

from __future__ import annotations

from rollscope.query.answers import Hit
from rollscope.query.search.hit_counts import HitCounts


def test_a_sample_counts_once_however_many_hits_it_has() -> None:
    counts = HitCounts()
    for address in ("train/10/0", "train/2/1", "train/10/0", "train/10/3", "eval/a/2/1"):
        counts.add(
            Hit(run="r", address=address, field="prompt", start=0, end=1, snippet="x", snippet_start=0, snippet_end=1)
        )
    assert counts.hits == 5
    assert list(counts.by_step().items()) == [(2, 2), (10, 2)]
