"""Where a run's bytes come from: a folder that can be listed, asked for fingerprints, and read in ranges.

The library makes a `Store` from what a user named, and everybody is handed that one. Nobody else opens, lists or maps a
run's files (tests/storage/test_only_door.py holds that): paths come only from listing, so that no record can name a file
to read, and a place that is no disk needs one more class and nothing else.
"""

from __future__ import annotations

import enum
import errno
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import BinaryIO, ClassVar

from msgspec import Struct

from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.window import Window

#: Folders that hold no samples and may hold a great many files.
SKIP_FOLDERS = frozenset({".git", "__pycache__", "node_modules", ".venv", "checkpoints", "ckpt", "weights"})


class Listing(Struct, frozen=True):
    """What lies directly in a folder, each sorted by name."""

    files: list[str]
    folders: list[str]
    #: There is more than was listed.
    cut: bool = False


class Kind(enum.Enum):
    """What lies at an address."""

    FOLDER = "folder"
    FILE = "file"
    MISSING = "missing"
    FORBIDDEN = "forbidden"


class FileChanged(OSError):  # noqa: N818  # caught where a file may be rewritten while it is read
    """The file is no longer the one that was seen, and the store refuses to give bytes of another."""

    def __init__(self, path: str, what: str = "it was replaced while it was read") -> None:
        super().__init__(errno.ESTALE, what, path)


class Store(ABC):
    """A folder and what is below it. Paths are relative to it, with `/` between their parts.

    Listings are taken once per object: `fresh()` gives one that sees what changed."""

    #: Another process can open the same address.
    reachable: ClassVar[bool] = True
    #: Every read is a request over a network: what will be needed is better fetched together.
    far: ClassVar[bool] = False

    def __init__(self, address: str) -> None:
        #: What `open_store` makes this store of again, in another process too.
        self.address = address
        self._listings: dict[str, Listing] = {}
        self._file_sets: dict[str, frozenset[str]] = {}

    @abstractmethod
    def _list(self, folder: str) -> Listing:
        """Look at a folder; an empty listing where that is not possible."""

    @abstractmethod
    def stat(self, path: str) -> Fingerprint | None:
        """None when it is gone or may not be read."""

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """The file as a seekable stream, for libraries that want one."""

    @abstractmethod
    def window(self, path: str, start: int, end: int) -> AbstractContextManager[Window]:
        """Bytes [start, end) and one byte before them, in one buffer."""

    @abstractmethod
    def sub(self, folder: str) -> Store:
        """A folder in it, as a store of its own."""

    @abstractmethod
    def fresh(self) -> Store:
        """The same place with no listing taken yet."""

    @abstractmethod
    def kind(self) -> Kind:
        """What lies at its address: it may be none of a folder."""

    @abstractmethod
    def parent(self) -> Store:
        """The folder it lies in."""

    @property
    def identity(self) -> str:
        """The same for every address of the same place."""
        return self.address

    @abstractmethod
    def full_path(self, path: str) -> str:
        """As a person would name this file from anywhere."""

    @property
    def local_folder(self) -> str | None:
        """Where it lies on a disk of this machine, for what watches folders; None where it does not."""
        return None

    def owns(self, local_path: str) -> bool:
        """Is this file of this machine, which need not exist, one of its files?"""
        return False

    def local_path(self, path: str) -> str | None:
        """Its name on a disk of this machine, for libraries that can open nothing else; None where it has none."""
        return None

    @property
    def name(self) -> str:
        return self.address.rstrip("/").rpartition("/")[2] or self.address

    @property
    def parent_name(self) -> str:
        """The name of the folder it lies in."""
        return self.address.rstrip("/").rpartition("/")[0].rpartition("/")[2]

    def listing(self, folder: str = "") -> Listing:
        listing = self._listings.get(folder)
        if listing is None:
            listing = self._listings[folder] = self._list(folder)
        return listing

    def cut_folders(self) -> list[tuple[str, int]]:
        """Folders that hold more than was listed of them, and how many names were."""
        cut = ((folder, listing) for folder, listing in self._listings.items() if listing.cut)
        return [(folder, len(listing.files) + len(listing.folders)) for folder, listing in cut]

    def files(self, folder: str = "") -> list[str]:
        """Names of the files directly in `folder`."""
        return self.listing(folder).files

    def folders(self, folder: str = "") -> list[str]:
        return self.listing(folder).folders

    def walk(self, folder: str = "", depth: int = 4) -> Iterator[str]:
        """Paths of all files below `folder`, at most `depth` folders deep, skipping checkpoints and the like."""
        prefix = f"{folder}/" if folder else ""
        for name in self.files(folder):
            yield prefix + name
        if depth > 0:
            for name in self.folders(folder):
                if name not in SKIP_FOLDERS:
                    yield from self.walk(prefix + name, depth - 1)

    def exists(self, path: str) -> bool:
        """Is there a file of this name?"""
        folder, _, name = path.rpartition("/")
        names = self._file_sets.get(folder)
        if names is None:
            names = self._file_sets[folder] = frozenset(self.files(folder))
        return name in names

    def read(self, path: str, offset: int = 0, length: int = -1) -> bytes:
        """Up to `length` bytes from `offset` on; all there are when it is negative."""
        with self.open(path) as file:
            file.seek(offset)
            return file.read(length)

    def read_many(self, path: str, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
        """The bytes of several (offset, length) of one file. A store that is far away fetches neighbours at once."""
        with self.open(path) as file:
            for offset, length in ranges:
                file.seek(offset)
                yield file.read(length)

    def prefetch(self, ranges: Iterable[tuple[str, int, int]]) -> None:
        """Bytes [start, end) of these files will be read soon. A store that is far away fetches them at once."""
        return

    def expect(self, path: str, seen: Fingerprint) -> None:
        """Read this file only in this state, where the store can tell; any other is `FileChanged`."""
        return

    def forget(self) -> None:
        """What is known of its files from earlier looks is no longer so."""
        return

    def first_lines(self, path: str, count: int = 1, limit: int = 1 << 20) -> list[bytes]:
        """The first lines that are not blank, for detection: those that begin within `limit` bytes, the last one cut."""
        try:
            head = self.read(path, 0, limit)
        except OSError:
            return []
        lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        return list(islice((line for line in lines if line.strip()), count))

    def first_line(self, path: str) -> bytes:
        """The first line that is not blank; b"" when there is none."""
        return next(iter(self.first_lines(path)), b"")
