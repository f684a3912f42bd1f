"""Writes seekable zstd as prime-rl seals its chunks: frames of equal length and the table of them at the end."""

from __future__ import annotations

import struct
from pathlib import Path

import zstandard


def seal(text: bytes, path: Path, frame: int = 4 << 20, *, checksums: bool = True) -> Path:
    packed, entries = b"", b""
    for start in range(0, len(text), frame):
        piece = text[start : start + frame]
        data = zstandard.ZstdCompressor(write_checksum=True).compress(piece)
        packed += data
        entries += struct.pack("<II", len(data), len(piece)) + (b"\0\0\0\0" if checksums else b"")
    count = -(-len(text) // frame)
    footer = struct.pack("<IBI", count, 0x80 if checksums else 0, 0x8F92EAB1)
    table = struct.pack("<II", 0x184D2A5E, len(entries) + len(footer)) + entries + footer
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed + table)
    return path
