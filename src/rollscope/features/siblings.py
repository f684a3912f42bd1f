"""A sample against the others of its group: the same text again, or nearly the same.

Each text is reduced to a sketch: a hash of its words, and for each of 32 parts of the space of 3-gram hashes the smallest
one that it has. Of two texts, the share of parts in which these agree estimates the Jaccard similarity of their 3-grams
(one-permutation MinHash; its standard error at 0.8 is 0.07).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rollscope.features.base import GroupFeature, SampleTexts
from rollscope.features.batches.text_batch import TextBatch
from rollscope.features.batches.text_scan import Seen, compare_groups
from rollscope.features.batches.words import EMPTY, PARTS

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


def _copies_sketches(batch: TextBatch) -> list[bytes | None]:
    return _sketches(batch, batch.column(Seen.DIGEST)[:, None].copy().view(np.uint8))


def _similar_sketches(batch: TextBatch) -> list[bytes | None]:
    digests = batch.column(Seen.DIGEST)[:, None].copy().view(np.uint32)
    return _sketches(batch, np.hstack((digests, batch.scan.sketches)).view(np.uint8))


def _sketches(batch: TextBatch, rows: NDArray[np.uint8]) -> list[bytes | None]:
    joined, size = rows.tobytes(), rows.shape[1]
    return [
        None if texts.response is None else joined[place * size : (place + 1) * size]
        for place, texts in enumerate(batch.texts)
    ]


def copies(sketches: Sequence[bytes | None]) -> list[int | None]:
    counts = Counter(sketches)
    return [None if sketch is None else counts[sketch] - 1 for sketch in sketches]


def similar(sketches: Sequence[bytes | None]) -> list[float | None]:
    """The greatest similarity to another one; missing of a sample that is alone."""
    return _of_known(sketches, 2, lambda joined: _compared(joined)[0])


def alike(sketches: Sequence[bytes | None]) -> list[float | None]:
    """Which share of the group is the same or nearly the same, itself counted; missing in groups of fewer than three."""
    return _of_known(sketches, 3, lambda joined: _compared(joined)[1])


def _similar_of(groups: Sequence[Sequence[bytes | None]]) -> list[list[float | None]]:
    return _of_many(groups, 0, similar)


def _alike_of(groups: Sequence[Sequence[bytes | None]]) -> list[list[float | None]]:
    return _of_many(groups, 1, alike)


def _of_many(
    groups: Sequence[Sequence[bytes | None]],
    which: int,
    combine: Callable[[Sequence[bytes | None]], list[float | None]],
) -> list[list[float | None]]:
    """Groups of the same size at once."""
    found: list[list[float | None]] = [[]] * len(groups)
    sizes: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        if 3 <= len(group) <= _SMALL and None not in group:
            sizes.setdefault(len(group), []).append(place)
        else:
            found[place] = combine(group)
    for size, places in sizes.items():
        some = max(1, _PAIRS // size**2)
        for start in range(0, len(places), some):
            chosen = places[start : start + some]
            joined = b"".join(sketch for place in chosen for sketch in groups[place] if sketch is not None)
            values = _compared_groups(joined, size)[which]
            for number, place in enumerate(chosen):
                found[place] = list(values[number * size : (number + 1) * size])
    return found


@lru_cache(maxsize=8)  # two features ask for the same groups, one after the other
def _compared_groups(joined: bytes, size: int) -> tuple[list[float], list[float]]:
    """As `_compared`, of many groups of this size."""
    if (found := compare_groups(joined, size, NEARLY)) is not None:
        return found[0].tolist(), ((found[1] + 1) / size).tolist()
    rows = np.frombuffer(joined, dtype=np.uint32).reshape(-1, size, PARTS + 2)
    share = _small_shares(rows[:, :, :2], rows[:, :, 2:])
    near = (share >= NEARLY).sum(axis=2)
    return share.max(axis=2).ravel().tolist(), ((near + 1) / size).ravel().tolist()


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
