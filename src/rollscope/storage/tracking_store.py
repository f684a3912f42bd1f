"""A local store that notes what was looked at, so that somebody can see later whether a second look would see the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.local import LocalStore
from rollscope.storage.store import Listing


class TrackingStore(LocalStore):
    def __init__(self, of: LocalStore) -> None:
        super().__init__(of.address, real_root=of.identity)
        #: Path -> the file as it was; None where there was none.
        self.looked_at: dict[str, Fingerprint | None] = {}
        #: False: something was looked at that is not noted.
        self.complete = True

    @property
    def listed(self) -> dict[str, Listing]:
        """Folder -> what was in it."""
        return dict(self._listings)

    def _note(self, path: str) -> None:
        if path not in self.looked_at:
            self.looked_at[path] = super().stat(path)

    def stat(self, path: str) -> Fingerprint | None:
        self._note(path)
        return super().stat(path)

    def open(self, path: str) -> BinaryIO:
        self._note(path)
        return super().open(path)

    @contextmanager
    def _descriptor(self, path: str) -> Iterator[int]:
        self._note(path)
        with super()._descriptor(path) as descriptor:
            yield descriptor

    def local_path(self, path: str) -> str:
        self.complete = False
        return super().local_path(path)

    def sub(self, folder: str) -> LocalStore:
        self.complete = False
        return super().sub(folder)

    def parent(self) -> LocalStore:
        self.complete = False
        return super().parent()

    def fresh(self) -> LocalStore:
        self.complete = False
        return super().fresh()
