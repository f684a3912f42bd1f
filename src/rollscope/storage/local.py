"""The only way formats touch files: a directory that can be listed, asked for sizes, and read in ranges.

Local disks today; an object store is another class with the same five methods. Symlinks that lead out of the directory
are not followed, and paths come only from listing it, so that no record can name a file to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import BinaryIO

from rollscope.storage.fingerprint import Fingerprint

MAX_ENTRIES = 500_000
SKIP_DIRECTORIES = frozenset({".git", "__pycache__", "node_modules", ".venv", "checkpoints", "ckpt", "weights"})


class Directory:
    """A directory of a run. Listings are taken once per object: make a new one to see what changed."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = os.path.abspath(os.fspath(root))
        self._real_root = os.path.realpath(self.root)
        self._listings: dict[str, tuple[list[str], list[str]]] = {}
        #: Names that are no UTF-8, as they are written elsewhere -> as they are on disk.
        self._odd: dict[str, str] = {}

    def __reduce__(self) -> tuple[type[Directory], tuple[str]]:
        return (Directory, (self.root,))

    @property
    def name(self) -> str:
        return os.path.basename(self.root) or self.root

    def path(self, relative: str) -> str:
        if "\\x" in relative:
            for folder in _parents(relative):
                self._list(folder)
            relative = self._odd.get(relative, relative)
        return os.path.join(self.root, relative)

    def _list(self, folder: str) -> tuple[list[str], list[str]]:
        """(files, folders) directly in `folder`, sorted by name."""
        cached = self._listings.get(folder)
        if cached is not None:
            return cached
        files: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(self.path(folder)) as entries:
                for count, entry in enumerate(entries):
                    if count >= MAX_ENTRIES:
                        break
                    if entry.is_symlink() and not self._inside(entry.path):
                        continue
                    (folders if entry.is_dir() else files).append(self._written(folder, entry.name))
        except OSError:
            pass
        listing = (sorted(files), sorted(folders))
        self._listings[folder] = listing
        return listing

    def _written(self, folder: str, name: str) -> str:
        """The name as text that can be stored and sent: bytes that are no UTF-8 as `\\xff`."""
        try:
            name.encode()
        except UnicodeEncodeError:
            written = os.fsencode(name).decode("utf-8", "backslashreplace")
            prefix, actual = (f"{folder}/", f"{self._odd.get(folder, folder)}/") if folder else ("", "")
            self._odd[prefix + written] = actual + name
            return written
        return name

    def _inside(self, path: str) -> bool:
        real = os.path.realpath(path)
        return real == self._real_root or real.startswith(self._real_root.rstrip(os.sep) + os.sep)

    def files(self, folder: str = "") -> list[str]:
        """Names of the files directly in `folder`."""
        return self._list(folder)[0]

    def folders(self, folder: str = "") -> list[str]:
        return self._list(folder)[1]

    def sub(self, folder: str) -> Directory:
        return Directory(self.path(folder))

    def walk(self, folder: str = "", depth: int = 4) -> Iterator[str]:
        """Relative paths of all files below `folder`, at most `depth` folders deep, skipping checkpoints and the like."""
        prefix = f"{folder}/" if folder else ""
        for name in self.files(folder):
            yield prefix + name
        if depth > 0:
            for name in self.folders(folder):
                if name not in SKIP_DIRECTORIES:
                    yield from self.walk(prefix + name, depth - 1)

    def exists(self, relative: str) -> bool:
        folder, _, name = relative.rpartition("/")
        return name in self._names(folder)

    def _names(self, folder: str) -> frozenset[str]:
        names = self._name_sets.get(folder)
        if names is None:
            names = self._name_sets[folder] = frozenset(self.files(folder))
        return names

    @cached_property
    def _name_sets(self) -> dict[str, frozenset[str]]:
        return {}

    def stat(self, relative: str) -> Fingerprint | None:
        """None when it is gone or may not be read."""
        try:
            info = os.stat(self.path(relative))
        except OSError:
            return None
        return Fingerprint(info.st_size, info.st_mtime_ns, info.st_ino)

    def open(self, relative: str) -> BinaryIO:
        return open(self.path(relative), "rb")

    def read(self, relative: str, offset: int = 0, length: int = -1) -> bytes:
        with self.open(relative) as file:
            file.seek(offset)
            return file.read(length)

    def first_lines(self, relative: str, count: int = 1, limit: int = 1 << 20) -> list[bytes]:
        """The first lines that are not blank, for detection: those that begin within `limit` bytes, the last one cut."""
        try:
            head = self.read(relative, 0, limit)
        except OSError:
            return []
        lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        return list(islice((line for line in lines if line.strip()), count))

    def first_line(self, relative: str) -> bytes:
        """The first line that is not blank; b"" when there is none."""
        return next(iter(self.first_lines(relative)), b"")


def _parents(relative: str) -> list[str]:
    """`a/b/c` -> ["", "a", "a/b"]."""
    parts = relative.split("/")[:-1]
    return ["/".join(parts[:i]) for i in range(len(parts) + 1)]
