"""Seekable zstd: any stretch is what the whole text has there, and bad files are refused in one line."""

from __future__ import annotations

import io
import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.formats.containers.refusal import refusal
from tests.formats.containers.seekable import seal

import rollscope
from rollscope.formats.containers import zstd
from rollscope.formats.containers.zstd import SEALED, SeekableZstd, has_seek_table
from rollscope.storage import open_files
from rollscope.storage.open_store import open_store

TEXT = b"".join(b"%d %s\n" % (i, b"x" * (i % 97)) for i in range(2_000))


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "PAUSE_SECONDS", 0.0)


@pytest.mark.parametrize("checksums", [True, False])
def test_any_stretch_is_that_of_the_text(tmp_path: Path, checksums: bool) -> None:
    seal(TEXT, tmp_path / "a.zst", 1_000, checksums=checksums)
    opened = SeekableZstd((tmp_path / "a.zst").open("rb"))
    assert opened.size == len(TEXT)
    rng = random.Random(7)
    for _ in range(200):
        offset, length = rng.randrange(len(TEXT)), rng.randrange(5_000)
        assert opened.read(offset, length) == TEXT[offset : offset + length]
    assert opened.read(len(TEXT), 10) == b""


def test_one_sample_costs_the_frames_it_lies_in_and_no_others(tmp_path: Path) -> None:
    path = seal(TEXT, tmp_path / "a.zst", 1_000)

    class Counting(io.FileIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(-1 if size is None else size)
            Counting.taken += len(data)
            return data

    opened = SeekableZstd(Counting(path))
    Counting.taken = 0
    opened.read(50_500, 10)
    frame = opened.packed[51] - opened.packed[50]
    assert Counting.taken == frame < path.stat().st_size / 20


def test_a_file_without_a_table_is_read_whole_if_it_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.zst").write_bytes(zstandard.ZstdCompressor().compress(TEXT))
    assert not has_seek_table(open_store(tmp_path), "a.zst")
    assert SeekableZstd((tmp_path / "a.zst").open("rb")).read(100, 50) == TEXT[100:150]
    monkeypatch.setattr(zstd, "MAX_WHOLE_BYTES", 1_000)
    assert "no seek table" in refusal(lambda: SEALED.use(open_store(tmp_path), "a.zst", lambda opened: opened.size))


def hostile_files() -> dict[str, bytes]:
    def table(entries: list[tuple[int, int]], count: int | None = None, data: bytes = b"") -> bytes:
        packed = b"".join(struct.pack("<II", *entry) for entry in entries)
        footer = struct.pack("<IBI", len(entries) if count is None else count, 0, 0x8F92EAB1)
        return data + struct.pack("<II", 0x184D2A5E, len(packed) + len(footer)) + packed + footer

    bomb = zstandard.ZstdCompressor().compress(b"\0" * (1 << 24))
    return {
        "no zstd": b"hello, this is text and no zstd at all",
        "more frames than bytes": table([(8, 8)], count=2**31),
        "a frame of 4 GB": table([(8, 2**32 - 1)]),
        "more bytes than the file": table([(2**31, 100)]),
        "unpacks to more than it says": table([(len(bomb), 100)], data=bomb),
        "garbage frames": table([(100, 100)], data=b"\xff" * 100),
        "cut table": table([(8, 8)] * 3)[8:],
    }


@pytest.mark.parametrize("name", hostile_files())
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.zst").write_bytes(hostile_files()[name])

    def read(opened: SeekableZstd) -> Any:
        try:
            return opened.read(0, 1 << 30)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error

    assert refusal(lambda: SEALED.use(open_store(tmp_path), "a.zst", read))


def test_line_numbers_count_on_through_all_pieces_of_a_sealed_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file is scanned piece by piece; samples and skipped lines are named by their lines in the whole text."""
    monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", 2000)
    noise = random.Random(3)  # that does not compress: data, no secret
    lines = []
    for number in range(60):
        text = noise.randbytes(200).hex()
        messages = [{"role": "user", "parts": [{"type": "text", "text": text}]}]
        lines.append(json.dumps({"split": "train", "step": 0, "group": number, "reward": number, "messages": messages}))
    for place in (5, 33, 48):
        lines.insert(place, "no json")
    whole = "".join(f"{line}\n" for line in lines).encode()
    seal(whole, tmp_path / "run" / "train_iteration_000000_rollouts.jsonl.zst", frame=700)
    run = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
    assert [item.line for item in run.doctor().skipped] == [6, 34, 49]
    expected = [number for number, line in enumerate(lines, 1) if line != "no json"]
    assert [run.sample(f"train/0/{index}").source["line"] for index in range(60)] == expected
    assert [run.sample(f"train/0/{index}").reward for index in range(60)] == list(range(60))
