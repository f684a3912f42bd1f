"""Members of an archive, from any place."""

from __future__ import annotations

import io
import zipfile

import pytest
from tests.formats.telescope.test_scan import noise

from rollscope.formats.telescope.inflate import STRETCH, Member


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_member_reads_the_same_from_any_place(method: int) -> None:
    data = noise(1, 2 * STRETCH) + b"plain " * 500_000 + noise(2, STRETCH)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("first", b"something before it")
        archive.writestr("member", data)
        info = archive.getinfo("member")
    member = Member(buffer, info)
    assert member.read(3 * STRETCH) == data[: 3 * STRETCH]
    ends = [0, 1, len(data) - 1, len(data), STRETCH, STRETCH - 1, 3 * STRETCH + 7, 12, 2 * STRETCH + 3_000_000]
    for start in [*ends, *reversed(ends)]:
        member.seek(start)
        assert member.read(1000) == data[start : start + 1000]
    member.seek(-5, io.SEEK_END)
    assert member.read() == data[-5:]
    member.seek(0)
    assert member.readall() == data
