"""Where the index of a run lies: a folder of the user's cache or of the place the user named, never the run's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import xxhash

from rollscope.errors import UnreadableError
from rollscope.formats.base import Format
from rollscope.index.manifest.root import MANIFEST
from rollscope.storage.objects.object_client import is_url
from rollscope.storage.store import Store
from rollscope.storage.user_dirs import cache_dir

if TYPE_CHECKING:
    import tempfile

    from rollscope.index.shared import SharedIndex

HINT = "choose another place with --index-dir or ROLLSCOPE_INDEX_DIR"


def index_home(base: str | None = None) -> str:
    """The folder of this machine that holds the indexes of all runs, or what was fetched of them."""
    named = base or os.environ.get("ROLLSCOPE_INDEX_DIR")
    return named if named and not is_url(named) else str(cache_dir() / "index")


def claims_folder(base: str | None = None) -> str:
    """Where it is remembered which format claimed a folder."""
    return os.path.join(index_home(base), "claims")


class Location:
    """`folder` is the run's, whether or not it can be written. What is new goes to `writable`: the same folder, or a
    temporary one that is removed when the process ends. `warning` says so, or is empty."""

    def __init__(self, store: Store, format_: Format, base: str | None = None) -> None:
        named = base or os.environ.get("ROLLSCOPE_INDEX_DIR")
        #: The index that others share, where one is named: then the folder keeps what was fetched of it.
        self.shared_base = named if named and is_url(named) else None
        home = index_home(base)
        self.run = _digest(store, format_)
        inner = xxhash.xxh3_64_hexdigest(self.shared_base.encode()) if self.shared_base else ""
        self.folder = os.path.join(home, f"{self.run}-{inner}" if inner else self.run)
        self.warning = ""
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        problem = _problem(self.folder)
        self._is_writable = not problem
        if not problem:
            return
        if os.access(os.path.join(self.folder, MANIFEST), os.R_OK):
            self.warning = (
                f"the index in {home} can be read but not written ({problem}): what is new in this run's files is read "
                f"again by every command; {HINT}"
            )
        elif named and not self.shared_base:
            raise UnreadableError(f"the index cannot be kept in {home}: {problem}", hint=HINT)
        else:
            self.warning = (
                f"the index cannot be kept in {home} ({problem}): this run is read again by every command; {HINT}"
            )

    def shared(self) -> SharedIndex | None:
        if self.shared_base is None:
            return None
        from rollscope.index.shared import SharedIndex

        readonly = os.environ.get("ROLLSCOPE_INDEX_READONLY", "").lower() in ("1", "true", "yes", "on")
        return SharedIndex(self.shared_base, self.run, self.writable, readonly=readonly)

    @property
    def writable(self) -> str:
        if self._is_writable:
            os.makedirs(self.folder, exist_ok=True)  # somebody may have deleted it since
            return self.folder
        if self._temporary is None:
            import tempfile

            self._temporary = tempfile.TemporaryDirectory(prefix="rollscope-index-", ignore_cleanup_errors=True)
        return self._temporary.name


def _digest(store: Store, format_: Format) -> str:
    """By the run's real path, whatever link leads to it, and by what it is read as: reading it as something else, too,
    must not throw the first index away."""
    name = "\0".join((store.identity, format_.name, format_.part))
    return xxhash.xxh3_128_hexdigest(name.encode("utf-8", "surrogateescape"))


def _problem(folder: str) -> str:
    """Why nothing can be written there, or ""."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return "" if os.access(folder, os.W_OK | os.X_OK) else "no permission to write"
