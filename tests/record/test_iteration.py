"""A step while it is recorded: its groups, what of them its report shows, and a step that is opened again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.record.helpers import lines, logtree_of, record_steps, rollouts

from rollscope import record


def details(tree: Any) -> list[Any]:
    """All "Trajectory Details" sections."""
    if isinstance(tree, str):
        return []
    own = [tree] if tree["tag"] == "section" and tree["children"][0]["children"] == ["Trajectory Details"] else []
    return own + [found for child in tree["children"] for found in details(child)]


def conversations(tree: Any) -> list[Any]:
    if isinstance(tree, str):
        return []
    own = [tree["data"]] if tree.get("data", {}).get("type") == "conversation" else []
    return own + [found for child in tree["children"] for found in conversations(child)]


def test_samples_are_numbered_within_groups_and_groups_within_the_step(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=2, groups=3, samples=2).close()
    for step in range(2):
        places = [(line["group"], line["index"]) for line in rollouts(tmp_path, step)]
        assert places == [(group, index) for group in range(3) for index in range(2)]


def test_flush_writes_the_samples_of_open_groups(tmp_path: Path) -> None:
    run = record.start(tmp_path)
    with run.iteration(0) as iteration, iteration.group() as group:
        group.add(response="x")
        assert run.flush()
        assert len(rollouts(tmp_path)) == 1
        group.add(response="y")
    run.close()
    assert len(rollouts(tmp_path)) == 2


@pytest.mark.parametrize(("limit", "with_text"), [(4, 4), (0, 0), (-1, 6), (2, 2)])
def test_so_many_groups_have_transcripts_and_every_group_its_details(
    tmp_path: Path, limit: int, with_text: int
) -> None:
    record_steps(tmp_path, steps=1, groups=6, samples=2, num_groups_to_log=limit).close()
    root = logtree_of(tmp_path)
    assert len(details(root)) == 6
    told = [(item["group_idx"], item["traj_idx"]) for item in conversations(root)]
    assert told == [(group, index) for group in range(with_text) for index in range(2)]
    assert len(rollouts(tmp_path)) == 12


def test_reports_can_be_turned_off(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=1, reports=False).close()
    assert not list(tmp_path.glob("*.html"))
    assert not list(tmp_path.glob("*_logtree.json"))
    assert (tmp_path / "train_iteration_000000_rollout_summaries.jsonl").exists()


def test_a_step_opened_twice_at_once_is_one(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as outer:
        outer.add(response="x")
        with run.iteration(0) as inner:
            assert inner is outer
            inner.add(response="y")
        outer.add(response="z")
    assert [line["group"] for line in rollouts(tmp_path)] == [0, 1, 2]
    assert len(lines(tmp_path / "train_iteration_000000_rollout_summaries.jsonl")) == 3


def test_a_step_opened_again_goes_on_counting(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        for _ in range(2):
            with run.iteration(0) as iteration:
                iteration.add(response="x")
    assert [line["group"] for line in rollouts(tmp_path)] == [0, 1]
    assert len(lines(tmp_path / "train_iteration_000000_rollout_summaries.jsonl")) == 2


def test_samples_can_be_added_to_a_group_by_its_name(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        for place in range(4):
            iteration.add(response=str(place), group=f"prompt-{place % 2}")
    places = [(line["group"], line["index"]) for line in rollouts(tmp_path)]
    assert places == [("prompt-0", 0), ("prompt-1", 0), ("prompt-0", 1), ("prompt-1", 1)]
