"""An index that was deleted, cut short or damaged at any byte: every answer is still what is in the files."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, settle, write_relax

import rollscope
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store

EXPECTED = [[relax_record(step, i)["reward"] for i in range(8)] for step in range(3)]


def rewards(index: Index) -> list[list[float]]:
    return [index.snapshot.rows_of("train", step)["reward"].to_pylist() for step in range(3)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return settle(write_relax(tmp_path / "run"))


def opened(run: Path) -> Index:
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    return index


def segments(index: Index) -> list[Path]:
    return sorted(Path(index.location).glob("*.arrow"))


def test_a_missing_segment_is_made_again_and_stays(run: Path) -> None:
    for segment in segments(opened(run)):
        segment.unlink()
    assert rewards(opened(run)) == EXPECTED
    again = opened(run)
    (segment,) = segments(again)
    before = segment.stat().st_mtime_ns
    assert rewards(again) == EXPECTED
    assert [path.stat().st_mtime_ns for path in segments(again)] == [before]


def test_a_segment_cut_short_is_made_again(run: Path) -> None:
    (segment,) = segments(opened(run))
    whole = segment.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        for path in segments(opened(run)):
            path.write_bytes(whole[:length])
        assert rewards(opened(run)) == EXPECTED


def test_a_segment_damaged_at_any_byte_is_made_again(run: Path) -> None:
    chance = random.Random(7)
    for _ in range(25):
        index = opened(run)
        rewards(index)
        for segment in segments(index):
            content = bytearray(segment.read_bytes())
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            segment.write_bytes(content)
        assert rewards(opened(run)) == EXPECTED


def test_a_manifest_damaged_at_any_byte_is_made_again(run: Path) -> None:
    chance = random.Random(8)
    manifest = Path(opened(run).location) / "manifest.msgpack"
    for _ in range(25):
        content = bytearray(manifest.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        manifest.write_bytes(content)
        assert rewards(opened(run)) == EXPECTED


def test_an_index_deleted_under_an_open_run_recovers(run: Path) -> None:
    opened(run)
    here = rollscope.open(run)
    shutil.rmtree(here._index.location)
    assert [row.reward for row in here.samples(split="train", step=1).rows] == EXPECTED[1]
    shutil.rmtree(here._index.location)
    append(run / "train" / "0.jsonl", relax_record(0, 8, reward=0.5))
    here.refresh()
    assert [row.reward for row in here.samples(split="train", step=0).rows] == [*EXPECTED[0], 0.5]
    assert rewards(opened(run))[2] == EXPECTED[2]


def test_a_damaged_segment_of_which_a_file_was_replaced_meanwhile(run: Path) -> None:
    """Rows of the file that changed are gone from it; the others keep their places."""
    for segment in segments(opened(run)):
        segment.unlink()
    write_jsonl(run / "train" / "0.jsonl", [relax_record(0, i, reward=0.125) for i in range(3)])
    assert rewards(opened(run)) == [[0.125] * 3, EXPECTED[1], EXPECTED[2]]
    assert rewards(opened(run)) == [[0.125] * 3, EXPECTED[1], EXPECTED[2]]
