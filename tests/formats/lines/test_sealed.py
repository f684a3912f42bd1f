"""Lines in a seekable zstd file: each belongs to the frame in which it begins."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import msgspec
import pytest
import zstandard
from tests.fixtures import fixture_path
from tests.formats.containers.seekable import seal
from tests.formats.opened import opened

from rollscope.formats.base import Place, Source
from rollscope.formats.containers.zstd import SeekableZstd
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.sealed import frame_lines, read_bytes, read_line
from rollscope.storage import open_files
from rollscope.storage.open_store import open_store

LINES = [b"one", b"", b"a line over several frames", b"x", b"the last has no end"]
TEXT = b"\n".join(LINES)


@pytest.mark.parametrize("frame", [1, 2, 3, 4, 5, 7, 30, 1_000])
@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_every_line_is_in_one_frame_wherever_frames_end(tmp_path: Path, frame: int, ending: bytes) -> None:
    text = SeekableZstd(seal(TEXT + ending, tmp_path / "a.jsonl.zst", frame).open("rb"))
    found: list[tuple[int, bytes]] = []
    for number in range(text.frames):
        lines, starts, whole = frame_lines(text, number)
        found += [(start, bytes(line)) for start, line in zip(starts, lines)]
        assert sum(map(len, lines)) <= len(whole)
    assert [line for _, line in found] == LINES
    assert all((TEXT + ending)[start : start + len(line)] == line for start, line in found)


def test_places_are_those_of_the_text(tmp_path: Path) -> None:
    seal(TEXT, tmp_path / "a.jsonl.zst", 5)
    (tmp_path / "a.jsonl").write_bytes(TEXT)
    store, place = open_store(tmp_path), Place(offset=5, length=26)
    for name in ("a.jsonl", "a.jsonl.zst"):
        assert read_bytes(store, name, 2, 9) == TEXT[2:11]
        assert read_line(store, Source(path=name), place) == LINES[2]
        assert read_line(store, Source(path=name), place, 6) == LINES[2][:6]


def test_a_file_that_is_gone_and_a_damaged_one_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "PAUSE_SECONDS", 0.0)
    (tmp_path / "bad.jsonl.zst").write_bytes(b"no zstd")
    store = open_store(tmp_path)
    with pytest.raises(Unreadable, match="this file cannot be read"):
        read_bytes(store, "bad.jsonl.zst", 0, 1)
    with pytest.raises(FileNotFoundError):
        read_bytes(store, "none.jsonl.zst", 0, 1)


@pytest.mark.parametrize(
    "name",
    [
        *("areal", "atropos", "ms_swift", "nemo_gym", "nemo_rl", "open-instruct", "prime_rl", "prime_rl_other/v0.6"),
        *("roll", "skyrl", "tinker_evalstore", "verifiers_legacy", "verifiers_outputs", "verl/rollout", "xtuner"),
    ],
)
def test_runs_that_were_compressed_afterwards_show_the_same(tmp_path: Path, name: str) -> None:
    shutil.copytree(fixture_path(name), tmp_path / "run")
    before = opened(tmp_path / "run")
    files = [
        path for path in (tmp_path / "run").rglob("*.jsonl") if path.name not in ("logging.jsonl", "metrics.jsonl")
    ]
    for number, path in enumerate(sorted(files)):
        ending, pack = ((".gz", gzip.compress), (".zst", zstandard.compress))[number % 2]
        path.with_name(path.name + ending).write_bytes(pack(path.read_bytes()))
        if number:
            path.unlink()  # of the first its twin counts
    after = opened(tmp_path / "run")
    assert [msgspec.structs.replace(sample, source={}) for sample in after] == [
        msgspec.structs.replace(sample, source={}) for sample in before
    ]
