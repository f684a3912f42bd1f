"""What is fresh when a question is answered."""

from __future__ import annotations

import os
from pathlib import Path

from tests.runs import append, relax_record, write_relax

import rollscope
from rollscope.query.run import Run


def test_an_answer_that_waits_is_whole_though_one_that_did_not_wait_came_just_before(tmp_path: Path) -> None:
    run = rollscope.open(write_relax(tmp_path / "run", steps=40, samples=40))
    run.steps("train", wait=False)
    assert run.samples().total == 40 * 40
    assert run.steps().progress.done


def test_the_version_grows_when_the_files_do(path: Path, run: Run) -> None:
    run.refresh()
    before = run.version
    assert not run.refresh()
    assert run.version == before
    append(path / "train" / "0.jsonl", relax_record(0, 12))
    assert run.refresh()
    assert run.version > before


def test_a_deleted_run_is_told(path: Path, run: Run) -> None:
    run.samples()
    for file in (path / "train").iterdir():
        os.unlink(file)
    run.refresh()
    assert run.samples().total == 0
