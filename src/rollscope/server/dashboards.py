"""Named layouts of charts on disk: in the user's data directory, never in a run's."""

from __future__ import annotations

import hashlib
import os
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from rollscope.errors import NotFoundError, UsageError
from rollscope.server.http.errors import HttpError
from rollscope.server.schema.answers import Dashboard, DashboardName
from rollscope.storage.atomic import write_atomically
from rollscope.storage.user_dirs import data_dir

MAX_NAME = 100
MAX_LAYOUT_BYTES = 256 * 1024
MAX_DASHBOARDS = 500


class DashboardStore:
    """The layouts that belong to one set of opened paths, one file each.

    File names are hashes of the layouts' names: a name may be anything a person types, and cannot lead elsewhere."""

    def __init__(self, paths: Sequence[str], directory: Path | None = None) -> None:
        roots = sorted(str(path) if "://" in str(path) else os.path.realpath(path) for path in paths)
        key = hashlib.sha256("\0".join(roots).encode("utf-8", "surrogateescape")).hexdigest()[:24]
        self.directory = (directory or data_dir() / "dashboards") / key

    def names(self) -> list[DashboardName]:
        found = [self._name(path) for path in self.directory.glob("*.json")]
        return sorted((name for name in found if name is not None), key=lambda item: item.name.casefold())

    def load(self, name: str) -> Dashboard:
        try:
            return msgspec.json.decode(self._path(name).read_bytes(), type=Dashboard)
        except FileNotFoundError:
            raise self._missing(name) from None

    def save(self, name: str, layout: dict[str, Any]) -> Dashboard:
        path = self._path(name)
        body = msgspec.json.encode(dashboard := Dashboard(name=_clean(name), layout=layout, modified=time.time()))
        if len(body) > MAX_LAYOUT_BYTES:
            raise HttpError(
                413, f"the layout has {len(body):,} bytes; the limit is {MAX_LAYOUT_BYTES:,}", hint="save a smaller one"
            )
        self.directory.mkdir(parents=True, exist_ok=True)
        if not path.exists() and sum(1 for _ in self.directory.glob("*.json")) >= MAX_DASHBOARDS:
            raise HttpError(409, f"there are {MAX_DASHBOARDS} layouts already", hint="delete one first")
        write_atomically(path, body, durable=True)
        return dashboard

    def delete(self, name: str) -> DashboardName:
        path = self._path(name)
        gone = self._name(path)
        if gone is None:
            raise self._missing(name)
        path.unlink(missing_ok=True)
        return gone

    def _path(self, name: str) -> Path:
        return self.directory / (hashlib.sha256(_clean(name).encode()).hexdigest()[:32] + ".json")

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
