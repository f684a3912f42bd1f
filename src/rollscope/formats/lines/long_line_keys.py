"""The top-level keys of a line that is too long to be held in memory, found block by block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rollscope.storage.store import Store

BLOCK_BYTES = 8 << 20
#: A line is not followed further than this.
MAX_LINE = 4 << 30
#: A longer text is nobody's key.
_MAX_KEY = 1_024
_INSIDE = re.compile(rb'[^"\\\n]*(?:\\[^\n][^"\\\n]*)*')
_SIGN = re.compile(rb'[":,{}\[\]\n]')


def blocks(store: Store, path: str) -> Iterator[bytes]:
    for start in range(0, MAX_LINE, BLOCK_BYTES):
        block = store.read(path, start, BLOCK_BYTES)
        if block:
            yield block
        if len(block) < BLOCK_BYTES:
            return


def keys_of_blocks(parts: Iterable[bytes]) -> Iterator[str]:
    """Of the first line in these bytes, as they are reached; what is no object has none."""
    depth = 0
    text: bytes | None = None  # of the string that it is in
    ended: bytes | None = None  # the string before; it is a key if a colon follows
    escaped = False
    for block in parts:
        at = 0
        if escaped and block:
            text, at, escaped = (text or b"") + block[:1], 1, False
        while at < len(block):
            if text is not None:
                start, at = at, _match_end(block, at)
                if len(text) <= _MAX_KEY:
                    text += block[start : min(at, start + _MAX_KEY + 1)]
                if at == len(block):
                    break
                if block[at : at + 1] == b"\\" and at + 1 < len(block):  # a line break, escaped by nobody
                    return
                if block[at : at + 1] == b"\\":  # what it escapes begins the next block
                    text, escaped = text + b"\\", True
                    break
                if block[at : at + 1] == b"\n":
                    return
                text, ended, at = None, text, at + 1
                continue
            sign = _SIGN.search(block, at)
            if sign is None:
                break
            at = sign.end()
            if sign[0] == b'"':
                text = b""
            elif sign[0] == b":" and depth == 1 and ended is not None and len(ended) <= _MAX_KEY:
                yield ended.decode("utf-8", "replace")
            elif sign[0] == b"\n" and depth:
                return
            depth += (sign[0] in b"{[") - (sign[0] in b"}]")
            ended = None
            if depth <= 0 and sign[0] in b"}]":
                return


def _match_end(block: bytes, at: int) -> int:
    found = _INSIDE.match(block, at)
    return found.end() if found is not None else at
