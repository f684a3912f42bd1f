"""The walk over a pickle's opcodes before it is run."""

from __future__ import annotations

import pickle
import struct
from typing import Any

import pytest

from rollscope.formats.containers.pickle.walk import check_opcodes

PLAIN: list[Any] = [
    None, True, -1, 2**70, 1.5, "ü" * 300, b"x" * 300, [1, [2]], {"a": (1, 2, 3, 4)}, {1, 2}, frozenset({3}),
    [str(number) for number in range(600)], list(range(70_000)),
]  # fmt: skip


@pytest.mark.parametrize("protocol", range(5))
def test_plain_data_passes_in_every_protocol(protocol: int) -> None:
    for value in PLAIN:
        if protocol < 4 and isinstance(value, (set, frozenset, bytes)):
            continue  # written by a call there
        check_opcodes(pickle.dumps(value, protocol=protocol))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x80\x02Nr" + struct.pack("<I", 2**31 - 1) + b".", "a memo place beyond all others"),
        (b"Np99999999999999\n.", "a memo place beyond all others"),
        (b"N" + b"p-1\n.", "a memo place beyond all others"),
        (b"\x80\x02X" + struct.pack("<I", 9) + b"abc.", "a text goes past its end"),
        (b"\x80\x05\x8e" + struct.pack("<Q", 2**60) + b".", "a text goes past its end"),
        (b"\x80\x02\x8b" + struct.pack("<I", 5_000) + b"\xff" * 5_000 + b".", "an integer of thousands of digits"),
        (b"I" + b"1" * 5_000 + b"\n.", "a line without end"),
        (b"\x80\x05\x96" + struct.pack("<Q", 1) + b"x.", "opcode 0x96"),
        (b"i", "opcode 0x69"),
        (b"P0\n.", "opcode 0x50"),
    ],
)
def test_what_harms_by_itself_is_refused_in_one_line(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why) as error:
        check_opcodes(data)
    assert "\n" not in str(error.value)
