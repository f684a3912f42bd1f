"""Files in memory: for tests, which read every format from it to show that none goes past the store."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO, ClassVar

from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.store import Kind, Listing, Store
from rollscope.storage.window import Window


class MemoryStore(Store):
    """`memory://NAME` in this process, and folders below it. Every write gives a file another etag."""

    SCHEME: ClassVar[str] = "memory://"
    reachable: ClassVar[bool] = False
    #: Name -> path -> (content, etag).
    _places: ClassVar[dict[str, dict[str, tuple[bytes, str]]]] = {}
    _writes: ClassVar[int] = 0

    def __init__(self, name: str, prefix: str = "") -> None:
        super().__init__(f"{self.SCHEME}{name}/{prefix}".rstrip("/"))
        self._name = name
        self._prefix = prefix
        self._contents = self._places.setdefault(name, {})

    @classmethod
    def at(cls, address: str) -> MemoryStore:
        name, _, folder = address.removeprefix(cls.SCHEME).partition("/")
        return cls(name, f"{folder.rstrip('/')}/" if folder else "")

    @classmethod
    def of(cls, name: str, files: Mapping[str, bytes]) -> MemoryStore:
        """A new place with these files."""
        cls._places[name] = {}
        store = cls(name)
        for path, content in files.items():
            store.write(path, content)
        return store

    def write(self, path: str, content: bytes) -> None:
        MemoryStore._writes += 1
        self._contents[self._prefix + path] = (content, f"v{MemoryStore._writes}")

    def remove(self, path: str) -> None:
        del self._contents[self._prefix + path]

    def full_path(self, path: str) -> str:
        return f"{self.address}/{path}"

    def kind(self) -> Kind:
        if any(path.startswith(self._prefix) for path in self._contents):
            return Kind.FOLDER
        return Kind.FILE if self._prefix.rstrip("/") in self._contents else Kind.MISSING

    def parent(self) -> MemoryStore:
        above = self._prefix.rstrip("/").rpartition("/")[0]
        return MemoryStore(self._name, f"{above}/" if above else "")

    def sub(self, folder: str) -> MemoryStore:
        return MemoryStore(self._name, f"{self._prefix}{folder}/")

    def fresh(self) -> MemoryStore:
        return MemoryStore(self._name, self._prefix)

    def _list(self, folder: str) -> Listing:
        prefix = self._prefix + (f"{folder}/" if folder else "")
        inside = [path.removeprefix(prefix).split("/") for path in self._contents if path.startswith(prefix)]
        files = sorted(parts[0] for parts in inside if len(parts) == 1)
        return Listing(files, sorted({parts[0] for parts in inside if len(parts) > 1}))

    def _content(self, path: str) -> bytes:
        found = self._contents.get(self._prefix + path)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.full_path(path))
        return found[0]

    def stat(self, path: str) -> Fingerprint | None:
        found = self._contents.get(self._prefix + path)
        return Fingerprint(len(found[0]), etag=found[1]) if found is not None else None

    def open(self, path: str) -> BinaryIO:
        return io.BytesIO(self._content(path))

    @contextmanager
    def window(self, path: str, start: int, end: int) -> Iterator[Window]:
        content = self._content(path)
        begin, stop = max(0, start - 1), min(end, len(content))
        yield Window(content[begin:stop], begin, len(content), lambda at, length: content[at : at + length])
