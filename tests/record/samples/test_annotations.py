"""What is learned of a sample after it was written: a line beside it, which every reader joins."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.record.helpers import lines, rollouts

import rollscope
from rollscope import record
from rollscope.query.live.watch import changed
from rollscope.query.run import Run


@pytest.fixture(autouse=True)
def own_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(tmp_path / "index"))


def open_run(directory: Path) -> Run:
    return rollscope.open(directory)


def annotation_lines(directory: Path, step: int = 0) -> list[dict[str, object]]:
    return lines(directory / f"train_iteration_{step:06d}_annotations.jsonl")


def test_a_written_sample_gets_an_advantage_and_a_reason_later(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with record.start(directory, strict=True) as run:
        with run.iteration(0) as iteration, iteration.group(prompt="q") as group:
            kept, dropped = group.add(response="a", reward=1.0), group.add(response="b", reward=0.0)
        kept.set_advantage(0.5)
        kept.annotate(metrics={"kl": 0.25}, tokens={"trainer_logprobs": [-0.5]})
        dropped.discard("too_old", staleness=7)
    assert ["advantage" in line for line in rollouts(directory)] == [False, False]
    assert [(line["group"], line["index"], line.get("advantage")) for line in annotation_lines(directory)] == [
        (0, 0, 0.5), (0, 0, None), (0, 1, None),
    ]  # fmt: skip
    opened = open_run(directory)
    first, second = opened.samples(discarded=None).rows
    assert (first.advantage, first.metrics["kl"], first.discard_reason) == (0.5, 0.25, None)
    assert (second.advantage, second.discard_reason, second.staleness) == (None, "too_old", 7)
    sample = opened.sample("train/0/0")
    assert (sample.advantage, sample.metrics["kl"]) == (0.5, 0.25)
    assert sample.tokens is not None
    assert sample.tokens.trainer_logprobs == [-0.5]
    assert opened.sample("train/0/1").discard_reason == "too_old"
    assert len(opened.samples(where="advantage > 0 and metrics.kl = 0.25")) == 1
    assert len(opened.samples()) == 1  # the discarded one is not listed unless asked for


def test_an_annotation_that_comes_while_the_run_is_looked_at_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollscope.query.live.watch.FRESH_SECONDS", 0.0)
    monkeypatch.setattr("rollscope.query.live.watch.MAX_FRESH_SECONDS", 0.0)
    directory = tmp_path / "run"
    with record.start(directory, strict=True) as run:
        with run.iteration(0) as iteration:
            sample = iteration.add(prompt="q", response="a", reward=1.0)
        run.flush()
        opened = open_run(directory)
        for advantage in (0.25, 0.75):
            sample.set_advantage(advantage)
            run.flush()
            assert changed(opened._index)
            [row] = opened.samples().rows
            assert not changed(opened._index)
            assert row.advantage == advantage == opened.sample("train/0/0").advantage


def test_a_sample_is_annotated_by_its_place_from_another_process(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with record.start(directory) as run, run.iteration(3) as iteration, iteration.group("p1") as group:
        group.add(response="a")
        group.add(response="b")
    with record.start(directory, writer="trainer", attempt=0) as run:
        run.annotate(3, "p1", 1, writer="main", advantage=-0.5)
    assert (directory / "train_iteration_000003_annotations.trainer.jsonl").exists()
    assert [row.advantage for row in open_run(directory).samples().rows] == [None, -0.5]


def test_an_annotation_belongs_to_its_attempt_and_its_evaluation(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    for _ in range(2):
        with record.start(directory) as run:
            with run.iteration(0) as iteration, iteration.group() as group:
                group.add(response="a")
            with run.evaluation("held out", 0) as evaluation:
                evaluation.add(response="b", group="p")
            run.annotate(0, 0, 0, attempt=0, advantage=0.5)
            run.annotate(0, "p", 0, evaluation="held out", metrics={"judge": 1.0})
    opened = open_run(directory)
    assert [row.advantage for row in opened.samples(split="train").rows] == [None]
    assert [row.metrics for row in opened.samples(split="eval/held_out").rows] == [{"judge": 1.0}]


def test_before_it_is_written_the_sample_itself_is_changed(tmp_path: Path) -> None:
    with record.start(tmp_path, strict=True) as run, run.iteration(0) as iteration, iteration.group() as group:
        sample = group.add(response="a", metrics={"x": 1.0}, tokens={"ids": [1]})
        sample.annotate(advantage=0.5, metrics={"y": 2.0}, tokens={"logprobs": [-0.5]}, stop_reason="length")
    [line] = rollouts(tmp_path)
    assert (line["advantage"], line["metrics"], line["status"]) == (0.5, {"x": 1.0, "y": 2.0}, "truncated")
    assert line["tokens"] == {"ids": [1], "logprobs": [-0.5]}
    assert not (tmp_path / "train_iteration_000000_annotations.jsonl").exists()


def test_numbers_that_are_not_finite_are_joined_too(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with record.start(directory) as run:
        with run.iteration(0) as iteration:
            sample = iteration.add(response="a", reward=math.nan, metrics={"kl": math.inf})
        sample.annotate(advantage=math.nan, reward=1.0, metrics={"kl": 0.5, "other": -math.inf})
    opened = open_run(directory)
    [row] = opened.samples().rows
    loaded = opened.sample("train/0/0")
    assert (row.reward, row.metrics["kl"], row.nonfinite["metrics.other"]) == (1.0, 0.5, "-Infinity")
    assert (loaded.reward, loaded.metrics["kl"], loaded.metrics["other"]) == (1.0, 0.5, -math.inf)
    assert loaded.advantage is not None
    assert math.isnan(loaded.advantage)


def test_text_cannot_be_annotated_and_nonsense_harms_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    run = record.start(directory)
    with run.iteration(0) as iteration:
        sample = iteration.add(prompt="q", response="a")
    sample.annotate(response="another", golden_answers="42")
    sample.annotate(advantage="much")
    run.close()
    assert run.errors == 3
    path = directory / "train_iteration_000000_annotations.jsonl"
    path.write_text(
        'not json\n[1]\n{"group": [1]}\n' + json.dumps({"group": 0, "index": 0, "advantage": 2.0}) + '\n{"gro'
    )
    [row] = open_run(directory).samples().rows
    assert row.advantage == 2.0
    loaded = open_run(directory).sample("train/0/0")
    assert (loaded.advantage, loaded.golden_answers) == (2.0, {})
