"""Which format claimed a folder, remembered: to ask all of them again, all of them must be imported (40 ms, a fifth of a short
command).

What they looked at is remembered with the answer: the listings of folders, and the files that were read. While these are the
same, and so are the formats, the answer is the same too. Where anything differs, or a plug-in is installed, all are asked.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache

import msgspec
import xxhash
from msgspec import Struct

from rollscope.formats.base import Claim
from rollscope.formats.entry_points import EntryPoint, entry_points
from rollscope.formats.registry import GROUP, Detection, detect
from rollscope.storage.atomic import write_atomically
from rollscope.storage.fingerprint import Fingerprint, now_ns
from rollscope.storage.local import LocalStore
from rollscope.storage.store import Listing, Store
from rollscope.storage.tracking_store import TrackingStore

_OURS = "rollscope.formats."
#: More files than this are not worth comparing: a thousand cost 3 ms, which all formats' imports cost thirteen times.
MAX_FILES = 1_000


class _Answer(Struct):
    formats: str
    listings: dict[str, str]
    files: dict[str, Fingerprint | None]
    #: Name and class of the format.
    point: EntryPoint
    claim: Claim
    others: list[tuple[str, Claim]]


_decoder = msgspec.msgpack.Decoder(_Answer)


def detect_or_remember(store: Store, home: str) -> Detection | None:
    """As `detect`, with what is remembered in the folder `home`. Only folders that hold a run are remembered."""
    formats = _formats()
    if formats is None or type(store) is not LocalStore:
        return detect(store)
    place = os.path.join(home, xxhash.xxh3_128_hexdigest(os.fsencode(store.address)))
    known = _read(place)
    if known is not None and known.formats == formats and _is_same(known, store):
        return Detection(format=known.point.load()(), claim=known.claim, others=known.others, broken=[])
    looked = now_ns()
    tracked = TrackingStore(store)
    found = detect(tracked)
    if found is not None and not found.broken and tracked.complete and len(tracked.looked_at) <= MAX_FILES:
        states = tracked.looked_at.values()
        if all(state is None or state.settled(looked) for state in states) and _is_unchanged(tracked, store):
            _write(place, formats, found, tracked)
    return found


@cache
def _formats() -> str | None:
    """The formats there are, as one word; None where there are others than our own, of which nobody knows here whether
    they have changed."""
    points = sorted(entry_points(GROUP))
    if not points or not all(point.value.startswith(_OURS) for point in points):
        return None
    return xxhash.xxh3_64_hexdigest(msgspec.msgpack.encode([points, _modules()]))


def _modules() -> list[tuple[str, int]]:
    """Our formats' own files and when they were written: an edited format must be asked again."""
    found = []
    folders = [os.path.dirname(__file__)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    found.append((entry.path, entry.stat().st_mtime_ns))
                elif entry.is_dir() and entry.name != "__pycache__":
                    folders.append(entry.path)
    return sorted(found)


def _is_same(known: _Answer, store: Store) -> bool:
    return all(_digest(store.listing(folder)) == digest for folder, digest in known.listings.items()) and all(
        store.stat(path) == state for path, state in known.files.items()
    )


def _is_unchanged(tracked: TrackingStore, store: Store) -> bool:
    """Nothing happened to the files while they were looked at."""
    now = store.fresh()
    return all(now.listing(folder) == listing for folder, listing in tracked.listed.items()) and all(
        now.stat(path) == state for path, state in tracked.looked_at.items()
    )


def _digest(listing: Listing) -> str:
    return xxhash.xxh3_128_hexdigest(msgspec.msgpack.encode(listing))


def _read(place: str) -> _Answer | None:
    try:
        with open(place, "rb") as file:
            return _decoder.decode(file.read())
    except (OSError, msgspec.MsgspecError):
        return None


def _write(place: str, formats: str, found: Detection, tracked: TrackingStore) -> None:
    points = {point.name: point for point in entry_points(GROUP)}
    point = points.get(found.format.name)
    if point is None or found.format.part or type(point.load()()) is not type(found.format):
        return
    listings = {folder: _digest(listing) for folder, listing in tracked.listed.items()}
    answer = _Answer(formats, listings, tracked.looked_at, point, found.claim, found.others)
    with suppress(OSError):  # it is only quicker with it
        os.makedirs(os.path.dirname(place), exist_ok=True)
        write_atomically(place, msgspec.msgpack.encode(answer), durable=False)
