"""A folder inside a run opens as that run, where what lies above says more about its samples."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import copy_fixture, fixture_path, write_jsonl

from rollscope.query.library import Library
from rollscope.query.run import Run


def the_run(path: Path) -> Run:
    (run,) = Library([path]).runs()
    return run


@pytest.mark.parametrize(
    ("run", "inner"),
    [
        ("trl_more/extra_w", "completions"),
        ("slime", "rollout_data"),
        ("prime_rl_stream", "monitors/file/traces"),
        ("tinker_0.5.8", "iteration_000001"),
        ("prime_rl", "rollouts/step_2/train/all"),
    ],
)
def test_the_run_is_opened_from_a_folder_inside_it(run: str, inner: str) -> None:
    path = fixture_path(run)
    assert the_run(path / inner).root == the_run(path).root == str(path)


def test_what_lies_above_the_samples_is_used() -> None:
    path = fixture_path("trl_more/extra_w")
    whole = the_run(path)
    inner = the_run(path / "completions")
    assert [row.reward for row in inner.samples().rows] == [row.reward for row in whole.samples().rows]
    assert [series.name for series in inner.catalog()] == [series.name for series in whole.catalog()]


def test_a_part_says_that_more_than_it_is_shown() -> None:
    library = Library([fixture_path("tinker_0.5.8") / "iteration_000001"])
    assert [sentence for sentence in library.warnings if "a part of the run tinker_0.5.8" in sentence]


def test_a_folder_with_samples_of_its_own_kind_shows_only_them(tmp_path: Path) -> None:
    record = {"input": "user\nQ\nassistant\n", "output": "A", "score": 1.0, "step": 1}
    write_jsonl(tmp_path / "exp" / "rollout" / "1.jsonl", [record])
    write_jsonl(tmp_path / "exp" / "validation" / "1.jsonl", [record])
    assert the_run(tmp_path / "exp").splits == ["train", "eval/validation"]
    assert the_run(tmp_path / "exp" / "rollout").splits == ["train"]


def test_a_folder_with_any_other_name_is_not_looked_above(tmp_path: Path) -> None:
    run = copy_fixture("trl_more/extra_w", tmp_path)
    (run / "completions").rename(run / "mine")
    assert the_run(run / "mine").root == str(run / "mine")
