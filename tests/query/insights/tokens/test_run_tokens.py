"""What a run knows about its tokens."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.fixtures import fixture_path

import rollscope
from rollscope import record
from rollscope.errors import UsageError
from rollscope.query.insights.tokens import run_tokens
from rollscope.query.insights.tokens.quantiles import EDGES
from rollscope.query.library import Library
from rollscope.query.run import Run


def recorded(root: Path, steps: int = 3, samples: int = 6, tokens: int = 200) -> dict[int, list[tuple[int, float]]]:
    """A run with sampler and trainer values; of each step the positions and |trainer - sampler| of trained tokens."""
    chance = random.Random(1)
    told: dict[int, list[tuple[int, float]]] = {}
    run = record.start(root)
    for step in range(steps):
        with run.iteration(step) as iteration, iteration.group(prompt=f"q{step}") as group:
            for _ in range(samples):
                sampler = [-chance.random() for _ in range(tokens)]
                trainer = [value + chance.gauss(0, 0.1) for value in sampler]
                mask = [int(chance.random() < 0.9) for _ in sampler]
                tokens_of = {"logprobs": sampler, "trainer_logprobs": trainer, "mask": mask}
                group.add(response="x", reward=1.0, tokens=tokens_of)
                values = zip(range(tokens), sampler, trainer, mask)
                told.setdefault(step, []).extend((at, abs(t - s)) for at, s, t, trains in values if trains)
    run.close()
    return told


def test_quantiles_of_a_step_are_those_of_all_its_tokens(tmp_path: Path) -> None:
    told = recorded(tmp_path / "run")
    found = rollscope.open(tmp_path / "run").token_steps()
    assert (found.samples, found.read, found.known, found.notes) == (18, 18, 18, [])
    assert [step.step for step in found.steps] == [0, 1, 2]
    for step in found.steps:
        values = np.array([value for _, value in told[step.step]])
        assert (step.samples, step.tokens) == (6, len(values))
        assert [step.p50, step.p90, step.p99, step.max] == pytest.approx(
            [*np.quantile(values, [0.5, 0.9, 0.99]), values.max()]
        )
        assert [(part.start, part.end) for part in step.positions] == list(pairwise(EDGES[:4]))
        for part in step.positions:
            inside = [value for at, value in told[step.step] if part.start <= at < part.end]
            assert part.tokens == len(inside)
            assert part.p90 == pytest.approx(np.quantile(inside, 0.9))


def test_at_most_so_many_samples_of_each_step_are_read_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(tmp_path / "run", steps=4, samples=8, tokens=5)
    monkeypatch.setattr(run_tokens, "PER_STEP", 3)
    found = rollscope.open(tmp_path / "run").token_steps(steps="1:")
    assert [(step.step, step.samples) for step in found.steps] == [(1, 3), (2, 3), (3, 3)]
    assert found.notes == ["Of 24 samples 9 are read, at most 3 a step, drawn evenly."]


def test_a_source_without_tokens_says_so_after_a_first_look() -> None:
    run = rollscope.open(fixture_path("trl_1.14"))
    found = run.token_steps()
    assert found.steps == []
    assert found.notes[-1].startswith("None of 12 samples, drawn evenly, has a log_ratio")
    address = run.samples(split="train", limit=1).rows[0].address
    assert run.tokens(address).notes == ["No tokens are recorded of this sample."]
    with pytest.raises(UsageError, match="no 'loss'"):
        run.token_steps(value="loss")


@pytest.mark.parametrize(
    ("fixture", "columns"),
    [
        ("nemo_rl", {"logprobs", "trainer_logprobs", "ratio", "mismatch_kl", "advantage", "mask"}),
        ("prime_rl_stream", {"logprobs", "trainer_logprobs", "ratio", "entropy", "masked", "mask"}),
        ("slime", {"logprobs", "trainer_logprobs", "ratio", "advantage", "mask"}),
        ("rllm", {"logprobs", "versions"}),
    ],
)
def test_what_trainers_record_is_told(fixture: str, columns: set[str]) -> None:
    found: set[str] = set()
    for run in Library([str(fixture_path(fixture))]).runs():
        found |= _known(run)
    assert found >= columns


def _known(run: Run) -> set[str]:
    found: set[str] = set()
    for row in run.samples(discarded=None, limit=8).rows:
        told = run.tokens(row.address)
        found |= {name for name in told.__struct_fields__ if getattr(told, name)}
    return found


def test_recorded_alternatives_versions_and_what_was_left_out_come_back(tmp_path: Path) -> None:
    run = record.start(tmp_path / "run")
    with run.iteration(0) as iteration, iteration.group(prompt="q") as group:
        group.add(
            response="ab",
            tokens={
                "strings": ["a", "b"],
                "masked": [0, True],
                "versions": [3, "v4"],
                "reference_logprobs": [-0.5, None],
                "top": [{"a": -0.1, "c": -2.5}, [("b", float("nan"))]],
            },
        )
    run.close()
    told = rollscope.open(tmp_path / "run").tokens("train/0/0")
    assert (told.strings, told.masked, told.versions) == (["a", "b"], [0, 1], [3, "v4"])
    assert told.reference_logprobs == [-0.5, None]
    assert [[(item.token, item.logprob) for item in place] for place in told.top] == [
        [("a", -0.1), ("c", -2.5)],
        [("b", None)],
    ]
