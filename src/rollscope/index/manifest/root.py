"""A state of the index as a whole: a small root that names its parts, replaced by rename.

A reader sees one consistent state, and a writer that is killed leaves the old one. The index is derived data:
what does not read is rebuilt, never migrated.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import xxhash
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.index.manifest.entries import FileEntry
from rollscope.index.manifest.parts import FileList, FilePart
from rollscope.index.manifest.step_parts import StepPart
from rollscope.storage.atomic import write_atomically, write_new
from rollscope.storage.fingerprint import DIGEST_BYTES

#: Raised whenever the meaning of anything in the index changes.
VERSION = 25
MANIFEST = "manifest.msgpack"
#: Another process may remove parts between our reading the root and them: then there is a newer root.
ATTEMPTS = 5
#: The size that stands for a file which was not there.
_MISSING = (1 << 64) - 1


class Root(Struct, array_like=True):
    version: int = VERSION
    #: The run's path, as bytes: it need not be UTF-8.
    root: bytes = b""
    format: str = ""
    files: list[str] = []
    steps: list[str] = []


class Manifest:
    """One state of the index. Immutable; the next state shares the parts that stay the same."""

    def __init__(
        self, root: bytes, format_name: str, files: list[FilePart] | None = None, steps: list[StepPart] | None = None
    ) -> None:
        self.root = root
        self.format = format_name
        self.file_parts = files or []
        self.step_parts = steps or []

    @cached_property
    def files(self) -> Sequence[FileEntry]:
        """In the order of the run's sources."""
        return FileList(self.file_parts)

    @property
    def written_ns(self) -> NDArray[np.int64]:
        """When each file was written, of those that were looked at."""
        stamps = np.frombuffer(b"".join([part.facts.stamps for part in self.file_parts]), dtype="<u8").reshape(-1, 3)
        times: NDArray[np.int64] = stamps[stamps[:, 0] != _MISSING, 1].astype(np.int64)
        return times

    @property
    def ranks(self) -> NDArray[np.int64] | None:
        """Precedences of the files; None where they are all equal."""
        if not any(part.facts.ranks for part in self.file_parts):
            return None
        return np.array(
            [rank for part in self.file_parts for rank in part.facts.ranks or [0] * len(part)], dtype=np.int64
        )

    @property
    def troubled_files(self) -> Iterator[FileEntry]:
        """Those of parts in which some line was skipped or mended, or some file cannot be read."""
        return (file for part in self.file_parts if part.facts.troubled for file in part.files)

    @cached_property
    def offsets(self) -> list[int]:
        """The place of each part's first file among all files."""
        return [0, *accumulate(len(part) for part in self.file_parts)]

    def near(self, wanted: Mapping[str, list[int]]) -> Iterator[tuple[int, FilePart]]:
        """The parts that may hold rows of these steps, each with the place of its first file among all files."""
        return (item for item in zip(self.offsets, self.file_parts) if item[1].may_hold(wanted))

    @cached_property
    def segments(self) -> set[str]:
        """Names of the segments that hold rows of it."""
        return {name for part in self.kept_file_parts for name in part.facts.rows_by_segment}

    @property
    def rows_anywhere(self) -> bool:
        """Whether some file has too many steps to list them, so that it may have rows of any step."""
        return any(part.facts.anywhere for part in self.kept_file_parts)

    @cached_property
    def kept_file_parts(self) -> list[FilePart]:
        """Those that are worth keeping on disk. Files that have not been read are found again by the next check of the run."""
        return [part for part in self.file_parts if not part.unread]

    @property
    def parts(self) -> list[FilePart | StepPart]:
        """All that is kept on disk."""
        return [*self.kept_file_parts, *self.step_parts]


_decoder = msgspec.msgpack.Decoder(Root)


def encoded_root(manifest: Manifest) -> bytes:
    """Which parts it consists of, behind a hash of that. They must have been saved."""
    root = Root(
        root=manifest.root,
        format=manifest.format,
        files=[part.name for part in manifest.kept_file_parts],
        steps=[part.name for part in manifest.step_parts],
    )
    content = msgspec.msgpack.encode(root)
    return xxhash.xxh3_64_digest(content) + content


def decoded_root(content: bytes, root: bytes, format_name: str) -> Root | None:
    """None when it does not fit: another version, another run, other bytes than were written."""
    if xxhash.xxh3_64_digest(content[DIGEST_BYTES:]) != content[:DIGEST_BYTES]:
        return None
    try:
        found = _decoder.decode(content[DIGEST_BYTES:])
    except msgspec.MsgspecError:
        return None
    return found if (found.version, found.root, found.format) == (VERSION, root, format_name) else None


def load_manifest(folder: str, root: bytes, format_name: str) -> Manifest | None:
    """None when there is none that fits."""
    for _ in range(ATTEMPTS):
        try:
            found = decoded_root(Path(folder, MANIFEST).read_bytes(), root, format_name)
        except OSError:
            return None
        if found is None:
            return None
        try:
            files = [FilePart.decoded(name, mapped(folder, name)) for name in found.files]
            steps = [StepPart.decoded(name, mapped(folder, name)) for name in found.steps]
        except FileNotFoundError:
            continue
        except (OSError, ValueError):  # msgspec's errors are ValueErrors
            return None
        return Manifest(root, format_name, files, steps)
    return None


def mapped(folder: str, name: str) -> pa.Buffer:
    """A part: what is in it is looked at where it lies, and takes no memory of this process. By Arrow: a map of Python's
    own keeps a file descriptor."""
    with pa.memory_map(os.fsencode(os.path.join(folder, name))) as source:
        return source.read_buffer()


def save_manifest(folder: str, manifest: Manifest) -> None:
    os.makedirs(folder, exist_ok=True)  # the index may be deleted at any time
    there = set(os.listdir(folder))
    for part in manifest.parts:
        if part.name not in there:  # new, or removed by a process that knows another state
            save_part(folder, part)
    write_atomically(os.path.join(folder, MANIFEST), encoded_root(manifest), durable=False)


def save_part(folder: str, part: FilePart | StepPart) -> None:
    """Before the root that names it."""
    name, content = part.encoded()
    write_new(os.path.join(folder, name), content)
    if isinstance(part, StepPart):
        part.lie_in(mapped(folder, name))
