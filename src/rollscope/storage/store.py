"""Where a run's bytes come from: a folder that can be listed, asked for fingerprints, and read in ranges.

The library makes a `Store` from the path or URL that a user gave, and hands it to everything else. Nothing else opens,
lists or maps a run's files (tests/storage/test_only_door.py checks that). Paths come only from listings, so that no record
can name a file to read; and supporting another kind of storage takes one more class and nothing else.
"""

from __future__ import annotations

import enum
import errno
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from msgspec import Struct

from rollscope.storage.fingerprint import Fingerprint, stamp_of
from rollscope.storage.window import Window

if TYPE_CHECKING:
    from rollscope.storage.written_files import WrittenFiles

#: Folders that hold no samples and may hold a great many files.
SKIP_FOLDERS = frozenset({".git", "__pycache__", "node_modules", ".venv", "checkpoints", "ckpt", "weights"})


class Listing(Struct, frozen=True):
    """The files and folders directly in a folder, each sorted by name."""

    files: list[str]
    folders: list[str]
    #: There is more than was listed.
    cut: bool = False


class Kind(enum.Enum):
    """What is at an address."""

    FOLDER = "folder"
    FILE = "file"
    MISSING = "missing"
    FORBIDDEN = "forbidden"


class FileChanged(OSError):  # noqa: N818  # caught where a file may be rewritten while it is read
    """The file is no longer in the state that was requested, and the store refuses to return bytes of another state."""

    def __init__(self, path: str, what: str = "it was replaced while it was read") -> None:
        super().__init__(errno.ESTALE, what, path)


class StoreUnavailableError(OSError):
    """The store does not answer, or accepts no request: nothing is wrong with the file, nor will another one be read."""


class Store(ABC):
    """A folder and everything below it. Paths are relative to it, with `/` between their parts.

    Each object lists a folder only once; `fresh()` returns a new object that sees what changed."""

    #: Another process can open the same address.
    reachable: ClassVar[bool] = True
    #: Every read is a request over a network, so it is better to fetch together what will be needed.
    far: ClassVar[bool] = False

    def __init__(self, address: str) -> None:
        #: `open_store` makes the same store from this, in another process too.
        self.address = address
        self._listings: dict[str, Listing] = {}
        self._file_sets: dict[str, frozenset[str]] = {}

    @abstractmethod
    def _list(self, folder: str) -> Listing:
        """List a folder; empty if that is not possible."""

    @abstractmethod
    def stat(self, path: str) -> Fingerprint | None:
        """The file's fingerprint; None if it is gone or may not be read."""

    def stamps(self, paths: Iterable[str]) -> bytes:
        """The fingerprints of many files, as `fingerprint.stamp_of` writes them, concatenated."""
        return b"".join(stamp_of(self.stat(path)) for path in paths)

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """The file as a seekable stream, for libraries that need one."""

    @abstractmethod
    def window(self, path: str, start: int, end: int) -> AbstractContextManager[Window]:
        """Bytes [start, end) and the byte before them, in one buffer."""

    @abstractmethod
    def sub(self, folder: str) -> Store:
        """A folder in it, as a separate store."""

    @abstractmethod
    def fresh(self) -> Store:
        """The same place with no listing taken yet."""

    @abstractmethod
    def kind(self) -> Kind:
        """What is at its address, which need not be a folder."""

    @abstractmethod
    def parent(self) -> Store:
        """The folder that contains it."""

    @property
    def identity(self) -> str:
        """The same for every address of the same place."""
        return self.address

    @abstractmethod
    def full_path(self, path: str) -> str:
        """The path or URL that names this file from anywhere."""

    @property
    def local_folder(self) -> str | None:
        """Its path on a disk of this machine, for watching it; None if it is not on one."""
        return None

    def written_files(self, folders: Collection[str]) -> WrittenFiles | None:
        """Be told which files of these folders are written; None if the system does not report all of them."""
        return None

    def owns(self, local_path: str) -> bool:
        """Whether this path on this machine, which need not exist, is below its folder."""
        return False

    def local_path(self, path: str) -> str | None:
        """The file's path on a disk of this machine, for libraries that can open nothing else; None if it has none."""
        return None

    @property
    def name(self) -> str:
        return self.address.rstrip("/").rpartition("/")[2] or self.address

    @property
    def parent_name(self) -> str:
        """The name of the folder that contains it."""
        return self.address.rstrip("/").rpartition("/")[0].rpartition("/")[2]

    def listing(self, folder: str = "") -> Listing:
        listing = self._listings.get(folder)
        if listing is None:
            listing = self._listings[folder] = self._list(folder)
        return listing

    def cut_folders(self) -> list[tuple[str, int]]:
        """Folders that were not listed completely, and how many names were listed."""
        cut = ((folder, listing) for folder, listing in self._listings.items() if listing.cut)
        return [(folder, len(listing.files) + len(listing.folders)) for folder, listing in cut]

    def listed_folders(self) -> frozenset[str]:
        """The folders that were listed."""
        return frozenset(self._listings)

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
        """Whether there is a file of this name."""
        folder, _, name = path.rpartition("/")
        names = self._file_sets.get(folder)
        if names is None:
            names = self._file_sets[folder] = frozenset(self.files(folder))
        return name in names

    def read(self, path: str, offset: int = 0, length: int = -1) -> bytes:
        """Up to `length` bytes from `offset` on; all of them if `length` is negative."""
        with self.open(path) as file:
            file.seek(offset)
            return file.read(length)

    def view(self, path: str, offset: int, length: int) -> bytes | memoryview:
        """The same for a moment: not copied if the bytes are in memory already."""
        return self.read(path, offset, length)

    def read_many(self, path: str, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
        """The bytes of several (offset, length) ranges of one file. A remote store fetches neighbours together."""
        with self.open(path) as file:
            for offset, length in ranges:
                file.seek(offset)
                yield file.read(length)

    def prefetch(self, ranges: Iterable[tuple[str, int, int]]) -> None:
        """Bytes [start, end) of these files will be read soon. A remote store fetches them together."""
        return

    def expect(self, path: str, seen: Fingerprint) -> None:
        """Read this file only in this state, if the store can tell; reading any other raises `FileChanged`."""
        return

    def forget(self) -> None:
        """Discard what is cached about its files."""
        return

    def first_lines(self, path: str, count: int = 1, limit: int = 1 << 20) -> list[bytes]:
        """The first lines that are not blank, for detection: of the first `limit` bytes, so the last one may be cut."""
        try:
            head = self.read(path, 0, limit)
        except StoreUnavailableError:
            raise  # nothing is known about this file: it is not one without lines
        except OSError:
            return []
        lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        return list(islice((line for line in lines if line.strip()), count))

    def first_line(self, path: str) -> bytes:
        """The first line that is not blank; b"" if there is none."""
        return next(iter(self.first_lines(path)), b"")
