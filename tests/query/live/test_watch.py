"""Waiting for files that were never read, and noticing that a step must be read again."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from tests.runs import append, relax_record, settle, write_relax

import rollscope
from rollscope import record
from rollscope.errors import NotFoundError
from rollscope.query.library import Library
from rollscope.query.live.watch import ask_when_read, step_changed
from rollscope.query.run import Run


@pytest.fixture
def library(tmp_path: Path) -> Library:
    for name in ("a", "b"):
        write_relax(tmp_path / "runs" / name, steps=2, samples=4)
    return Library([tmp_path / "runs"], index_dir=str(tmp_path / "index"))


def steps_of(run: Run) -> int:
    return len(run.steps(wait=False).steps)


def test_an_answer_waits_for_files_that_were_never_read(library: Library) -> None:
    run = library.runs()[0]
    assert len(ask_when_read(run, 60, lambda: run.samples(wait=False)).rows) == 8


def test_what_is_not_there_is_told_once_all_is_read(library: Library) -> None:
    run = library.runs()[0]
    run.refresh()

    def missing() -> None:
        raise NotFoundError("no such thing")

    with pytest.raises(NotFoundError):
        ask_when_read(run, 60, missing)


def test_a_first_answer_is_enough_where_that_is_said(library: Library) -> None:
    run = library.runs()[0]
    run.refresh(wait=False)
    assert ask_when_read(run, 60, lambda: steps_of(run), lambda steps: steps > 0) > 0


def test_a_step_is_read_again_when_something_is_learned_of_its_samples(tmp_path: Path) -> None:
    """Annotations lie in a file beside the samples, which stays as it is."""
    with record.start(str(tmp_path / "run")) as writing:
        with writing.iteration(0) as iteration, iteration.group("g") as group:
            group.add(prompt="p", response="a", reward=1.0)
        writing.flush()
        settle(tmp_path / "run")
        run = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
        run.refresh()
        assert run.samples(split="train", step=0, wait=False).rows[0].advantage is None
        assert not step_changed(run._index, "train", 0)
        for advantage in (0.25, 0.5):
            writing.annotate(0, "g", 0, advantage=advantage)
            writing.flush()
            assert step_changed(run._index, "train", 0)
            wanted = functools.partial(run.samples, split="train", step=0, wait=False)
            assert ask_when_read(run, 30, wanted).rows[0].advantage == advantage
            assert run.sample("train/0/0").advantage == advantage


def test_a_long_look_counts_for_a_while_but_a_step_s_own_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_relax(tmp_path / "run", steps=2, samples=4)
    settle(tmp_path / "run")
    run = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
    run.refresh()
    monkeypatch.setattr("rollscope.query.live.watch.FRESH_SECONDS", -1.0)
    looks: list[bool] = []
    whole = run._index.refresh

    def noted(**asked: Any) -> bool:
        looks.append(True)
        return whole(**asked)

    monkeypatch.setattr(run._index, "refresh", noted)
    run._refresher.looked(took=100.0)
    assert run.samples(split="train", step=1).total == 4
    assert run.samples().total == 8
    run._refresher._looked -= 60  # a minute later, which is less than the look took
    assert run.samples().total == 8
    assert not looks
    append(tmp_path / "run" / "train" / "1.jsonl", relax_record(1, 4))
    assert run.samples(split="train", step=1).total == 5
    run._refresher.looked(took=0.0)
    assert run.samples().total == 9
    assert len(looks) == 2
