"""Records that can only be read from their beginning: lines under gzip or zstd, one JSON list of them (or lines, or one
record, in a file that is called `.json`), and CSV with a line of names.

What such a file unpacks to is held in memory while it is read, up to a limit that is announced.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import zstandard

from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.storage.store import Store

#: A file that unpacks to more is refused.
MAX_BYTES = 256 << 20
#: A file that is one record: it is read to see what it is.
MAX_RECORD_BYTES = 32 << 20
LINES = (".jsonl.gz", ".jsonl.zst", ".ndjson.gz", ".ndjson.zst")
LIST = (".json", ".json.gz")
CSV = ".csv"
_PIECE = 1 << 20
#: How a list of records begins, by itself or as a member of one object.
_LIST_HEAD = re.compile(rb'\s*\[\s*\{|\s*\{.{0,3000}?"(\w+)"\s*:\s*\[\s*\{', re.DOTALL)
#: Names of that member: what else an object may list is none of our business.
MEMBERS = ("samples", "rollouts", "records", "results", "data", "trajectories", "episodes", "examples")
#: Or a step, each with a list of its records.
_STEP = re.compile(rb"(?:step_?)?(\d+)")
_HEAD_BYTES = 4 << 10
_LONG_LINES = 1 << 20
_OBJECT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"')
_KEY = re.compile(rb'"(\w+)"\s*:')
_OBJECT_HEAD = 64 << 10
_NOTHING = msgspec.Raw()
#: Records under names that are compared.
_NAMED = 2


class PackedRecords:
    """The records of such a file, each decoded when it is asked for."""

    def __init__(self, store: Store, path: str) -> None:
        stat = store.stat(path)
        if stat is not None and stat.size > MAX_BYTES:
            raise ValueError(
                f"it has {stat.size:,} bytes, and is read whole; more than {MAX_BYTES:,} are not: write it as lines"
            )
        data = store.read(path)
        self._parts: list[Any]
        if path.endswith(".gz"):
            data = unzipped(data)
        elif path.endswith(".zst"):
            data = _joined(_unzstd(data))
        if path.endswith(LINES):
            self._parts = [line for line in data.split(b"\n") if line.strip()]
        elif path.endswith(CSV):
            self._parts = list(_csv_rows(data))
        elif _are_lines(lines := [line for line in data.split(b"\n") if line.strip()]):
            self._parts = list(lines)
        else:
            self._parts = _listed(data)

    @property
    def num_rows(self) -> int:
        return len(self._parts)

    def record(self, number: int) -> dict[str, Any]:
        """Raises `Unreadable` for one that is none."""
        part = self._parts[number]
        if isinstance(part, Unreadable):
            raise part
        return part if isinstance(part, dict) else decode_line(bytes(part))[0]


def is_one_record(store: Store, path: str, keys: Collection[str]) -> bool:
    """Whether a `.json` begins as an object that has one of these keys, by its first bytes. One that is very large is about
    something else."""
    stat = store.stat(path)
    if stat is None or stat.size > MAX_RECORD_BYTES:
        return False
    try:
        head = _head(store, path, _OBJECT_HEAD)
    except OSError:
        return False
    return _OBJECT.match(head) is not None and not {key.decode() for key in _KEY.findall(head)}.isdisjoint(keys)


def is_record_list(store: Store, path: str) -> bool:
    """Whether a `.json` begins as a list of records does, or as lines of them."""
    try:
        if not path.endswith(".gz") and _are_lines(store.first_lines(path, count=2, limit=_LONG_LINES)):
            return True
        found = _LIST_HEAD.match(_head(store, path, _HEAD_BYTES))
    except OSError:
        return False
    return found is not None and (
        found[1] is None or found[1].decode() in MEMBERS or _STEP.fullmatch(found[1]) is not None
    )


def _head(store: Store, path: str, count: int) -> bytes:
    """The first bytes of what the file says. What cannot be unpacked says nothing."""
    data = store.read(path, 0, count)
    if not path.endswith(".gz"):
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, count)
    except zlib.error:
        return b""


def csv_names(store: Store, path: str) -> list[str]:
    """The names in a CSV's first line; none where it is too long to be one."""
    try:
        first = store.first_lines(path, count=1, limit=_HEAD_BYTES)
        return next(csv.reader([first[0].decode("utf-8-sig", "replace").strip()]), []) if first else []
    except (OSError, csv.Error):
        return []


def _csv_rows(data: bytes) -> Iterator[dict[str, Any] | Unreadable]:
    """An empty cell is missing. A row of another length than the names is torn, or no row."""
    csv.field_size_limit(MAX_BYTES)
    rows = csv.reader(io.StringIO(data.decode("utf-8-sig", "replace"), newline=""))
    try:
        names = next(rows, [])
        for row in rows:
            if len(row) == len(names):
                yield {name: cell for name, cell in zip(names, row) if cell}
            elif row:
                yield Unreadable(f"it has {len(row)} cells, and there are {len(names)} names")
    except csv.Error as error:
        raise ValueError(f"it is no CSV ({error})") from error


def _are_lines(lines: Sequence[bytes]) -> bool:
    """Two lines, each an object of its own."""
    try:
        return len(lines) > 1 and all(decode_line(line) for line in lines[:2])
    except Unreadable:
        return False


def _listed(data: bytes) -> list[Any]:
    try:
        try:
            return list(msgspec.json.decode(data, type=list[msgspec.Raw]))
        except msgspec.ValidationError:
            found = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
            listed = next((raw for name in MEMBERS if bytes(raw := found.get(name, _NOTHING)).startswith(b"[")), None)
            if listed is None:
                if by_step := _by_step(found):
                    return list(by_step)
                return list(found.values()) if _are_named_records(found) else [data]
            return list(msgspec.json.decode(listed, type=list[msgspec.Raw]))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    # Not strict (a bare NaN): the lenient reader takes one object.
    try:
        whole = decode_line(b'{"data":' + data + b"}")[0]["data"]
    except Unreadable as error:
        raise ValueError(str(error)) from error
    if isinstance(whole, dict):
        whole = next((whole[name] for name in MEMBERS if isinstance(whole.get(name), list)), [whole])
    if not isinstance(whole, list):
        raise ValueError("it is no list of records")
    return [item if isinstance(item, dict) else msgspec.json.encode(None) for item in whole]


def _by_step(found: dict[str, msgspec.Raw]) -> list[dict[str, Any]]:
    """Records whose list is named by their step, which they may say themselves; none where the names are others."""
    steps = [_STEP.fullmatch(name.encode()) for name in found]
    if not found or not all(steps) or not all(bytes(raw).startswith(b"[") for raw in found.values()):
        return []
    lists = [msgspec.json.decode(raw, type=list[dict[str, Any]]) for raw in found.values()]
    return [{"step": int(step[1]), **record} for step, records in zip(steps, lists) if step for record in records]


def _are_named_records(found: dict[str, msgspec.Raw]) -> bool:
    """Several objects with the same keys under names of their own: `{"q1": {…}, "q2": {…}}`."""
    if len(found) < _NAMED:
        return False
    try:
        keys = [set(msgspec.json.decode(raw, type=dict[str, msgspec.Raw])) for raw in islice(found.values(), _NAMED)]
    except msgspec.MsgspecError:
        return False
    return len(keys[0]) > 1 and all(each == keys[0] for each in keys)


def _joined(pieces: Iterable[bytes]) -> bytes:
    """What was unpacked, up to what memory may be taken for it."""
    joined = bytearray()
    for piece in pieces:
        joined += piece
        if len(joined) > MAX_BYTES:
            raise ValueError(f"it unpacks to more than {MAX_BYTES:,} bytes: unpack it to open it")
    return bytes(joined)


def unzipped(data: bytes) -> bytes:
    """The text of a gzip file; `ValueError` where it is damaged, or too long."""
    return _joined(_unzip(data))


def _unzip(data: bytes) -> Iterator[bytes]:
    """All members of a gzip file, one behind the other; a torn end is left out, as the last line of a plain file is."""
    while data:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            while data and not inflater.eof:
                yield inflater.decompress(data, _PIECE)
                data = inflater.unconsumed_tail
        except zlib.error as error:
            raise ValueError(f"it is damaged ({error})") from error
        data = inflater.unused_data


def _unzstd(data: bytes) -> Iterator[bytes]:
    try:
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
            while piece := reader.read(_PIECE):
                yield piece
    except zstandard.ZstdError as error:
        raise ValueError(f"it is damaged ({error})") from error
