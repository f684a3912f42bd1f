"""Contrast as a question to a run: windows of steps, and other runs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.fixtures import fixture_path
from tests.prose import prose, with_phrase
from tests.query.insights.contrast.test_contrast import PLANTED, run_of

import rollscope


def test_changes_hold_the_first_steps_against_the_last(tmp_path: Path) -> None:
    chance = random.Random(2)
    records = []
    for number in range(600):
        text = prose(chance, 300)
        late = number >= 400
        records.append({"response": with_phrase(text, PLANTED, chance) if late and number % 3 else text})
    run = run_of(tmp_path / "run", records, steps=20)
    answer = run.changes("0:10", "14:20")
    assert answer.phrases[0].text == PLANTED
    assert answer.phrases[0].z > 0
    assert (answer.a.steps, answer.b.steps) == ((14, 19), (0, 9))
    assert answer.notes == []
    tenths = run.changes()
    assert (tenths.a.window, tenths.b.window) == ("18:20", "0:2")
    apart = run.contrast("step < 10", "step > 13")
    assert any("different steps" in note for note in apart.notes)


def test_two_runs_are_told_apart(tmp_path: Path) -> None:
    chance = random.Random(4)
    a = run_of(tmp_path / "a", [{"response": prose(chance, 300)} for _ in range(150)])
    b = run_of(tmp_path / "b", [{"response": with_phrase(prose(chance, 300), PLANTED, chance)} for _ in range(150)])
    answer = a.contrast(other=b)
    assert (answer.a.run, answer.b.run) == ("a", "b")
    assert answer.phrases[0].text == PLANTED
    assert answer.phrases[0].example is not None
    assert answer.phrases[0].example.run == "b"


def test_of_a_run_without_training_the_first_split_is_taken(tmp_path: Path) -> None:
    run = rollscope.open(fixture_path("skyrl"), index_dir=str(tmp_path))
    assert run.changes().a.split == run.token_steps().split == "eval/arith_hard"
    with pytest.raises(rollscope.errors.NotFoundError, match="no split 'train'"):
        run.changes(split="train")
