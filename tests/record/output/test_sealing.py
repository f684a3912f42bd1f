"""Finished iterations as seekable zstd: much smaller, read like plain files, and one range read per sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.record.helpers import record_steps

import rollscope
from rollscope import record
from rollscope.formats.containers.zstd import SeekableZstd
from rollscope.record.demo import write_demo
from rollscope.record.output import sealing


@pytest.fixture(autouse=True)
def own_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(tmp_path / "index"))


def told(directory: Path) -> list[Any]:
    """All that a viewer says of a run's samples."""
    run = rollscope.open(directory)
    rows = run.samples(split="train", discarded=None).rows
    samples = [run.sample(f"train/{row.step}/{row.index}") for row in rows]
    return [(row, sample.messages, sample.tokens, sample.golden_answers) for row, sample in zip(rows, samples)]


def test_a_sealed_run_says_the_same_in_a_fifth_of_the_size(tmp_path: Path) -> None:
    write_demo(tmp_path / "plain", steps=4)
    plain = sorted((tmp_path / "plain").glob("*_rollouts.jsonl"))
    before, size = told(tmp_path / "plain"), sum(path.stat().st_size for path in plain)
    for path in plain:
        sealing.seal(str(path))
    sealed = list((tmp_path / "plain").glob("*_rollouts.jsonl.zst"))
    assert len(sealed) == len(plain)
    assert not list((tmp_path / "plain").glob("*_rollouts.jsonl"))
    assert told(tmp_path / "plain") == before
    assert sum(path.stat().st_size for path in sealed) < size / 5


def test_a_run_seals_what_is_finished_while_it_goes_on(tmp_path: Path) -> None:
    with record.start(tmp_path, seal=True) as run:
        for step in range(8):
            with run.iteration(step) as iteration:
                iteration.add(response=f"step {step}")
        assert run.flush()
        sealed = {path.name[16:22] for path in tmp_path.glob("*.zst")}
        assert sealed == {"000000", "000001", "000002"}
    assert len(list(tmp_path.glob("*.zst"))) == 8
    assert not list(tmp_path.glob("*_rollouts.jsonl"))
    assert len(rollscope.open(tmp_path).samples()) == 8


def test_a_step_that_is_trained_again_after_it_was_sealed_loses_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        record_steps(tmp_path, steps=2, seal=True).close()
    lines = SeekableZstd(open(tmp_path / "train_iteration_000000_rollouts.jsonl.zst", "rb")).read(0, 1 << 20)  # noqa: SIM115
    assert lines.count(b"\n") == 8
    run = rollscope.open(tmp_path)
    assert len(run.samples(split="train", step=0)) == 4
    assert run.sample("train/0/0").attempt == 1


def test_between_sealing_and_removing_the_plain_file_nothing_is_counted_twice(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=1).close()
    path = tmp_path / "train_iteration_000000_rollouts.jsonl"
    content = path.read_bytes()
    sealing.seal(str(path))
    path.write_bytes(content)
    assert len(rollscope.open(tmp_path).samples(split="train")) == 4
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(response="more")
    assert not path.with_name(path.name + ".zst").exists()
    assert path.read_bytes().startswith(content)


def test_a_line_lies_in_one_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "FRAME_BYTES", 1_000)
    path = tmp_path / "lines.jsonl"
    lines = [b'{"n": %d, "text": "%s"}\n' % (n, b"x" * (n * 37 % 2_500)) for n in range(200)]
    path.write_bytes(b"".join(lines))
    sealing.seal(str(path))
    with open(tmp_path / "lines.jsonl.zst", "rb") as file:
        text = SeekableZstd(file)
        starts, offset = set(text.starts), 0
        assert text.read(0, text.size) == b"".join(lines)
        for line in lines:
            frames = {
                number
                for number in range(text.frames)
                if text.starts[number] < offset + len(line) and text.starts[number + 1] > offset
            }
            assert len(frames) == 1
            offset += len(line)
        assert len(starts) > 20
    sealing.unseal(str(path))
    assert path.read_bytes() == b"".join(lines)
    assert [item.name for item in tmp_path.iterdir()] == ["lines.jsonl"]


def test_an_empty_file_can_be_sealed(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"")
    sealing.seal(str(path))
    sealing.unseal(str(path))
    assert path.read_bytes() == b""
