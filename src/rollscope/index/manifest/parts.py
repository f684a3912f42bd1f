"""Parts of a manifest: the entries of a few hundred files, or the statistics of a few hundred steps.

A part never changes. A new state of the index shares those of the state before it where nothing happened, in memory and
on disk, so that what an added file costs does not grow with the number of files there are.
"""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Generic, TypeVar

import msgspec
import xxhash

from rollscope.index.manifest.entries import FileEntry, IndexedPiece, Key
from rollscope.index.statistics.merging import in_order, merge, only, without
from rollscope.index.statistics.summary import Statistics, StepStat

#: Files or steps of a new part. One that has grown to twice as many is cut.
PART_SIZE = 256
ENDING = ".part"

ContentT = TypeVar("ContentT")


class _Part(Generic[ContentT]):
    def __init__(self, content: ContentT, name: str = "") -> None:
        self.content = content
        #: Of its file; "" as long as it was not written.
        self.name = name

    def encoded(self) -> tuple[str, bytes]:
        """Its name, which tells a hash of its bytes, and these."""
        content = msgspec.msgpack.encode(self.content)
        self.name = f"{uuid.uuid4().hex}-{len(content):x}-{xxhash.xxh3_64_hexdigest(content)}{ENDING}"
        return self.name, content


def checked(name: str, content: bytes) -> bytes:
    """The bytes of a part. Raises ValueError when they are not those that were written."""
    _, _, digest = name.removesuffix(ENDING).split("-")
    if xxhash.xxh3_64_hexdigest(content) != digest:
        raise ValueError("its bytes are not those that were written")
    return content


class FilePart(_Part[list[FileEntry]]):
    """Files that follow each other in the order of the run's sources. What is asked of it often is worked out once."""

    @property
    def files(self) -> list[FileEntry]:
        return self.content

    @classmethod
    def decoded(cls, name: str, content: bytes) -> FilePart:
        return cls(_decode_files(checked(name, content)), name)

    @cached_property
    def by_key(self) -> dict[Key, list[tuple[int, IndexedPiece]]]:
        """(split, step) -> (place of the file in this part, piece), in reading order."""
        found: dict[Key, list[tuple[int, IndexedPiece]]] = {}
        for place, file in enumerate(self.files):
            for piece in file.pieces:
                for key in piece.keys:
                    found.setdefault(key, []).append((place, piece))
        return found

    @cached_property
    def anywhere(self) -> list[tuple[int, IndexedPiece]]:
        """Pieces with too many steps to list: any step may be in them."""
        files = enumerate(self.files)
        return [(i, piece) for i, file in files for piece in file.pieces if piece.rows and not piece.keys]

    @cached_property
    def rows_by_segment(self) -> Counter[str]:
        rows: Counter[str] = Counter()
        for file in self.files:
            for piece in file.pieces:
                if piece.rows:
                    rows[piece.segment] += piece.rows
        return rows

    @cached_property
    def unsettled(self) -> list[FileEntry]:
        """Those that were written a moment before they were looked at: their fingerprints are not enough."""
        return [file for file in self.files if file.seen is not None and not file.seen.settled(file.seen_ns)]

    @cached_property
    def promised(self) -> list[Key]:
        """The steps that names of files promise which nobody has read to their end."""
        unread = (file.source for file in self.files if not file.complete and not file.error)
        return [
            (source.split, source.step) for source in unread if source.split is not None and source.step is not None
        ]


class StepPart(_Part[Statistics]):
    """The statistics of steps that follow each other."""

    @property
    def statistics(self) -> Statistics:
        return self.content

    @classmethod
    def decoded(cls, name: str, content: bytes) -> StepPart:
        return cls(_decode_statistics(checked(name, content)), name)

    @cached_property
    def samples(self) -> int:
        return sum(step.samples + step.discarded for step in self.statistics.steps)


_decode_files: Callable[[bytes], list[FileEntry]] = msgspec.msgpack.Decoder(list[FileEntry]).decode
_decode_statistics: Callable[[bytes], Statistics] = msgspec.msgpack.Decoder(Statistics).decode


def file_parts(before: Sequence[FilePart], files: list[FileEntry]) -> list[FilePart]:
    """These files in parts. Those of `before` whose files are still exactly theirs are used again."""
    if not before:
        return [FilePart(files[i : i + PART_SIZE]) for i in range(0, len(files), PART_SIZE)]
    starts = _starts(before, files)
    if starts is None:
        return file_parts((), files)
    parts: list[FilePart] = []
    for part, start, end in zip(before, starts, [*starts[1:], len(files)]):
        own = files[start:end]
        if len(own) == len(part.files) and all(new is old for new, old in zip(own, part.files)):
            parts.append(part)
        elif len(own) > 2 * PART_SIZE:
            parts += file_parts((), own)
        elif own:
            parts.append(FilePart(own))
    # Files that went leave small parts behind.
    return parts if len(parts) <= 4 + 4 * len(files) // PART_SIZE else file_parts((), files)


def _starts(before: Sequence[FilePart], files: list[FileEntry]) -> list[int] | None:
    """Where the files of each part begin among those there are now; None when their order is another one."""
    place = {file.source.path: i for i, file in enumerate(files)}
    starts: list[int] = []
    for part in before:
        found = next((place[file.source.path] for file in part.files if file.source.path in place), None)
        starts.append(found if found is not None else starts[-1] if starts else 0)
    starts[0] = 0
    return starts if all(a <= b for a, b in pairwise(starts)) else None


def order_of(key: Key) -> tuple[bool, str, int]:
    """`train` first, then by name; steps by number."""
    split, step = key
    return split != "train", split, step


def step_parts(before: Sequence[StepPart], new: Statistics, gone: Iterable[Key] = ()) -> list[StepPart]:
    """`before` with the steps of `new` in place of its own, and without those that are `gone`."""
    if not before:
        return _cut(in_order(new))
    firsts = [order_of(_key(part.statistics.steps[0])) for part in before]

    def home(key: Key) -> int:
        return max(0, bisect_right(firsts, order_of(key)) - 1)

    added: dict[int, set[Key]] = {}
    lost: dict[int, set[Key]] = {}
    for step in new.steps:
        added.setdefault(home(_key(step)), set()).add(_key(step))
    for key in gone:
        lost.setdefault(home(key), set()).add(key)
    parts: list[StepPart] = []
    for i, part in enumerate(before):
        if i not in added and i not in lost:
            parts.append(part)
            continue
        statistics = part.statistics
        if i in added:
            own = new if len(added) == 1 else only(new, added[i])
            statistics = merge(statistics, own)
        parts += _cut(without(statistics, lost.get(i, set()) - added.get(i, set())))
    return parts


def _key(step: StepStat) -> Key:
    return step.split, step.step


def _cut(statistics: Statistics) -> list[StepPart]:
    steps = statistics.steps
    if len(steps) <= 2 * PART_SIZE:
        return [StepPart(statistics)] if steps else []
    groups = [steps[i : i + PART_SIZE] for i in range(0, len(steps), PART_SIZE)]
    return [StepPart(only(statistics, {_key(step) for step in group})) for group in groups]
