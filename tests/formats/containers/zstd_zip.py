"""Writes zips of method 93 (zstd), as Inspect does and the standard library cannot before Python 3.14."""

from __future__ import annotations

import struct
import zlib

import zstandard


def zstd_zip(members: dict[str, bytes], claim: int | None = None) -> bytes:
    """A zip of method 93, which the standard library cannot write."""
    body, store = b"", b""
    for name, text in members.items():
        half = len(text) // 2
        packed = b"".join(zstandard.ZstdCompressor().compress(piece) for piece in (text[:half], text[half:]))
        size = len(text) if claim is None else claim
        numbers = struct.pack("<HHHIII", 93, 0, 0, zlib.crc32(text), len(packed), size)
        head = struct.pack("<HH", 20, 0) + numbers + struct.pack("<HH", len(name), 0)
        store += b"PK\x01\x02\x14\x00" + head + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + head + name.encode() + packed
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(members), len(members), len(store), len(body), 0)
    return body + store + end
