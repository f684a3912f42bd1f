"""A file that torch saved, opened without it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rollscope.formats.containers.pickle import load_torch
from rollscope.formats.containers.zip import Zip, open_zip
from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store

#: Of a pickle that may be gigabytes of weights: what it is shows at its beginning.
_HEAD = 64 << 10


class Dump(Struct):
    """What torch saved, and the archive in which its tensors lie."""

    value: Any
    archive: Zip


def open_dump(store: Store, path: str) -> Dump:
    archive = open_zip(store, path)
    return Dump(load_torch(archive), archive)


#: A rollout function may return groups, and what one prompt became as a list in its group.
_NESTED = 2
#: Unpickled files: a rollout's and what was trained of it.
DUMPS: KeptOpen[Dump] = KeptOpen(open_dump, limit=2, attempts=2)


def is_rollout(archive: Zip) -> bool:
    name = next((name for name in archive.names if name.rpartition("/")[2] == "data.pkl"), None)
    if name is None:
        return False
    head = archive.read_stored(name, 0, _HEAD)
    if b"rollout_position" in head:
        return False  # what was trained of a rollout, which is not here
    return b"samples" in head and (b"rollout_id" in head or b"response_length" in head)


def samples_of(dump: Dump) -> list[Any]:
    samples = dump.value.get("samples") if isinstance(dump.value, dict) else None
    if not isinstance(samples, (list, tuple)):
        raise ValueError("it has no samples")
    for _ in range(_NESTED):
        samples = [item for entry in samples for item in (entry if isinstance(entry, (list, tuple)) else [entry])]
    return list(samples)
