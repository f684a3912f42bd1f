"""A sample against the others of its group: the same text again, or nearly the same.

Each text is reduced to a sketch: a hash of its words, and for each of 32 parts of the space of 3-gram hashes the smallest
one that it has. Of two texts, the share of parts in which these agree estimates the Jaccard similarity of their 3-grams
(one-permutation MinHash; its standard error at 0.8 is 0.07).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollscope.features.base import GroupFeature, GroupSketches, SampleTexts
from rollscope.features.batches.text_batch import TextBatch
from rollscope.features.batches.text_scan import Seen, compare_groups
from rollscope.features.batches.words import EMPTY, PARTS

Sketches = Sequence[bytes | None] | NDArray[np.uint8]

#: From this similarity on two texts are nearly the same. A word in twenty that differs changes three sequences of three: then
#: three quarters of all agree, estimated give or take 0.08.
NEARLY = 0.65
#: Pairs compared at once: memory stays flat for groups of thousands.
_BLOCK = 256
#: Groups up to this size are compared in one go.
_SMALL = 64
#: Small groups of one size are compared together, about so many pairs at once.
_PAIRS = 65_536


def copies_sketch(texts: SampleTexts) -> bytes | None:
    return None if texts.response is None else texts.stats.digest


def similar_sketch(texts: SampleTexts) -> bytes | None:
    return None if texts.response is None else texts.stats.digest + texts.stats.sketch


def _copies_sketches(batch: TextBatch) -> Sketches:
    return _sketches(batch, batch.column(Seen.DIGEST)[:, None].copy().view(np.uint8))


def _similar_sketches(batch: TextBatch) -> Sketches:
    digests = batch.column(Seen.DIGEST)[:, None].copy().view(np.uint32)
    return _sketches(batch, np.hstack((digests, batch.scan.sketches)).view(np.uint8))


def _sketches(batch: TextBatch, rows: NDArray[np.uint8]) -> Sketches:
    if not batch.some_missing:
        return rows
    return [None if texts.response is None else row.tobytes() for texts, row in zip(batch.texts, rows)]


def copies(sketches: Sequence[bytes | None]) -> list[int | None]:
    counts = Counter(sketches)
    return [None if sketch is None else counts[sketch] - 1 for sketch in sketches]


def similar(sketches: Sequence[bytes | None]) -> list[float | None]:
    """The greatest similarity to another one; missing of a sample that is alone."""
    return _of_known(sketches, 2, lambda joined: _compared(joined)[0])


def alike(sketches: Sequence[bytes | None]) -> list[float | None]:
    """Which share of the group is the same or nearly the same, itself counted; missing in groups of fewer than three."""
    return _of_known(sketches, 3, lambda joined: _compared(joined)[1])


def _copies_of(groups: GroupSketches) -> NDArray[np.int64]:
    digests = groups.rows.view(np.uint64)[:, 0]
    group = np.repeat(np.arange(len(groups.starts) - 1), np.diff(groups.starts))
    order = np.lexsort((digests, group))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (digests[order][1:] != digests[order][:-1]) | (group[order][1:] != group[order][:-1])
    number = np.cumsum(new) - 1
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.bincount(number)[number] - 1
    return found


def _similar_of(groups: GroupSketches) -> NDArray[np.float64]:
    best, _, sizes = _compared_groups(groups)
    return np.where(sizes < 2, np.nan, best)


def _alike_of(groups: GroupSketches) -> NDArray[np.float64]:
    _, near, sizes = _compared_groups(groups)
    return np.where(sizes < 3, np.nan, near)


class _Compared(NamedTuple):
    """Greatest similarity to another one, share that is nearly the same, and the size of its group, of each sketch."""

    best: NDArray[np.float64]
    near: NDArray[np.float64]
    sizes: NDArray[np.int64]


#: Two features ask for the same groups, one after the other.
_last: tuple[GroupSketches, _Compared] | None = None


def _compared_groups(groups: GroupSketches) -> _Compared:
    global _last  # noqa: PLW0603  # whoever asks for other groups at the same time computes again
    last = _last
    if last is None or last[0] is not groups:
        last = _last = (groups, _compare_groups(groups))
    return last[1]


def _compare_groups(groups: GroupSketches) -> _Compared:
    sizes = np.diff(groups.starts)
    of_row = np.repeat(sizes, sizes)
    if (found := compare_groups(groups.rows, groups.starts, NEARLY)) is not None:
        return _Compared(found[0], (found[1] + 1) / of_row, of_row)
    best, near = np.zeros(len(of_row)), np.zeros(len(of_row))
    for size in np.unique(sizes).tolist():
        first = groups.starts[:-1][sizes == size]
        some = max(1, _PAIRS // size**2) if size <= _SMALL else 1
        for start in range(0, len(first), some):
            rows = (first[start : start + some, None] + np.arange(size)).ravel()
            best[rows], near[rows] = _compared_alike(groups.rows[rows], size)
    return _Compared(best, near, of_row)


def _compared_alike(sketches: NDArray[np.uint8], size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """As `_compared`, of groups of this size."""
    if size > _SMALL:
        best, near = _compared(sketches.tobytes())
        return np.array(best), np.array(near)
    rows = sketches.view(np.uint32).reshape(-1, size, PARTS + 2)
    share = _small_shares(rows[:, :, :2], rows[:, :, 2:])
    return share.max(axis=2).ravel(), ((share >= NEARLY).sum(axis=2) + 1).ravel() / size


def _of_known(
    sketches: Sequence[bytes | None], least: int, compare: Callable[[bytes], list[float]]
) -> list[float | None]:
    known = [sketch for sketch in sketches if sketch is not None]
    if len(known) < least:
        return [None] * len(sketches)
    values = compare(b"".join(known))
    if len(known) == len(sketches):
        return list(values)
    left = iter(values)
    return [None if sketch is None else next(left) for sketch in sketches]


@lru_cache(maxsize=1)  # two features ask for the same group, one after the other
def _compared(joined: bytes) -> tuple[list[float], list[float]]:
    """(greatest similarity to another one, share that is nearly the same) of each sketch."""
    rows = np.frombuffer(joined, dtype=np.uint32).reshape(-1, PARTS + 2)
    best, near = np.zeros(len(rows)), np.zeros(len(rows))
    for some, share in _shares(rows[:, :2], rows[:, 2:]):
        best[some] = share.max(axis=1)
        near[some] = (share >= NEARLY).sum(axis=1)
    return best.tolist(), ((near + 1) / len(rows)).tolist()


def _shares(hashes: NDArray[np.uint32], parts: NDArray[np.uint32]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """(some rows, their similarity to every row), block by block; −1 to themselves."""
    count = len(parts)
    filled = parts != EMPTY
    if count <= _SMALL:
        yield slice(0, count), _small_shares(hashes[None], parts[None])[0]
        return
    for start in range(0, count, _BLOCK):
        rows = slice(start, min(start + _BLOCK, count))
        agree = np.zeros((rows.stop - start, count), dtype=np.int16)
        either = np.zeros_like(agree)
        for part in range(PARTS):
            there = filled[rows, part][:, None] | filled[None, :, part]
            either += there
            agree += there & (parts[rows, part][:, None] == parts[None, :, part])
        share = agree / np.maximum(either, 1)
        # Texts of fewer than three words have no 3-grams: they are the same or they are not.
        share[(hashes[rows][:, None, :] == hashes[None, :, :]).all(axis=2)] = 1.0
        share[np.arange(rows.stop - start), np.arange(start, rows.stop)] = -1.0
        yield rows, share


def _small_shares(hashes: NDArray[np.uint32], parts: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Similarities within each of several groups of one size: group, row, row; −1 to themselves."""
    filled = parts != EMPTY
    agree = np.zeros((*parts.shape[:2], parts.shape[1]), dtype=np.int16)
    neither = np.zeros_like(agree)
    for part in range(PARTS):
        agree += parts[:, :, None, part] == parts[:, None, :, part]
        neither += ~(filled[:, :, None, part] | filled[:, None, :, part])
    # Parts that both have not are equal, and say nothing.
    share: NDArray[np.float64] = (agree - neither) / np.maximum(PARTS - neither, 1)
    share[(hashes[:, :, None, :] == hashes[:, None, :, :]).all(axis=3)] = 1.0
    own = np.arange(parts.shape[1])
    share[:, own, own] = -1.0
    return share


FEATURES = (
    GroupFeature(
        name="text.copies",
        type="integer",
        title="Copies",
        about="Other samples of its group with the same response, white space and case aside.",
        compute=copies_sketch,
        compute_batch=_copies_sketches,
        combine=copies,
        combine_groups=_copies_of,
        version=3,
    ),
    GroupFeature(
        name="text.similar",
        type="number",
        title="Similarity",
        short="similar",
        about="Greatest similarity (0 to 1, of 3-grams of words, estimated) to another response of its group.",
        compute=similar_sketch,
        compute_batch=_similar_sketches,
        combine=similar,
        combine_groups=_similar_of,
        version=3,
    ),
    GroupFeature(
        name="text.alike",
        type="number",
        title="Alike",
        about="Share of its group that has the same response or nearly (similarity from 0.65 on), itself counted.",
        compute=similar_sketch,
        combine=alike,
        combine_groups=_alike_of,
        version=5,
        sketch="text.similar",
    ),
)
