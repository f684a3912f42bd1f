"""File names: six digits, sanitised evaluators that never collide, writers that never share a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope import record
from rollscope.record.output import file_names


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("AIME 2025 (avg@2)", "AIME_2025_avg_2"),
        ("test", "test"),
        ("a/b\\c", "a_b_c"),
        ("..hidden..", "hidden"),
        ("__x__", "x"),
        ("ünï", "n"),
        ("日本", "unnamed"),
        ("", "unnamed"),
        ("v1.2-final", "v1.2-final"),
    ],
)
def test_evaluator_names(name: str, label: str) -> None:
    assert file_names.sanitize(name) == label


@given(st.lists(st.text(max_size=6), max_size=12))
def test_labels_are_safe_and_never_collide(names: list[str]) -> None:
    taken: dict[str, str] = {}
    for name in names:
        taken[name] = file_names.label_for(name, taken)
    labels = [label.lower() for label in taken.values()]
    assert len(set(labels)) == len(labels)
    assert all(re.fullmatch(r"[a-z0-9_.-]+", label) for label in labels)


def test_the_files_of_a_step() -> None:
    assert file_names.iteration_files("train", 10, "main") == (
        "train_iteration_000010.html",
        "train_iteration_000010_logtree.json",
        "train_iteration_000010_rollout_summaries.jsonl",
        "train_iteration_000010_rollouts.jsonl",
        "train_iteration_000010_annotations.jsonl",
    )
    assert (
        file_names.iteration_files("eval/aime", 0, "rank1").rollouts
        == "eval_aime_iteration_000000_rollouts.rank1.jsonl"
    )


def test_the_rank_names_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    run = record.start(tmp_path)
    run.log_metrics({"a": 1}, step=0)
    run.close()
    assert run.writer == "rank3"
    assert (tmp_path / "metrics.rank3.jsonl").exists()
    assert not (tmp_path / "config.json").exists()
