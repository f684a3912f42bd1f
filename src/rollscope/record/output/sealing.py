"""Finished files of lines as seekable zstd: a fifth of the size or less, and a line is still one range read.

Frames end where lines do, and a table at the end says where each begins (zstd's ``contrib/seekable_format``). A file is
sealed under another name and renamed; the plain one goes afterwards, so that one of the two is always whole. While both are
there they hold the same, and the plain one counts.
"""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterator
from typing import BinaryIO

from rollscope.storage.atomic import replacing

ENDING = ".zst"
#: Text in a frame, at least: a longer one compresses better, a shorter one is read faster.
FRAME_BYTES = 2 * 1024 * 1024
#: Nothing else is written meanwhile: higher levels save a twentieth more and take five times as long.
LEVEL = 9
_TABLE_MAGIC, _FOOTER_MAGIC = 0x184D2A5E, 0x8F92EAB1


def seal(path: str) -> None:
    """Compress a file and remove the plain one."""
    import zstandard  # 10 ms, and needed only here

    compressor = zstandard.ZstdCompressor(level=LEVEL)
    table = bytearray()
    frames = 0
    with (
        replacing(path + ENDING, durable=False) as temporary,
        open(path, "rb") as plain,
        open(temporary, "wb") as sealed,
    ):
        for text in _frames(plain):
            frame = compressor.compress(text)
            sealed.write(frame)
            table += struct.pack("<II", len(frame), len(text))
            frames += 1
        footer = struct.pack("<IBI", frames, 0, _FOOTER_MAGIC)
        sealed.write(struct.pack("<II", _TABLE_MAGIC, len(table) + len(footer)) + table + footer)
    os.unlink(path)


def unseal(path: str) -> None:
    """Make a plain file again of one that was sealed, before something is appended to it."""
    import zstandard

    if not os.path.exists(path):
        with (
            replacing(path, durable=False) as temporary,
            open(path + ENDING, "rb") as sealed,
            zstandard.ZstdDecompressor().stream_reader(sealed, read_across_frames=True) as text,
            open(temporary, "wb") as plain,
        ):
            shutil.copyfileobj(text, plain)
    os.unlink(path + ENDING)


def _frames(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines, together at least :data:`FRAME_BYTES`."""
    lines: list[bytes] = []
    size = 0
    for line in file:
        lines.append(line)
        size += len(line)
        if size >= FRAME_BYTES:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)
