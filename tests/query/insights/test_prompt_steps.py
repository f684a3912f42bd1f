"""One prompt over the steps of several runs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope import record
from rollscope.errors import NotFoundError
from rollscope.index.rows import run_order
from rollscope.query.insights.prompt_steps import PromptSample


def records(seed: int, steps: int) -> dict[int, list[dict[str, Any]]]:
    chance = random.Random(seed)
    made = {}
    for step in range(steps):
        asked = chance.sample(["p", "q", "r"], 2)
        made[step] = [
            relax_record(step, n, prompt=prompt, reward=chance.choice([0.0, 0.4, 1.0]))
            for n, prompt in enumerate(prompt for prompt in asked for _ in range(3))
        ]
    return made


def test_strips_have_what_a_loop_over_all_samples_finds(tmp_path: Path) -> None:
    told = {name: records(seed, 6) for seed, name in enumerate(("a", "b"))}
    for name, steps in told.items():
        for step, lines in steps.items():
            write_jsonl(tmp_path / name / "train" / f"{step}.jsonl", lines)
    a, b = (rollscope.open(tmp_path / name) for name in told)
    b.refresh()
    first = told["a"][0][0]["prompt"]
    found = a.prompt("train/0/0", [b, a])
    assert (found.prompt, found.runs, [strip.run for strip in found.strips]) == (first, 2, ["a", "b"])
    for strip in found.strips:
        expected = {
            step: [line["reward"] for line in lines if line["prompt"] == first]
            for step, lines in told[strip.run].items()
            if any(line["prompt"] == first for line in lines)
        }
        assert {step.step: [sample.reward for sample in step.samples] for step in strip.steps} == expected
        for part in strip.steps:
            rewards = expected[part.step]
            assert part.mean == pytest.approx(sum(rewards) / len(rewards))
            assert part.pass_rate == pytest.approx(sum(reward > 0.5 for reward in rewards) / len(rewards))
        everything = [reward for rewards in expected.values() for reward in rewards]
        assert strip.samples == len(everything)
        assert strip.mean == pytest.approx(sum(everything) / len(everything))


def test_without_different_rewards_nobody_knows_what_passes(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", [relax_record(0, n, prompt="p", reward=None) for n in range(2)])
    found = rollscope.open(tmp_path / "run").prompt("train/0/1")
    assert (found.strips[0].mean, found.strips[0].pass_rate, found.strips[0].samples) == (None, None, 2)
    with pytest.raises(NotFoundError, match="no sample train/0/9"):
        rollscope.open(tmp_path / "run").prompt("train/0/9")


def test_a_run_that_is_asked_in_parts_tells_each_sample_as_its_list_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prompt counts in its environment alone, and every dot has what the list of samples has of it."""
    monkeypatch.setattr(run_order, "PART_ROWS", 5)
    with record.start(tmp_path / "run") as writer:
        for step in range(6):
            with writer.iteration(step) as iteration:
                for prompt, env in (("p", "math"), ("p", "code"), ("q", "math")):
                    with iteration.group(prompt=prompt, env=env) as group:
                        for reward in (0.5, float("nan"), None):
                            group.add(response="r", reward=reward, status="completed" if step % 2 else "truncated")
    run = rollscope.open(tmp_path / "run")
    rows = [row for row in run.samples(discarded=None).rows if row.index < 3]
    assert {row.env for row in rows} == {"math"}
    (strip,) = run.prompt("train/0/0").strips
    shown = [sample for step in strip.steps for sample in step.samples]
    names = PromptSample.__struct_fields__
    assert [[getattr(sample, name) for name in names] for sample in shown] == [
        [getattr(row, name) for name in names] for row in rows
    ]
    assert strip.mean == 0.5
