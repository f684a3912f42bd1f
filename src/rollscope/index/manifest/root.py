"""A state of the index as a whole: a small root that names its parts, replaced by rename.

Whoever reads it sees one consistent state, whoever is killed while writing leaves the old one. The index is derived data:
what does not read is rebuilt, never migrated.
"""

from __future__ import annotations

import os
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import msgspec
import xxhash
from msgspec import Struct

from rollscope.index.manifest.entries import FileEntry
from rollscope.index.manifest.parts import FilePart, StepPart
from rollscope.storage.atomic import write_atomically
from rollscope.storage.fingerprint import DIGEST_BYTES

#: Raised whenever the meaning of anything in the index changes.
VERSION = 12
MANIFEST = "manifest.msgpack"
#: Another process may remove parts between our reading the root and them: then there is a newer root.
ATTEMPTS = 5


class Root(Struct, array_like=True):
    version: int = VERSION
    #: The run's path, as bytes: it need not be UTF-8.
    root: bytes = b""
    format: str = ""
    files: list[str] = []
    steps: list[str] = []


class Manifest:
    """One state. Immutable; a later one shares its parts."""

    def __init__(
        self, root: bytes, format_name: str, files: list[FilePart] | None = None, steps: list[StepPart] | None = None
    ) -> None:
        self.root = root
        self.format = format_name
        self.file_parts = files or []
        self.step_parts = steps or []

    @cached_property
    def files(self) -> list[FileEntry]:
        """In the order of the run's sources."""
        return [file for part in self.file_parts for file in part.files]

    @cached_property
    def offsets(self) -> list[int]:
        """The place of each part's first file among all files."""
        return [0, *accumulate(len(part.files) for part in self.file_parts)]

    @cached_property
    def segments(self) -> set[str]:
        """Names of the segments that hold rows of it."""
        return {name for part in self.file_parts for name in part.rows_by_segment}

    @property
    def parts(self) -> list[FilePart | StepPart]:
        return [*self.file_parts, *self.step_parts]


_decoder = msgspec.msgpack.Decoder(Root)


def load_manifest(folder: str, root: bytes, format_name: str) -> Manifest | None:
    """None when there is none that fits: another version, another run, other bytes than were written."""
    for _ in range(ATTEMPTS):
        try:
            content = memoryview(Path(folder, MANIFEST).read_bytes())
            if xxhash.xxh3_64_digest(content[DIGEST_BYTES:]) != content[:DIGEST_BYTES]:
                return None
            found = _decoder.decode(content[DIGEST_BYTES:])
        except (OSError, msgspec.MsgspecError):
            return None
        if found.version != VERSION or found.root != root or found.format != format_name:
            return None
        try:
            files = [FilePart.decoded(name, Path(folder, name).read_bytes()) for name in found.files]
            steps = [StepPart.decoded(name, Path(folder, name).read_bytes()) for name in found.steps]
        except FileNotFoundError:
            continue
        except (OSError, ValueError):  # msgspec's errors are ValueErrors
            return None
        return Manifest(root, format_name, files, steps)
    return None


def save_manifest(folder: str, manifest: Manifest) -> None:
    os.makedirs(folder, exist_ok=True)  # the index may be deleted at any time
    there = set(os.listdir(folder))
    for part in manifest.parts:
        if part.name not in there:  # new, or removed by a process that knows another state
            name, content = part.encoded()
            write_atomically(os.path.join(folder, name), content, durable=False)
    root = Root(
        root=manifest.root,
        format=manifest.format,
        files=[part.name for part in manifest.file_parts],
        steps=[part.name for part in manifest.step_parts],
    )
    content = msgspec.msgpack.encode(root)
    write_atomically(os.path.join(folder, MANIFEST), xxhash.xxh3_64_digest(content) + content, durable=False)
