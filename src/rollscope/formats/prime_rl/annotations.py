"""What prime-rl learns of a trace after it was written: when it was shipped to the trainer, and values per token.

Every producer (orchestrator, trainer, …) appends to `annotations/<producer>/NNNNN.jsonl[.zst]`, in the first days to
`annotations/<producer>.jsonl`; its `<producer>.index.jsonl` repeats what is short. The index is read where there is one,
and the lines that it does not know yet are read themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
import xxhash
from msgspec import Raw, Struct

from rollscope.formats.containers.zstd import has_seek_table
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.lines.sealed import read_bytes
from rollscope.formats.prime_rl.rows import one_advantage
from rollscope.model import as_number
from rollscope.storage.store import Store

CHUNK = re.compile(r"(\d+)\.jsonl(\.zst)?")
#: The number of the single file of the first days, which lies where the folder of chunks does now.
SINGLE = -1
_INDEX = ".index.jsonl"
#: Annotations are as long as their trace's tokens: more than this in one line is no annotation.
MAX_LINE = 256 << 20
_PIECE = 1 << 20
_Line = TypeVar("_Line", bound=Struct)


class _Entry(Struct):
    """A line of `<producer>.index.jsonl`, or of the stream itself."""

    trace_id: str
    info: dict[str, Any] = {}
    chunk: int = SINGLE
    offset: int | None = None
    branches: Raw = Raw(b"")


_decode = msgspec.json.Decoder(_Entry).decode


class Shipment(Struct):
    """One trace: the least step it was shipped for (None: it was not), its advantage, where its annotations lie."""

    step: int | None = None
    advantage: float | None = None
    #: Whether any annotation counts it in; None where none says so or not.
    effective: bool | None = None
    #: (producer, path, place of the line in its text)
    places: list[tuple[str, str, int]] = []

    def add(self, producer: str, entry: _Entry, path: str, offset: int) -> None:
        ship = entry.info.get("ship")
        step = as_number(ship.get("step")) if isinstance(ship, dict) else None
        if entry.info.get("effective") and step is not None:
            self.step = int(step) if self.step is None else min(self.step, int(step))
        if isinstance(effective := entry.info.get("effective"), bool):
            self.effective = self.effective or effective
        advantage = as_number(entry.info.get("advantage"))
        self.advantage = self.advantage if advantage is None else advantage
        self.places = [*self.places, (producer, path, offset)]


def chunks(store: Store, folder: str) -> dict[int, str]:
    """Number -> path. Of a plain chunk and its sealed twin the sealed one counts, once it is whole."""
    found = {SINGLE: single} if store.exists(single := f"{folder}.jsonl") else {}
    for name in store.files(folder):
        if match := CHUNK.fullmatch(name):
            path, number = f"{folder}/{name}", int(match[1])
            if not match[2]:
                found.setdefault(number, path)
            elif has_seek_table(store, path) or not store.exists(path.removesuffix(".zst")):
                found[number] = path
    return dict(sorted(found.items()))


def shipments(store: Store, base: str) -> dict[str, Shipment]:
    """By trace id, from all producers."""
    folder = f"{base}annotations"
    paths = [f"{folder}/{name}" for name in store.files(folder)]
    paths += [f"{folder}/{producer}/{name}" for producer in store.folders(folder)
              for name in store.files(f"{folder}/{producer}")]  # fmt: skip
    return _shipments(StateKey(store, base, *((path, store.stat(path)) for path in paths)))


@lru_cache(maxsize=4)
def _shipments(key: StateKey) -> dict[str, Shipment]:
    folder = f"{key.path}annotations"
    found: dict[str, Shipment] = {}
    files = [name.removesuffix(".jsonl") for name in key.store.files(folder) if not name.endswith(_INDEX)]
    for producer in dict.fromkeys([*files, *key.store.folders(folder)]):
        for entry, path, offset in _entries(key.store, folder, producer):
            found.setdefault(entry.trace_id, Shipment()).add(producer, entry, path, offset)
    return found


def _entries(store: Store, folder: str, producer: str) -> Iterator[tuple[_Entry, str, int]]:
    paths = chunks(store, f"{folder}/{producer}")
    read_to = (SINGLE, -1)
    for entry in index_lines(store, f"{folder}/{producer}{_INDEX}", _Entry):
        if entry.chunk in paths and entry.offset is not None:
            yield entry, paths[entry.chunk], entry.offset
            read_to = max(read_to, (entry.chunk, entry.offset))
    for number, path in paths.items():
        if number >= read_to[0]:
            start = read_to[1] if number == read_to[0] else -1
            for offset, line in lines_after(store, path, start):
                try:
                    yield _decode(line), path, offset
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    continue


class StateKey:
    """The state of some files as a key of a cache: what was made of them is made again when one has changed."""

    def __init__(self, store: Store, path: str, *states: Any) -> None:
        self.store, self.path = store, path
        self._identity = msgspec.json.encode((store.address, path, states))

    def __hash__(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StateKey) and self._identity == other._identity


def index_lines(store: Store, path: str, kind: type[_Line]) -> list[_Line]:
    """The lines of an index; torn ones are left out, their lines in the stream are read instead."""
    found = []
    try:
        data = store.read(path) if store.exists(path) else b""
    except OSError:
        return []
    decode = msgspec.json.Decoder(kind).decode
    for line in data.split(b"\n"):
        try:
            found.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
    return found


class _Landed(Struct):
    """A line of `stream.index.jsonl`."""

    chunk: int = 0
    id: str = ""
    trace_ids: list[str] = []
    kind: str | None = None


class StreamIndex(Struct):
    """What the index of the stream knows: which traces have landed, and a digest per chunk of what is known of them."""

    landed: frozenset[str]
    digests: dict[int, str]
    #: Of all traces together: for a chunk that the index does not name.
    digest: str
    #: The newest step anything was shipped for.
    step: int
    #: The newest step whose evaluation is over: only then is anything said of its episodes. -1: none is.
    evaluated: int


def stream(store: Store, base: str) -> StreamIndex:
    path = f"{base}stream.index.jsonl"
    shipped = shipments(store, base)
    return _stream(StateKey(store, base, store.stat(path) if store.exists(path) else None, id(shipped)))


@lru_cache(maxsize=4)
def _stream(key: StateKey) -> StreamIndex:
    shipped = shipments(key.store, key.path)
    hashes = {trace: _hash(trace, shipment) for trace, shipment in shipped.items()}
    sums: dict[int, int] = {}
    landed: set[str] = set()
    evaluated = -1
    for line in index_lines(key.store, f"{key.path}stream.index.jsonl", _Landed):
        landed.update((line.id, *line.trace_ids))
        for trace in line.trace_ids or (line.id,):
            if line.kind == "eval" and trace in shipped and (step := shipped[trace].step) is not None:
                evaluated = max(evaluated, step)
            sums[line.chunk] = sums.get(line.chunk, 0) ^ hashes.get(trace, 0)
    total = 0
    for value in hashes.values():
        total ^= value
    steps = [shipment.step for shipment in shipped.values() if shipment.step is not None]
    digests = {chunk: f"{value:x}{evaluated:d}" for chunk, value in sums.items()}
    return StreamIndex(frozenset(landed), digests, f"{total:x}{evaluated:d}", max(steps, default=0), evaluated)


def _hash(trace: str, shipment: Shipment) -> int:
    return int(
        xxhash.xxh3_64_intdigest(
            f"{trace} {shipment.step} {shipment.effective} {shipment.advantage} {len(shipment.places)}".encode()
        )
    )


def lines_after(store: Store, path: str, after: int) -> Iterator[tuple[int, bytes]]:
    """(place, line) of the lines that begin behind `after` in a plain or sealed file of lines; whole ones only."""
    position = max(after, 0)
    skip_first = after >= 0
    rest = b""
    while True:
        try:
            piece = read_bytes(store, path, position + len(rest), _PIECE)
        except (OSError, Unreadable):
            return
        data = rest + piece
        lines = data.split(b"\n")
        for line in lines[:-1]:
            if not skip_first and line.strip():
                yield position, line
            skip_first = False
            position += len(line) + 1
        rest = lines[-1]
        if not piece or len(rest) > MAX_LINE:
            return


def annotation(store: Store, path: str, offset: int) -> dict[str, Any] | None:
    """The annotation whose line begins there."""
    length = 64 << 10
    while length <= MAX_LINE:
        try:
            data = read_bytes(store, path, offset, length)
        except (OSError, Unreadable):
            return None
        line, newline, _ = data.partition(b"\n")
        if newline or len(data) < length:
            try:
                return decode_line(line)[0]
            except Unreadable:
                return None
        length *= 4
    return None


def shipped_advantage(store: Store, shipment: Shipment) -> float | None:
    """The advantage that the trace was shipped with; where only its tokens say it, the one they all have."""
    if shipment.advantage is not None:
        return shipment.advantage
    for _, path, offset in shipment.places:
        found = annotation(store, path, offset) or {}
        branches = found.get("branches")
        streams = (
            [item.get("advantages") for item in branches if isinstance(item, dict)]
            if isinstance(branches, list)
            else []
        )
        if any(streams):
            return one_advantage(streams)
    return None
