"""Read a line that strict JSON readers refuse: bare NaN, lone surrogates, control characters, invalid UTF-8, huge
integers, a BOM, thousands of brackets deep. The slow path: a strict reader has been tried first.

What cannot be read is named by a reason, never raised.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from array import array
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

BOM = b"\xef\xbb\xbf"
#: A longer line is checked in pieces of this size, so that a line of 2 GB is not copied.
PIECE = 1 << 20
#: Decoders, encoders and browsers recurse per bracket: a member of a record that is nested deeper than this stays the
#: JSON text it is.
MAX_DEPTH = 200

_SURROGATE = re.compile("[\ud800-\udfff]")


class Unreadable(Exception):  # noqa: N818  # not an error of ours: the reason travels to a Skipped
    """The line holds no record; the message is the reason for a person."""


def _integer(digits: str) -> int | str:
    """Python refuses to convert more than 4,300 digits; such a number is shown as it is written and is no number here."""
    try:
        return int(digits)
    except ValueError:
        return digits


_decoder = json.JSONDecoder(strict=False, parse_int=_integer)


def read_record(line: bytes | memoryview) -> dict[str, Any]:
    """The record in this line, with NaN as floats and lone surrogates as text. Raises `Unreadable` with the reason."""
    data = bytes(line).strip(b"\r\n \t").removeprefix(BOM)
    if not data:
        raise Unreadable("there is nothing: the file was cut short")
    if not data.strip(b"\x00"):
        raise Unreadable("only NUL bytes (a write that never reached the disk)")
    text = data.decode("utf-8", errors="replace").strip("\x00")
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"malformed JSON at column {error.pos + 1}: {error.msg.lower()}") from None
    except RecursionError:
        value = _read_deep(text)
    if not isinstance(value, dict):
        raise Unreadable(f"not a JSON object but {_kind(value)}")
    if too_deep(data, value):
        value = _read_deep(text)
    return {_clean_text(key): clean(item) for key, item in value.items()}


def decode_line(line: bytes | memoryview) -> tuple[dict[str, Any], bool]:
    """(record, whether it was strict JSON). Raises `Unreadable` for a line that holds no record."""
    line = bytes(line)
    try:
        value = msgspec.json.decode(line)
        if isinstance(value, dict) and not too_deep(line, value):
            return value, True
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    return read_record(line), False


def too_deep(line: bytes, value: Any) -> bool:
    """Is this value, decoded from that line, nested deeper than `MAX_DEPTH`? Nearly always told by counting brackets."""
    return line.count(b"[") + line.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        level = [item for item in inner if isinstance(item, (dict, list))]
    return depth


_UNESCAPED = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def why_repaired(line: bytes | memoryview) -> str | None:
    """A sentence when the line is a sample only because something in it was put right, else None."""
    if (at := invalid_utf8(line)) is not None:
        return f"invalid UTF-8 at byte {at + 1}, shown as U+FFFD"
    if found := _UNESCAPED.search(line):
        name = "NUL byte" if found[0] == b"\0" else "unescaped control character"
        return f"{name} at byte {found.start() + 1}"
    return None


def all_utf8(data: memoryview) -> bool:
    """Is all of it UTF-8? By compiled code (utf8_check.c), where there is a compiler, or by Arrow: making a `str` of
    non-ASCII text takes ten times as long."""
    import pyarrow as pa  # those who only search start without it: it takes longer than all else

    bytes_ = pa.py_buffer(data)
    if (library := _utf8_check()) is not None:
        return bool(library.rollscope_is_utf8(bytes_.address, len(data)))
    buffers = [None, pa.py_buffer(array("q", [0, len(data)])), bytes_]
    try:
        pa.Array.from_buffers(pa.large_string(), 1, buffers).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


@cache
def _utf8_check() -> Any:
    """None where it is not there, or not for this machine."""
    import ctypes

    try:
        library = ctypes.CDLL(str(Path(__file__).with_name("_utf8_check.so")))
        library.rollscope_is_utf8.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    except (OSError, AttributeError):
        return None
    return library


def invalid_utf8(line: bytes | memoryview) -> int | None:
    """Where the first byte lies that is no UTF-8; None when all are. A long line is looked at piece by piece."""
    try:
        if len(line) <= PIECE:
            str(line, "utf-8")
            return None
        start = 0
        while start < len(line):
            piece = line[start : start + PIECE]
            start += codecs.utf_8_decode(piece, "strict", start + PIECE >= len(line))[1]
    except UnicodeDecodeError as error:
        return error.start if len(line) <= PIECE else start + error.start
    return None


def _kind(value: Any) -> str:
    kinds = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")


def _clean_text(text: str) -> str:
    """Lone surrogates cannot be encoded: show each as its escape."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) if _SURROGATE.search(text) else text


def clean(value: Any) -> Any:
    """The same value with lone surrogates as their escapes."""
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean_text(key): clean(item) for key, item in value.items()}
    return value


def printable(value: Any) -> Any:
    """The same value with what JSON has no word for (NaN, Infinity) as text, for `Sample.record`."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, list):
        return [printable(item) for item in value]
    if isinstance(value, dict):
        return {key: printable(item) for key, item in value.items()}
    return value


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|,', re.DOTALL)


def _read_deep(text: str) -> Any:
    """The top level of an object nested deeper than Python recurses; members that are too deep stay as text."""
    stripped = text.strip()
    if not stripped.startswith("{"):
        return [] if stripped.startswith("[") else None
    record: dict[str, Any] = {}
    depth = 0
    member_start = 1
    for match in _TOKEN.finditer(stripped):
        sign = match[0]
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
            if depth == 0:
                _add_member(record, stripped[member_start : match.start()])
                return record
        elif sign == "," and depth == 1:
            _add_member(record, stripped[member_start : match.start()])
            member_start = match.end()
    raise Unreadable("malformed JSON: brackets do not close")


def _add_member(record: dict[str, Any], member: str) -> None:
    if not member.strip():
        return
    try:
        key, end = _decoder.raw_decode(member.lstrip())
        raw = member.lstrip()[end:].lstrip().removeprefix(":").strip()
    except (json.JSONDecodeError, RecursionError):
        raise Unreadable("malformed JSON in a deeply nested record") from None
    try:
        value = _decoder.decode(raw)
        record[str(key)] = raw if _depth(value) > MAX_DEPTH else value
    except RecursionError:
        record[str(key)] = raw
    except json.JSONDecodeError as error:
        raise Unreadable(f"malformed JSON in {key!r}: {error.msg.lower()}") from None


def to_raw(value: Any) -> msgspec.Raw:
    """Any value as JSON bytes, for Struct fields that keep text undecoded."""
    return msgspec.Raw(msgspec.json.encode(printable(value)))
