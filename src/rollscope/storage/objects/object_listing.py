"""What is below an address of an object store, as one listing told it, and how long that counts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from msgspec import Struct

from rollscope.storage.fingerprint import Fingerprint

#: A listing serves everybody for this long, and for twenty times what it took. ROLLSCOPE_POLL says otherwise.
POLL_SECONDS = 5.0
POLL_SHARE = 20


class ObjectListing(Struct):
    """All objects below a prefix, by key."""

    objects: dict[str, Fingerprint]
    folders: dict[str, tuple[set[str], set[str]]]
    cut: bool
    taken: float
    cost: float
    #: The commit that it is of, where there are such.
    commit: str = ""
    #: Folders with folders that could not be listed.
    left_out: frozenset[str] = frozenset()

    def is_whole(self) -> bool:
        """Whether it says what is in every folder below."""
        return not self.cut and not self.left_out

    def is_fresh(self) -> bool:
        return time.monotonic() - self.taken < max(poll_seconds(), POLL_SHARE * self.cost if poll_seconds() else 0.0)


def poll_seconds() -> float:
    try:
        return float(os.environ.get("ROLLSCOPE_POLL", ""))
    except ValueError:
        return POLL_SECONDS


def folders_of(objects: Iterable[str]) -> dict[str, tuple[set[str], set[str]]]:
    """Folder -> (files, folders) directly in it."""
    tree: dict[str, tuple[set[str], set[str]]] = {}
    for key in objects:
        folder, _, name = key.rpartition("/")
        tree.setdefault(folder, (set(), set()))[0].add(name)
        while folder:
            above, _, name = folder.rpartition("/")
            known = tree.setdefault(above, (set(), set()))[1]
            if name in known:
                break
            known.add(name)
            folder = above
    return tree
