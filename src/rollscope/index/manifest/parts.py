"""Parts of a manifest: the entries of a few hundred files each; `step_parts` has those of steps.

A part never changes. A new state of the index shares those of the state before it where nothing happened, in memory and
on disk, so that what an added file costs does not grow with the number of files there are.
"""

from __future__ import annotations

import uuid
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import msgspec
import xxhash
from msgspec import Struct

from rollscope.index.manifest.entries import FileEntry, IndexedPiece, Key
from rollscope.index.manifest.file_facts import FileFacts, facts_of
from rollscope.index.manifest.joined_parts import JoinedParts
from rollscope.lru import LruCache

#: Bytes, or an Arrow buffer of them.
Buffer: TypeAlias = bytes | Any

#: Files or steps in a new part. A part that has grown to twice as many is split.
PART_SIZE = 256
ENDING = ".part"
#: Parts whose entries are kept decoded for a while: some 250 KB each.
DECODED_PARTS = 24


def named(content: bytes) -> str:
    """A name for a part with these bytes, which contains a hash of them."""
    return f"{uuid.uuid4().hex}-{len(content):x}-{xxhash.xxh3_64_hexdigest(content)}{ENDING}"


def checked(name: str, content: Buffer) -> Buffer:
    """The bytes of a part. Raises ValueError if they are not those that were written."""
    _, _, digest = name.removesuffix(ENDING).split("-")
    if xxhash.xxh3_64_hexdigest(content) != digest:
        raise ValueError("its bytes are not those that were written")
    return content


class _Entries:
    """The entries of a part, decoded. What is asked of them often is worked out once."""

    def __init__(self, files: list[FileEntry]) -> None:
        self.files = files

    @cached_property
    def by_key(self) -> dict[Key, list[tuple[int, IndexedPiece]]]:
        found: dict[Key, list[tuple[int, IndexedPiece]]] = {}
        for place, file in enumerate(self.files):
            for piece in file.pieces:
                for key in piece.keys:
                    found.setdefault(key, []).append((place, piece))
        return found


#: The entries of a few parts that were asked for last; the others are bytes.
_decoded: LruCache[str, _Entries] = LruCache(max_entries=DECODED_PARTS)


class _FilePartBytes(Struct, array_like=True):
    facts: FileFacts
    entries: msgspec.Raw


class FilePart:
    """Files that follow each other in the order of the run's sources. Once it was written it is kept as bytes, and its
    entries are decoded when they are asked for; those of files that still change are kept as they are."""

    def __init__(self, files: list[FileEntry], name: str = "") -> None:
        self.name = name
        self._entries: _Entries | None = _Entries(files)
        self._bytes = msgspec.Raw()
        #: Nothing of any of its files was read: it is not worth keeping on disk, and has no rows.
        self.unread = not any(file.pieces or file.complete or file.error for file in files)

    @cached_property
    def facts(self) -> FileFacts:
        """Computed on demand: for files that have not been read yet it is needed only if steps are listed meanwhile."""
        return facts_of(self.files)

    @classmethod
    def decoded(cls, name: str, content: Buffer) -> FilePart:
        found = _decode_part(checked(name, content))
        part = cls.__new__(cls)
        part.name, part.facts, part._bytes, part.unread = name, found.facts, found.entries, False
        part._entries = None if found.facts.quiet else _Entries(_decode_files(found.entries))
        return part

    def encoded(self) -> tuple[str, bytes]:
        """(name, bytes) under which this part is saved."""
        entries = msgspec.msgpack.encode(self.files)
        content = msgspec.msgpack.encode(_FilePartBytes(self.facts, msgspec.Raw(entries)))
        self.name = named(content)
        self._bytes = msgspec.Raw(entries)
        if self.facts.quiet and self._entries is not None:
            _decoded.put(self.name, self._entries)
            self._entries = None
        return self.name, content

    def _opened(self) -> _Entries:
        kept = self._entries
        if kept is not None:
            return kept
        found = _decoded.get(self.name)
        if found is None:
            found = _Entries(_decode_files(self._bytes))
            _decoded.put(self.name, found)
        return found

    @property
    def files(self) -> list[FileEntry]:
        return self._opened().files

    def __len__(self) -> int:
        kept = self._entries
        return self.facts.count if kept is None else len(kept.files)

    def may_hold(self, wanted: Mapping[str, list[int]]) -> bool:
        """Whether rows of these steps (by split, each in order) may be in it. Asked of all parts with every question."""
        if self.unread:
            return False
        for split, low, high in self.facts.ranges:
            steps = wanted.get(split)
            if steps and steps[0] <= high and steps[-1] >= low and _within(steps, low, high):
                return True
        return self.facts.anywhere

    def keys_of(self, wanted: Mapping[str, list[int]]) -> set[Key]:
        """Those of these steps that it has rows of."""
        near = {
            (split, step)
            for split, low, high in self.facts.ranges
            for step in _within(wanted.get(split, ()), low, high)
        }
        return near & self._opened().by_key.keys() if near else near

    def pieces_of(self, wanted: Mapping[str, list[int]]) -> Iterator[tuple[int, IndexedPiece]]:
        """(place of the file in this part, piece) for all that may hold rows of these steps, in no order; one that holds
        several of them comes several times."""
        keys = self.keys_of(wanted)
        if keys:
            by_key = self._opened().by_key
            for key in keys:
                yield from by_key[key]
        if self.facts.anywhere:
            for place, file in enumerate(self.files):
                yield from ((place, piece) for piece in file.pieces if piece.rows and not piece.keys)


def _within(steps: Sequence[int], low: int, high: int) -> Sequence[int]:
    return steps[bisect_left(steps, low) : bisect_right(steps, high)]


_decode_part: Callable[[Buffer], _FilePartBytes] = msgspec.msgpack.Decoder(_FilePartBytes).decode
_decode_files: Callable[[bytes | msgspec.Raw], list[FileEntry]] = msgspec.msgpack.Decoder(list[FileEntry]).decode


class FileList(JoinedParts["FilePart", FileEntry]):
    """The entries of all parts, in order. Only those that are asked for are decoded."""

    def items_of(self, part: FilePart) -> Sequence[FileEntry]:
        return part.files


def file_parts(before: Sequence[FilePart], files: list[FileEntry]) -> list[FilePart]:
    """These files in parts. Those of `before` whose files are still exactly theirs are used again."""
    starts = _starts(before, files) if before else None
    if starts is None:
        return _new_parts(files)
    owned = [files[start:end] for start, end in pairwise([*starts, len(files)])]
    return grouped_parts(part if _same_files(part, own) else own for part, own in zip(before, owned))


def grouped_parts(groups: Iterable[FilePart | list[FileEntry]]) -> list[FilePart]:
    """Parts that stay, and files between them."""
    parts: list[FilePart] = []
    for group in groups:
        if isinstance(group, FilePart):
            parts.append(group)
        elif len(group) > 2 * PART_SIZE:
            parts += _new_parts(group)
        elif group:
            parts.append(FilePart(group))
    count = sum(len(part) for part in parts)
    # Files that went leave small parts behind.
    if len(parts) <= 4 + 4 * count // PART_SIZE:
        return parts
    return _new_parts([file for part in parts for file in part.files])


def _new_parts(files: list[FileEntry]) -> list[FilePart]:
    return [FilePart(files[i : i + PART_SIZE]) for i in range(0, len(files), PART_SIZE)]


def _same_files(part: FilePart, files: list[FileEntry]) -> bool:
    return len(files) == len(part) and all(new is old or new == old for new, old in zip(files, part.files))


def _starts(before: Sequence[FilePart], files: list[FileEntry]) -> list[int] | None:
    """Where the files of each part begin among those there are now; None when their order is another one."""
    place = {file.source.path: i for i, file in enumerate(files)}
    starts: list[int] = []
    for part in before:
        found = next((place[file.source.path] for file in part.files if file.source.path in place), None)
        starts.append(found if found is not None else starts[-1] if starts else 0)
    starts[0] = 0
    return starts if all(a <= b for a, b in pairwise(starts)) else None
