"""Named layouts of charts on disk: in the user's data directory, never in a run's."""

from __future__ import annotations

import hashlib
import os
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from rollscope.errors import LimitError, NotFoundError, UsageError
from rollscope.userdata.store import file_name, folder, read_value, write_value

MAX_NAME = 100
MAX_LAYOUT_BYTES = 256 * 1024
MAX_DASHBOARDS = 500


class Dashboard(Struct, kw_only=True):
    """A named layout of charts. What is in ``layout`` is the page's affair."""

    name: str
    layout: dict[str, Any]
    modified: Annotated[float, Meta(description="Seconds since the epoch.")]


class DashboardName(Struct, kw_only=True):
    name: str
    modified: float
    bytes: int


class DashboardStore:
    """The layouts that belong to one set of opened paths, one file each.

    File names are hashes of the layouts' names: a name may be anything a person types, and cannot lead elsewhere."""

    def __init__(self, paths: Sequence[str], directory: Path | None = None) -> None:
        # A folder is the same by whatever link it is reached; an object store's address is what it is.
        roots = sorted(os.path.realpath(path) if os.path.isabs(path) else path for path in paths)
        key = hashlib.sha256("\0".join(roots).encode("utf-8", "surrogateescape")).hexdigest()[:24]
        self.directory = (directory or folder("dashboards")) / key

    def names(self) -> list[DashboardName]:
        found = [self._name(path) for path in self.directory.glob("*.json")]
        return sorted((name for name in found if name is not None), key=lambda item: item.name.casefold())

    def load(self, name: str) -> Dashboard:
        try:
            return read_value(self._path(name), Dashboard)
        except FileNotFoundError:
            raise self._missing(name) from None

    def save(self, name: str, layout: dict[str, Any]) -> Dashboard:
        path = self._path(name)
        body = msgspec.json.encode(dashboard := Dashboard(name=_clean(name), layout=layout, modified=time.time()))
        if len(body) > MAX_LAYOUT_BYTES:
            raise LimitError(
                f"the layout has {len(body):,} bytes; the limit is {MAX_LAYOUT_BYTES:,}", hint="save a smaller one"
            )
        if not path.exists() and sum(1 for _ in self.directory.glob("*.json")) >= MAX_DASHBOARDS:
            raise LimitError(f"there are {MAX_DASHBOARDS} layouts already", hint="delete one first")
        write_value(path, body)
        return dashboard

    def delete(self, name: str) -> DashboardName:
        path = self._path(name)
        gone = self._name(path)
        if gone is None:
            raise self._missing(name)
        path.unlink(missing_ok=True)
        return gone

    def _path(self, name: str) -> Path:
        return self.directory / file_name(_clean(name), ".json")

    def _name(self, path: Path) -> DashboardName | None:
        try:
            body = path.read_bytes()
            dashboard = msgspec.json.decode(body, type=Dashboard)
        except (OSError, msgspec.DecodeError):
            return None
        return DashboardName(name=dashboard.name, modified=dashboard.modified, bytes=len(body))

    def _missing(self, name: str) -> NotFoundError:
        known = ", ".join(item.name for item in self.names()[:10])
        return NotFoundError(
            f"no layout is called {name!r}", hint=f"there are: {known}" if known else "none is saved yet"
        )


def _clean(name: str) -> str:
    name = unicodedata.normalize("NFC", name.strip())
    if not name or len(name) > MAX_NAME or any(unicodedata.category(letter)[0] == "C" for letter in name):
        raise UsageError(
            f"{name[:MAX_NAME]!r} cannot be a layout's name", hint=f"1 to {MAX_NAME} characters, none of them invisible"
        )
    return name
