"""Finding a literal in bytes: by compiled code (literal_scan.c), where there was a compiler, or by `find`.

The places are the same either way. The compiled code is several times as quick where the literal is rare.
"""

from __future__ import annotations

import ctypes
from functools import cache
from mmap import mmap
from pathlib import Path
from typing import Any

#: From the byte that records of texts have most often to the rarest of these; those that are not here are rarer still.
_FREQUENT = b' etaoinsrhldcum"fpg,.wyb\\:vk01{}()23456789xjqz_-'


class Literal:
    """A literal to be found in many buffers."""

    def __init__(self, text: bytes) -> None:
        """At least one byte."""
        self.text = text
        # -1, for a byte that is not frequent, becomes the greatest.
        by_rarity = sorted(range(len(text)), key=lambda place: _FREQUENT.find(text[place]) % 256, reverse=True)
        rarest = by_rarity[0]
        #: Where its rarest byte is, and the rarest of the others: two of a kind often stand side by side ("00").
        self._rarest = rarest, next((place for place in by_rarity if text[place] != text[rarest]), rarest)

    def find(self, buffer: bytes | mmap, start: int, end: int) -> int:
        """The first place from `start` on at which it lies, all of it before `end`; -1 if there is none."""
        library = _compiled()
        if library is None:
            return buffer.find(self.text, start, end)
        view = _BufferView()
        # The address of bytes that may not be written to: `ctypes` itself gives it for none.
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(buffer), ctypes.byref(view), 0)
        try:
            end = min(end, view.length)
            found: int = library.rollscope_find(
                view.address + start, end - start, self.text, len(self.text), *self._rarest
            )
        finally:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
        return found + start if found >= 0 else -1


class _BufferView(ctypes.Structure):
    """Python's `Py_buffer`, which the stable interface fixes."""

    _fields_ = (
        ("address", ctypes.c_void_p),
        ("owner", ctypes.c_void_p),
        ("length", ctypes.c_ssize_t),
        ("_others", ctypes.c_void_p * 8),
    )


def is_compiled() -> bool:
    return _compiled() is not None


@cache
def _compiled() -> Any:
    """None where it is not there, or not for this machine."""
    try:
        library = ctypes.CDLL(str(Path(__file__).with_name("_literal_scan.so")))
        library.rollscope_find.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p, *[ctypes.c_int64] * 3]
        library.rollscope_find.restype = ctypes.c_int64
    except (OSError, AttributeError):
        return None
    return library
