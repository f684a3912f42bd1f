"""A tensor's numbers inside of a plain pickle."""

from __future__ import annotations

import os
import pickle
from typing import Any

import pytest

from rollscope.formats.containers.pickle.storage import stored_numbers

MAGIC = 0x1950A86A20F9469CFC6C
MACHINE = {"protocol_version": 1001, "little_endian": True}
#: As torch names a class in a persistent id.
FLOATS = b"\x80\x02(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02t."


def file_of(*heads: Any, numbers: bytes = b"\x02" + b"\0" * 7 + b"abcdefgh") -> bytes:
    return b"".join(head if isinstance(head, bytes) else pickle.dumps(head, protocol=2) for head in heads) + numbers


def test_the_kind_and_the_bytes_of_the_numbers_are_found() -> None:
    assert stored_numbers(file_of(MAGIC, 1001, MACHINE, FLOATS, ["0"])) == ("FloatStorage", b"abcdefgh")


class Harm:
    def __reduce__(self) -> Any:
        return os.system, ("true",)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("text", "no bytes"),
        (b"", "cannot be read"),
        (file_of(1, 1001, MACHINE, FLOATS, []), "torch did not write"),
        (file_of(MAGIC, 1001, MACHINE, ("other", "FloatStorage"), []), "torch did not write"),
        (file_of(MAGIC, 1001, {"little_endian": False}, FLOATS, []), "big-endian"),
        (file_of(MAGIC, 1001, MACHINE, pickle.dumps(Harm(), protocol=2), []), "names posix.system"),
        (file_of(MAGIC, 1001, MACHINE, ["x" * 20_000], []), "cannot be read"),
    ],
)
def test_anything_else_is_refused_in_one_line(data: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why) as error:
        stored_numbers(data)
    assert "\n" not in str(error.value)
