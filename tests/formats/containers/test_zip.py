"""Zips with stored, deflated and zstd members; bombs and damage are refused in one line."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.formats.containers.refusal import refusal
from tests.formats.containers.zstd_zip import zstd_zip

from rollscope.formats.containers import zip as zips
from rollscope.formats.containers.zip import Zip, open_zip
from rollscope.storage.open_store import open_store

TEXT = b"rollouts are untrusted text\n" * 500


def plain_zip(method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a/b.json", TEXT)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data", [zstd_zip({"a/b.json": TEXT}), plain_zip(zipfile.ZIP_DEFLATED), plain_zip(zipfile.ZIP_STORED)]
)
def test_a_member_is_its_text(data: bytes) -> None:
    archive = Zip(io.BytesIO(data))
    assert archive.names == ["a/b.json"]
    assert archive.read("a/b.json") == TEXT
    assert archive.read_stored("a/b.json", 28, 100) == TEXT[28:128]


def test_a_bomb_is_refused_by_what_it_says_and_by_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zstd_zip({"x": b"\0" * (1 << 22)})
    with pytest.raises(ValueError, match=r"x unpacks to 4,194,304 bytes; more than 1,000,000 are not read"):
        Zip(io.BytesIO(bomb)).read("x", 1_000_000)
    liar = zstd_zip({"x": b"\0" * (1 << 22)}, claim=1_000)
    with pytest.raises(zipfile.BadZipFile, match="other bytes"):
        Zip(io.BytesIO(liar)).read("x", 1_000_000)
    monkeypatch.setattr(zips, "MAX_MEMBERS", 1)
    with pytest.raises(ValueError, match="2 members"):
        Zip(io.BytesIO(zstd_zip({"x": b"1", "y": b"2"})))


@pytest.mark.parametrize("keep", [0, 10, 100, -1, -30])
def test_cut_and_garbled_archives_are_damaged(tmp_path: Path, keep: int) -> None:
    (tmp_path / "a.zip").write_bytes(zstd_zip({"x": TEXT})[:keep])
    assert refusal(lambda: open_zip(open_store(tmp_path), "a.zip").read("x"))
    data = bytearray(zstd_zip({"x": TEXT}))
    data[40:60] = b"\xff" * 20
    assert refusal(lambda: Zip(io.BytesIO(bytes(data))).read("x"))
