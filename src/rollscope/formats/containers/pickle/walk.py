"""One walk over a pickle's opcodes before it is run: what could harm by itself, without naming any class, is refused.

CPython's unpickler reserves what an opcode claims: a memo place of two billion, a byte array of a terabyte. Nearly all
of a dump is numbers, which a regular expression passes over at 20 ns each; only texts and the few other opcodes are
looked at one by one.
"""

from __future__ import annotations

import re

#: Opcodes without harm and of fixed length: marks, constants, small numbers, lists, dicts, tuples, memo places below 256.
_HARMLESS = re.compile(
    rb"(?:[()N.012\]}aelstudbRQ\x81\x85-\x89\x8f-\x91\x93\x94]"
    rb"|K.|M..|J....|G.{8}|q.|h.|j....|\x95.{8}|\x80[\x00-\x05])++",
    re.DOTALL,
)
#: Opcode -> bytes of its length field. What follows must lie in the pickle.
_COUNTED = {**dict.fromkeys(b"UC\x8c\x8a", 1), **dict.fromkeys(b"XTB\x8b", 4), **dict.fromkeys(b"\x8d\x8e", 8)}
#: Opcodes whose argument is one or two lines of text.
_LINES = {ord("c"): 2, **dict.fromkeys(b"ILFSVpg", 1)}
_LONGEST_LINE = 4_096
_LONGEST_INTEGER = 1_024


def check_opcodes(data: bytes) -> None:
    """Raises ValueError where the pickle is not plain data. The end of the walk is its STOP."""
    position, end = 0, len(data)
    while position < end:
        run = _HARMLESS.match(data, position)
        if run is not None:
            position = run.end()
            if position >= end:
                return
        opcode = data[position]
        position += 1
        if opcode in _COUNTED:
            position = _past_counted(data, position, opcode)
        elif opcode == ord("r"):
            _check_place(int.from_bytes(data[position : position + 4], "little"), position)
            position += 4
        elif opcode in _LINES:
            for _ in range(_LINES[opcode]):
                newline = data.find(b"\n", position, position + _LONGEST_LINE)
                if newline < 0:
                    raise ValueError("it is a damaged pickle (a line without end)")
                if opcode == ord("p"):
                    digits = data[position:newline]
                    _check_place(int(digits) if digits.isdigit() and len(digits) < 12 else end + 1, position)
                position = newline + 1
        else:
            raise ValueError(f"it is no plain data (pickle opcode 0x{opcode:02x})")


def _past_counted(data: bytes, position: int, opcode: int) -> int:
    width = _COUNTED[opcode]
    length = int.from_bytes(data[position : position + width], "little")
    if position + width + length > len(data):
        raise ValueError("it is a damaged pickle (a text goes past its end)")
    if opcode in (0x8A, 0x8B) and length > _LONGEST_INTEGER:
        raise ValueError("it is no plain data (an integer of thousands of digits)")
    return position + width + length


def _check_place(place: int, position: int) -> None:
    """Memo places are numbered from 0 in the order of appearance: there are never more than bytes before."""
    if place > position:
        raise ValueError("it is no plain data (a memo place beyond all others)")
