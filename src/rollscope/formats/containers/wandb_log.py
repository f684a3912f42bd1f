"""W&B's binary log of a run, `run-<id>.wandb`: metrics and configuration, without wandb and without protobuf.

The file is a header and then records in blocks of 32 KB, as LevelDB writes its log; a record is a protobuf message, of
which only the few fields with names and JSON texts are read. A log that is being written ends anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

_HEADER = b":W&B"
_HEADER_BYTES = 7
_BLOCK = 32 << 10
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
#: A record with more than this is passed over.
MAX_RECORD = 64 << 20
#: Fields of a record.
_HISTORY, _CONFIG, _RUN, _EXIT = 2, 5, 17, 18
#: In how many of the last blocks a run's end is looked for: little is written after it.
_END_BLOCKS = 4
_CONFIG_OF_RUN = 4
_KEY, _NESTED_KEY, _JSON = 1, 2, 16
_NOT_JSON = {b"NaN": float("nan"), b"Infinity": float("inf"), b"-Infinity": float("-inf")}

History = dict[str, Any]


def history(file: BinaryIO) -> Iterator[History]:
    """What was logged, call by call: name → value as it was, with `_step` and `_timestamp` among them."""
    return (_logged(message) for _, message in _messages(file))


def history_pairs(file: BinaryIO, having: bytes) -> Iterator[tuple[History, History]]:
    """The calls whose records have these bytes somewhere, each after the call before it; others are not decoded."""
    before = b""
    for record, message in _messages(file):
        if having in record:
            yield _logged(before), _logged(message)
        before = message


def _messages(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Records with what they say was logged."""
    for record in _records(file):
        for number, message in _fields(record):
            if number == _HISTORY and isinstance(message, bytes):
                yield record, message


def _logged(message: bytes) -> History:
    found = dict(_items(message))
    step = next((value for at, value in _fields(message) if at == _NESTED_KEY), None)
    if "_step" not in found and isinstance(step, bytes):
        found["_step"] = next((value for at, value in _fields(step) if at == _KEY), 0)
    return found


def configuration(file: BinaryIO) -> dict[str, Any]:
    """The run's configuration: of several values of a name the last counts."""
    found: dict[str, Any] = {}
    for record in _records(file):
        for number, message in _fields(record):
            if number == _CONFIG and isinstance(message, bytes):
                found |= dict(_items(message))
            elif number == _RUN and isinstance(message, bytes):
                for at, part in _fields(message):
                    if at == _CONFIG_OF_RUN and isinstance(part, bytes):
                        found |= dict(_items(part))
    return {name: value for name, value in found.items() if not name.startswith("_wandb")}


def has_ended(file: BinaryIO, size: int) -> bool:
    """Whether the run's process said at the end of its log that it is over, well or not."""
    start = max(0, size // _BLOCK - _END_BLOCKS) * _BLOCK
    if start:
        file.seek(start)
    records = _records_from(file, _BLOCK) if start else _records(file)
    return any(number == _EXIT for record in records for number, _ in _fields(record))


def _items(message: bytes) -> Iterator[tuple[str, Any]]:
    """(name, value) of the items of a history or of a configuration, which are alike."""
    for number, item in _fields(message):
        if number != _KEY or not isinstance(item, bytes):
            continue
        parts = list(_fields(item))
        names = [
            value.decode("utf-8", "replace")
            for at, value in parts
            if at in (_KEY, _NESTED_KEY) and isinstance(value, bytes)
        ]
        told = next((value for at, value in parts if at == _JSON and isinstance(value, bytes)), None)
        if names and told is not None:
            try:
                yield ".".join(filter(None, names)), _NOT_JSON[told] if told in _NOT_JSON else msgspec.json.decode(told)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue


def _records(file: BinaryIO) -> Iterator[bytes]:
    """Whole records. One whose parts do not fit together is passed over; the end may lie inside of one."""
    if file.read(_HEADER_BYTES)[: len(_HEADER)] == _HEADER:
        yield from _records_from(file, _BLOCK - _HEADER_BYTES)


def _records_from(file: BinaryIO, room: int) -> Iterator[bytes]:
    """The records that begin from here on; `room` is left of the block."""
    pending: list[bytes] = []
    while head := file.read(min(room, 7)):
        room -= len(head)
        if len(head) == 7:
            length, kind = int.from_bytes(head[4:6], "little"), head[6]
            data = file.read(min(length, room))
            room -= len(data)
            if len(data) < length:
                return
            pending = [data] if kind in (_FULL, _FIRST) else [*pending, data] if pending else []
            if sum(map(len, pending)) > MAX_RECORD:
                pending = []
            elif kind in (_FULL, _LAST) and pending:
                yield b"".join(pending)
                pending = []
        # What is left of a block is too short for a record: it is filled up.
        if room < 7:
            file.read(room)
            room = _BLOCK


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """(number, value) of a protobuf message, as far as it is one."""
    position = 0
    while position < len(message):
        tag, position = _integer(message, position)
        kind = tag & 7
        if kind == 0:
            value, position = _integer(message, position)
            yield tag >> 3, value
            continue
        length = {1: 8, 5: 4}.get(kind)
        if kind == 2:
            length, position = _integer(message, position)
        if length is None or position + length > len(message):
            return
        yield tag >> 3, message[position : position + length]
        position += length


def _integer(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(message) and shift < 70:
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    return value, len(message)
