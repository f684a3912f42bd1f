"""A source's split and step are guarantees, for every format and every run there is: whoever asks for another one is told
that nothing is there without the file being looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import DATA, write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import NotFoundError
from rollscope.formats.base import Scan, Source
from rollscope.index.scan import broken_promises
from rollscope.query.library import Library
from rollscope.query.run import Run

RUNS = sorted(path.name for path in DATA.iterdir() if path.is_dir())


def runs_in(path: Path) -> list[Run]:
    """None where no format knows what lies there: that every run opens is the business of other tests."""
    try:
        return Library([path]).runs()
    except NotFoundError:
        return []


@pytest.mark.parametrize("name", RUNS)
def test_no_row_says_otherwise_than_its_source(name: str) -> None:
    for run in runs_in(DATA / name):
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
