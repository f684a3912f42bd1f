"""Bytes for the wire: JSON that every parser takes, and compression that the client accepts."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import zstandard

from rollscope.model import encode_json

#: Smaller bodies cost more to compress than to send.
COMPRESS_FROM = 1024
#: The lowest levels: over a LAN or loopback anything above costs more time than it saves (zstd 1: 400 MB/s, gzip 1: 60).
ZSTD_LEVEL = 1
GZIP_LEVEL = 1


def json_body(answer: Any) -> bytes:
    """``answer`` as JSON that is valid whatever the data holds: no NaN, no lone surrogates."""
    try:
        return encode_json(answer)
    except (UnicodeEncodeError, RecursionError):
        return b"".join(_pieces(answer))


class _Literal(NamedTuple):
    text: bytes


def _pieces(answer: Any) -> Iterator[bytes]:
    """The slow way, for the rare answer with text that is not Unicode (a file name, a broken record) or with nesting
    too deep for the fast encoder: values wait on a stack of our own instead of Python's."""
    stack: list[Any] = [answer]
    while stack:
        value = stack.pop()
        if isinstance(value, _Literal):
            yield value.text
        elif isinstance(value, str):
            yield _text(value)
        elif isinstance(value, (dict, msgspec.Struct)):
            pairs = list(value.items()) if isinstance(value, dict) else _sent_fields(value)
            stack.append(_Literal(b"}"))
            for place in range(len(pairs) - 1, -1, -1):
                key, inner = pairs[place]
                stack += [inner, _Literal((b"," if place else b"") + _text(str(key)) + b":")]
            yield b"{"
        elif isinstance(value, (list, tuple)):
            stack.append(_Literal(b"]"))
            for place in range(len(value) - 1, -1, -1):
                stack += [value[place], _Literal(b"," if place else b"")]
            yield b"["
        else:
            yield encode_json(value)


def _text(value: str) -> bytes:
    return encode_json(value.encode("utf-8", "backslashreplace").decode("utf-8"))


#: Evaluates every annotation of the class, a millisecond, and an answer has many.
_fields = lru_cache(maxsize=64)(msgspec.structs.fields)


def _sent_fields(struct: msgspec.Struct) -> list[tuple[str, Any]]:
    fields = _fields(type(struct))
    pairs = [(field, getattr(struct, field.name)) for field in fields]
    if type(struct).__struct_config__.omit_defaults:
        pairs = [(field, value) for field, value in pairs if value != _default(field)]
    return [(field.encode_name, value) for field, value in pairs]


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def accepted_encoding(header: str) -> str | None:
    """The better of the encodings we speak that an Accept-Encoding header offers: "zstd", "gzip" or None."""
    offered = set()
    for item in header.lower().split(","):
        name, _, weight = item.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            offered.add(name.strip())
    return next((name for name in ("zstd", "gzip") if name in offered), None)


def compress(body: bytes, encoding: str) -> bytes:
    if encoding == "zstd":
        return zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(body)
    return gzip.compress(body, GZIP_LEVEL, mtime=0)
