"""Runs in object stores: `s3://`, `gs://`, `az://`, `http(s)://`; `hf://` is a subclass.

A store tells the state of every object by its etag in one listing, so nothing is asked per file; every read says which
state it wants and is refused when the object is another one by then. Bytes are fetched in ranges, neighbours at once.
"""

from __future__ import annotations

import errno
import io
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from rollscope.errors import UnreadableError
from rollscope.storage.atomic import write_atomically
from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.objects.byte_cache import ByteCache, Content
from rollscope.storage.objects.object_client import (
    Url,
    client_of,
    has_odd_name,
    listing_error,
    parse_url,
    reading_error,
    repeated,
    store_errors,
)
from rollscope.storage.objects.object_listing import ObjectListing, folders_of
from rollscope.storage.store import FileChanged, Kind, Listing, Store
from rollscope.storage.window import Window

#: Keys listed below one address.
MAX_KEYS = 1_000_000
#: Listings that are kept: one may be of a million keys.
KEPT_LISTINGS = 16
#: Two ranges with less than this between them are fetched as one.
JOIN_BYTES = 256 << 10
#: More than this is not fetched at once for several ranges.
JOINED_BYTES = 8 << 20
#: A line that goes on behind what was asked for is followed in steps of this.
STEP_BYTES = 1 << 20
#: From so many bytes on, memory is used again.
LARGE_BYTES = 8 << 20
REQUESTS_AT_ONCE = 16
CACHE_BYTES = 64 << 20

#: A larger database is not copied.
COPY_BYTES = 2 << 30

_bytes = ByteCache(CACHE_BYTES)


@cache
def _copies() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="rollscope-copies-", ignore_cleanup_errors=True)


_listed: dict[tuple[str, str], ObjectListing] = {}
_listing = threading.Lock()
#: Folders of web servers -> the files in them that were named: most have no listings.
_alone: dict[tuple[str, str], set[str]] = {}


class ObjectStore(Store):
    far: ClassVar[bool] = True

    def __init__(self, url: Url) -> None:
        super().__init__(str(url))
        self._url = url
        self._client = client_of(url)
        self._prefix = f"{url.prefix}/" if url.prefix else ""
        self._taken: ObjectListing | None = None
        #: Path -> the state that reads of it ask for, where somebody said so.
        self._expected: dict[str, Fingerprint] = {}

    @classmethod
    def at(cls, address: str) -> ObjectStore:
        return cls(parse_url(address))

    # What there is

    def _objects(self) -> ObjectListing:
        """The listing this object goes by: taken once."""
        if self._taken is None:
            self._taken = self._current()
        return self._taken

    def _current(self) -> ObjectListing:
        base, prefix = self._url.base, self._url.prefix
        with _listing:
            parts = prefix.split("/") if prefix else []
            above = ["/".join(parts[:i]) for i in range(len(parts) + 1)]
            for folder in above:
                found = _listed.get((base, folder))
                # One that was cut says nothing about a folder in it, and all there is to know about its own.
                if found is not None and found.is_fresh() and (folder == prefix or found.is_whole()):
                    return found
            # An older listing of a folder above is repeated as a whole: one for all runs in it.
            known = next((folder for folder in above if (base, folder) in _listed), prefix)
            if known != prefix and not _listed[base, known].is_whole():
                known = prefix
            found = self._take(known)
            _listed.pop((base, known), None)
            _listed[base, known] = found
            while len(_listed) > KEPT_LISTINGS:
                del _listed[next(iter(_listed))]  # the oldest
            return found

    def _take(self, prefix: str) -> ObjectListing:
        started = time.monotonic()
        alone = _alone.get((self._url.base, prefix), ())
        left_out: frozenset[str] = frozenset()
        cut = False
        try:
            if alone:
                objects = {key: found for key in alone if (found := self._head(key)) is not None}
            else:
                objects = repeated(lambda: self._all_objects(prefix))
                cut = len(objects) >= MAX_KEYS
        except store_errors() as error:
            if not has_odd_name(error):
                raise listing_error(error, self._url) from None
            objects, left_out = self._folder_by_folder(prefix)
        cost = time.monotonic() - started
        return ObjectListing(objects, folders_of(objects), cut, time.monotonic(), cost, left_out=left_out)

    def _all_objects(self, prefix: str) -> dict[str, Fingerprint]:
        """In listings of a thousand, as far as MAX_KEYS."""
        import obstore

        objects: dict[str, Fingerprint] = {}
        for chunk in obstore.list(self._client, prefix or None, chunk_size=1000):
            objects.update((item["path"], _fingerprint(item)) for item in chunk)
            if len(objects) >= MAX_KEYS:
                break
        return objects

    def _folder_by_folder(self, prefix: str) -> tuple[dict[str, Fingerprint], frozenset[str]]:
        """The objects of all folders that can be listed, and the folders around those that cannot: the library gives up a
        listing with a name that is no path (`a//b`), which must take no more from us than the folder it is in."""
        import obstore

        objects: dict[str, Fingerprint] = {}
        left_out: set[str] = set()
        waiting = [prefix]
        while waiting and len(objects) < MAX_KEYS:
            folder = waiting.pop()
            try:
                found = repeated(lambda: obstore.list_with_delimiter(self._client, folder or None))  # noqa: B023  # at once
            except store_errors() as error:
                if not has_odd_name(error) or folder == prefix:
                    raise listing_error(error, self._url) from None
                left_out.add(folder.rpartition("/")[0])
                continue
            objects.update((item["path"], _fingerprint(item)) for item in found["objects"])
            waiting += found["common_prefixes"]
        return objects, frozenset(left_out)

    def forget(self) -> None:
        with _listing:
            for base, folder in list(_listed):
                if base == self._url.base and (self._prefix.startswith(f"{folder}/") or not folder):
                    del _listed[base, folder]

    def _list(self, folder: str) -> Listing:
        listed = self._objects()
        place = (self._prefix + folder).strip("/")
        files, folders = listed.folders.get(place, (set(), set()))
        return Listing(sorted(files), sorted(folders), listed.cut or place in listed.left_out)

    def stat(self, path: str) -> Fingerprint | None:
        return self._objects().objects.get(self._prefix + path)

    def kind(self) -> Kind:
        try:
            if self._objects().folders.get(self._url.prefix) or not self._url.prefix:
                return Kind.FOLDER
        except UnreadableError:
            if self._url.scheme not in ("http", "https"):
                raise  # most web servers have no listings; a single file can be read all the same
        if self._head(self._url.prefix) is None:
            return Kind.MISSING
        if self._url.scheme in ("http", "https"):
            _alone.setdefault((self._url.base, self._url.prefix.rpartition("/")[0]), set()).add(self._url.prefix)
        return Kind.FILE

    def _head(self, key: str) -> Fingerprint | None:
        import obstore

        try:
            return _fingerprint(obstore.head(self._client, key))
        except FileNotFoundError:
            return None
        except store_errors() as error:
            raise listing_error(error, self._url) from None

    def sub(self, folder: str) -> ObjectStore:
        return type(self)(Url(self._url.scheme, self._url.bucket, self._prefix + folder.strip("/")))

    def fresh(self) -> ObjectStore:
        return type(self)(self._url)

    def parent(self) -> ObjectStore:
        return type(self)(Url(self._url.scheme, self._url.bucket, self._url.prefix.rpartition("/")[0]))

    def full_path(self, path: str) -> str:
        return f"{self.address}/{path}"

    # Reading

    def expect(self, path: str, seen: Fingerprint) -> None:
        self._expected[path] = seen

    def _state(self, path: str) -> Fingerprint:
        """The object as it is to be read."""
        found = self._expected.get(path) or self.stat(path)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.full_path(path))
        return found

    def read(self, path: str, offset: int = 0, length: int = -1) -> bytes:
        state = self._state(path)
        end = min(offset + length, state.size) if length >= 0 else state.size
        return self._range(path, state, offset, end) if end > offset else b""

    def view(self, path: str, offset: int, length: int) -> bytes | memoryview:
        state = self._state(path)
        end = min(offset + length, state.size)
        found = _bytes.view((self.address, path, state.version), offset, end)
        return self.read(path, offset, length) if found is None else found

    def _range(self, path: str, state: Fingerprint, start: int, end: int) -> bytes:
        file = (self.address, path, state.version)
        content = _bytes.get(file, start, end)
        if content is None:
            content = self._fetch(path, state, start, end)
            _bytes.put(file, start, content)
        return content

    def _range_around(self, path: str, state: Fingerprint, start: int, end: int) -> tuple[int, Content, memoryview]:
        """(where it begins, a range that has these bytes, a view of it): not copied, and of a large range in memory that is
        used again once nobody looks into it."""
        file = (self.address, path, state.version)
        found = _bytes.range_around(file, start, end)
        if found is not None:
            return found
        if end - start < LARGE_BYTES:
            fetched = self._range(path, state, start, end)
            return start, fetched, memoryview(fetched)
        content = _bytes.take_buffer(end - start)
        at = 0
        for step in self._steps(path, state, start, end):
            content[at : at + len(step)] = step
            at += len(step)
        del content[at:]
        view = memoryview(content)
        _bytes.put(file, start, content)
        return start, content, view

    def _fetch(self, path: str, state: Fingerprint, start: int, end: int) -> bytes:
        content = io.BytesIO()
        for step in self._steps(path, state, start, end):
            content.write(step)
        return content.getvalue()

    def _steps(self, path: str, state: Fingerprint, start: int, end: int) -> Iterator[memoryview]:
        """A range as it comes. All at once, the library would put its pieces together and we would copy that: 64 MB take
        70 ms of CPU so, 50 in steps, 20 in steps into memory that was used before, and 34 from a disk."""
        import obstore

        options: Any = {"range": (start, end)}
        if state.etag:
            options["if_match"] = state.etag
        try:
            answer = obstore.get(self._client, self._prefix + path, options=options)
            for step in answer.stream(min_chunk_size=STEP_BYTES):
                yield memoryview(step)
        except store_errors() as error:
            failure = reading_error(error, self._url, path)
            if isinstance(failure, FileChanged):
                self.forget()
            raise failure from None

    def read_many(self, path: str, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
        self.prefetch((path, offset, offset + length) for offset, length in ranges)
        for offset, length in ranges:
            yield self.read(path, offset, length)

    def prefetch(self, ranges: Iterable[tuple[str, int, int]]) -> None:
        states = [(path, self._state(path), start, end) for path, start, end in _joined(ranges)]
        wanted = [(path, state, start, min(end, state.size)) for path, state, start, end in states]
        missing = [item for item in wanted if _bytes.view((self.address, item[0], item[1].version), *item[2:]) is None]
        if len(missing) <= 1:
            for item in missing:
                _quietly(self._range_around, *item)
            return
        with ThreadPoolExecutor(min(REQUESTS_AT_ONCE, len(missing))) as threads:
            list(threads.map(lambda item: _quietly(self._range_around, *item), missing))

    def open(self, path: str) -> BinaryIO:
        return io.BufferedReader(_Stream(self, path, self._state(path)), STEP_BYTES)

    def local_path(self, path: str) -> str | None:
        """A copy that lives as long as this process: for databases, which only files on a disk can be."""
        state = self._state(path)
        if state.size > COPY_BYTES:
            return None
        name = blake2b("\0".join((self.address, path, state.version)).encode(), digest_size=12).hexdigest()
        copy = Path(_copies().name, name)
        if not copy.exists():
            write_atomically(copy, self._fetch(path, state, 0, state.size), durable=False)
        return str(copy)

    @contextmanager
    def window(self, path: str, start: int, end: int) -> Iterator[Window]:
        state = self._state(path)
        size = state.size
        begin, stop = max(0, start - 1), min(end, size)

        def more(at: int, length: int) -> bytes:
            return self._range(path, state, at, min(at + min(length, STEP_BYTES), size)) if at < size else b""

        empty = b""
        at, content, _view = (
            self._range_around(path, state, begin, stop) if stop > begin else (begin, empty, memoryview(empty))
        )
        yield Window(content, at, size, more)


class _Stream(io.RawIOBase):
    """An object as a seekable file."""

    def __init__(self, store: ObjectStore, path: str, state: Fingerprint) -> None:
        self._store, self._path, self._state, self._at = store, path, state, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._state.size}[whence]
        self._at = max(0, origin + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._state.size)
        if end <= self._at:
            return 0
        content = self._store._range(self._path, self._state, self._at, end)
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)


def _fingerprint(item: Any) -> Fingerprint:
    modified = int(item["last_modified"].timestamp() * 1e9)
    return Fingerprint(item["size"], modified, etag=item.get("e_tag") or item.get("version") or "")


def _joined(ranges: Iterable[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Ranges of one file that lie near each other as one, as long as that is not much more."""
    joined: list[tuple[str, int, int]] = []
    for path, start, end in sorted(ranges):
        if joined:
            last_path, last_start, last_end = joined[-1]
            near = path == last_path and start - last_end <= JOIN_BYTES
            if near and max(end, last_end) - last_start <= max(JOINED_BYTES, last_end - last_start):
                joined[-1] = (path, last_start, max(end, last_end))
                continue
        joined.append((path, start, end))
    return joined


def _quietly(work: Callable[..., object], *given: object) -> None:
    """A failure to fetch ahead is ignored: reading will report it."""
    try:
        work(*given)
    except OSError:
        return
