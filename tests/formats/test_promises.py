"""What holds for every format and every run there is: a source's split and step are guarantees, so that whoever asks for
another one is told that nothing is there without the file being looked at; an answer is the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures import DATA, write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.formats.base import Scan, Source
from rollscope.index.scan import broken_promises
from rollscope.query.library import Library

RUNS = sorted(path.name for path in DATA.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", RUNS)
def test_no_row_says_otherwise_than_its_source(name: str) -> None:
    for run in Library([DATA / name]).runs():
        form = run.detection.format
        for source in form.sources(run.store):
            stat = run.store.stat(source.path)
            scan = form.scan(run.store, source, 0, stat.size if stat else 0)
            assert broken_promises(scan, source) == [], source.path


def test_a_row_that_does_is_told() -> None:
    scan = Scan(columns={"split": ["train", "eval/x"], "step": [3, None]}, rows=2)
    assert len(broken_promises(scan, Source(path="a", split="train", step=3))) == 1
    assert broken_promises(scan, Source(path="a", step=3)) == []


def test_the_first_question_about_a_flat_folder_of_evals_finds_its_split(tmp_path: Path) -> None:
    records = [relax_record(0, index, dataset=name) for name in ("aime24", "math") for index in range(4)]
    write_jsonl(tmp_path / "0.jsonl", records)
    assert rollscope.open(tmp_path).samples(split="eval/aime24", step=0).total == 4


def test_the_first_question_about_shards_finds_the_records_own_steps(tmp_path: Path) -> None:
    for shard in range(2):
        records = [{"prompt": "p", "response": "r", "reward": 1, "step": step} for step in (7, 8)]
        write_jsonl(tmp_path / f"{shard}.jsonl", records)
    assert rollscope.open(tmp_path).samples(split="train", step=8).total == 2


@pytest.mark.parametrize("name", RUNS)
def test_features_see_the_calls_and_thoughts_that_a_sample_shows(name: str) -> None:
    for run in Library([DATA / name]).runs():
        for row in run.samples(discarded=None, limit=60, features=["text.tool_repeats", "text.think_chars"]).rows:
            parts = [
                part
                for message in run.sample(row.address).messages
                if message.turn is not None
                for part in message.parts
            ]
            assert (row.features.get("text.tool_repeats") is not None) == any(
                part.type == "tool_call" for part in parts
            ), row.address
            assert bool(row.features.get("text.think_chars")) == any(
                part.type == "thinking" and part.content for part in parts
            ), row.address


#: Prints every row of every run below a folder.
ALL_ROWS = """
import sys
from rollscope.model import encode_json
from rollscope.query.library import Library
for run in Library([sys.argv[1]], index_dir=sys.argv[2]).runs():
    print(run.id, *(encode_json(row).decode() for row in run.samples(discarded=None).rows), sep="\\n")
"""


def test_names_come_in_the_same_order_in_every_process(tmp_path: Path) -> None:
    """Answers of two machines can be compared byte by byte; the order of a set is another one in each process."""
    printed = [
        subprocess.run(
            [sys.executable, "-c", ALL_ROWS, str(DATA), str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0].count(b'"address"') > 1_000
    assert printed[0].split(b"\n") == printed[1].split(b"\n")
