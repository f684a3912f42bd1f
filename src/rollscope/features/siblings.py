"""A sample against the others of its group: the same text again, or nearly the same.

Each text is reduced to a sketch: a hash of its words, and for each of 32 parts of the space of 3-gram hashes the smallest
one that it has. Of two texts, the share of parts in which these agree estimates the Jaccard similarity of their 3-grams
(one-permutation MinHash; its standard error at 0.8 is 0.07).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

from rollscope.features.base import GroupFeature, SampleTexts

PARTS = 32
#: From this similarity on two texts are nearly the same.
NEARLY = 0.9
_BOUNDS = (np.arange(PARTS, dtype=np.uint64) << np.uint64(64 - 5)).astype(np.uint64)
_EMPTY = np.uint32(0xFFFFFFFF)
#: Pairs compared at once: memory stays flat for groups of thousands.
_BLOCK = 256


def copies_sketch(texts: SampleTexts) -> bytes | None:
    if texts.response is None:
        return None
    return xxhash.xxh3_64_digest(b" ".join(texts.words))


def similar_sketch(texts: SampleTexts) -> bytes | None:
    if texts.response is None:
        return None
    grams = texts.grams
    parts = np.full(PARTS, _EMPTY)
    if len(grams):
        first = np.searchsorted(grams, _BOUNDS)
        inside = first < len(grams)
        smallest = grams[np.minimum(first, len(grams) - 1)]
        inside &= (smallest >> np.uint64(59)) == np.arange(PARTS, dtype=np.uint64)
        parts[inside] = ((smallest[inside] >> np.uint64(24)) & np.uint64(0x7FFFFFFF)).astype(np.uint32)
    return copies_sketch(texts) + parts.tobytes()  # type: ignore[operator]  # there is a response


def copies(sketches: Sequence[bytes | None]) -> list[int | None]:
    counts = Counter(sketches)
    return [None if sketch is None else counts[sketch] - 1 for sketch in sketches]


def similar(sketches: Sequence[bytes | None]) -> list[float | None]:
    """The greatest similarity to another one; missing of a sample that is alone."""
    known = [place for place, sketch in enumerate(sketches) if sketch is not None]
    found: list[float | None] = [None] * len(sketches)
    if len(known) < 2:
        return found
    joined = np.frombuffer(b"".join(sketches[place] or b"" for place in known), dtype=np.uint32).reshape(len(known), -1)
    best = _greatest(joined[:, :2], joined[:, 2:])
    for place, value in zip(known, best.tolist()):
        found[place] = value
    return found


def alike(sketches: Sequence[bytes | None]) -> list[float | None]:
    """Which share of the group is the same or nearly the same, itself counted; missing in groups of fewer than three."""
    known = [place for place, sketch in enumerate(sketches) if sketch is not None]
    found: list[float | None] = [None] * len(sketches)
    if len(known) < 3:
        return found
    joined = np.frombuffer(b"".join(sketches[place] or b"" for place in known), dtype=np.uint32).reshape(len(known), -1)
    near = np.zeros(len(known))
    for rows, share in _shares(joined[:, :2], joined[:, 2:]):
        near[rows] = (share >= NEARLY).sum(axis=1)
    for place, count in zip(known, near.tolist()):
        found[place] = (count + 1) / len(known)
    return found


def _greatest(hashes: NDArray[np.uint32], parts: NDArray[np.uint32]) -> NDArray[np.float64]:
    best = np.zeros(len(parts))
    for rows, share in _shares(hashes, parts):
        best[rows] = share.max(axis=1)
    return best


def _shares(hashes: NDArray[np.uint32], parts: NDArray[np.uint32]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """(some rows, their similarity to every row), block by block; −1 to themselves."""
    count = len(parts)
    filled = parts != _EMPTY
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


FEATURES = (
    GroupFeature(
        name="text.copies",
        type="integer",
        title="Copies",
        about="Other samples of its group with the same response, white space and case aside.",
        compute=copies_sketch,
        combine=copies,
    ),
    GroupFeature(
        name="text.similar",
        type="number",
        title="Similarity",
        short="similar",
        about="Greatest similarity (0 to 1, of 3-grams of words, estimated) to another response of its group.",
        compute=similar_sketch,
        combine=similar,
    ),
    GroupFeature(
        name="text.alike",
        type="number",
        title="Alike",
        about="Share of its group that has the same response or nearly (similarity from 0.9 on), itself counted.",
        compute=similar_sketch,
        combine=alike,
        sketch="text.similar",
    ),
)
