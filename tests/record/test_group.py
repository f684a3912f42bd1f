"""A group while it is recorded: what its samples share, why they are discarded, and their rollouts."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.record.helpers import lines, logtree_of, rollouts

from rollscope import record


def test_fields_of_a_group_hold_for_its_samples(tmp_path: Path) -> None:
    shared: record.SampleFields = {"prompt": "q", "env": "math", "golden_answers": {"a": "1"}}
    with record.start(tmp_path) as run, run.iteration(0) as iteration, iteration.group(**shared) as group:
        group.add(response="x")
        group.add(response="y", env="other")
    first, second = rollouts(tmp_path)
    assert (first["env"], second["env"]) == ("math", "other")
    assert first["golden_answers"] == second["golden_answers"] == {"a": "1"}
    assert first["messages"][0]["parts"][0]["text"] == "q"


def test_a_discarded_sample_is_recorded_with_its_reason(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(5) as iteration, iteration.group(sampling_step=2) as group:
        stale = group.add(response="x")
        other = group.add(response="y")
        group.add(response="z", discard_reason="too_long")
        run.discard(stale, record.ASYNC_STALENESS, staleness=3)
        other.discard("my reason")
    reasons = [(line.get("discard_reason"), line["staleness"]) for line in rollouts(tmp_path, 5)]
    assert reasons == [("async_staleness", 3), ("my reason", 3), ("too_long", 3)]


def test_a_whole_group_can_be_discarded(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration, iteration.group() as group:
        group.add(response="x")
        group.add(response="y")
        group.discard("bad_prompt")
    assert {line["discard_reason"] for line in rollouts(tmp_path)} == {"bad_prompt"}


@pytest.mark.parametrize(
    ("rewards", "advantages", "discarded"),
    [
        ([1.0, 1.0], None, True),
        ([1.0, 0.0], None, False),
        ([1.0, 0.0], [0.0, 0.0], True),
        ([1.0, 1.0], [0.5, 0.0], False),
        ([1.0], None, False),
        ([None, None], None, False),
    ],
)
def test_groups_that_teach_nothing_are_marked_when_asked(
    tmp_path: Path, rewards: list[Any], advantages: list[float] | None, discarded: bool
) -> None:
    for wanted in (True, False):
        directory = tmp_path / str(wanted)
        run = record.start(directory, discard_zero_advantage=wanted)
        with run, run.iteration(0) as iteration, iteration.group() as group:
            for reward in rewards:
                group.add(response="x", reward=reward)
            if advantages is not None:
                group.set_advantages(advantages)
        reasons = {line.get("discard_reason") for line in rollouts(directory)}
        assert reasons == {record.ZERO_ADVANTAGE if wanted and discarded else None}


def test_another_reason_is_not_overwritten(tmp_path: Path) -> None:
    run = record.start(tmp_path)
    with run, run.iteration(0) as iteration, iteration.group(discard_zero_advantage=True) as group:
        group.add(response="x", reward=0.0).discard("async_staleness", staleness=9)
        group.add(response="y", reward=0.0)
    assert [line["discard_reason"] for line in rollouts(tmp_path)] == ["async_staleness", "zero_advantage"]


def test_the_line_of_a_sample_does_not_change_once_it_is_on_disk(tmp_path: Path) -> None:
    run = record.start(tmp_path, strict=True)
    with run.iteration(0) as iteration:
        sample = iteration.add(response="x")
        sample.discard("too late")
    run.close()
    assert "discard_reason" not in rollouts(tmp_path)[0]
    assert lines(tmp_path / "train_iteration_000000_annotations.jsonl")[0]["discard_reason"] == "too late"


def test_what_environments_log_lands_in_their_group(tmp_path: Path) -> None:
    with record.start(tmp_path, num_groups_to_log=1) as run, run.iteration(0) as iteration:
        for number in range(2):
            with iteration.group() as group:
                record.logtree.log_text(f"group {number} says")
                with group.rollout() as rollout:
                    record.logtree.log_text(f"rollout {number} says")
                    rollout.record(response="x")
    text = json.dumps(logtree_of(tmp_path))
    assert "group 0 says" in text
    assert "rollout 0 says" in text
    assert "group 1 says" not in text
    assert "rollout 1 says" not in text


def test_a_rollout_that_fails_is_a_failed_sample_and_the_exception_goes_on(tmp_path: Path) -> None:
    def loop() -> None:
        with record.start(tmp_path) as run, run.iteration(0) as iteration, iteration.group(prompt="q") as group:
            with group.rollout() as rollout:
                rollout.record(response="fine")
            with group.rollout():
                raise RuntimeError("the sampler died")

    with pytest.raises(RuntimeError, match="the sampler died"):
        loop()
    good, bad = rollouts(tmp_path)
    assert (good["index"], bad["index"]) == (0, 1)
    assert (bad["status"], bad["stop_reason"]) == ("failed", "RuntimeError")
    assert "the sampler died" in json.dumps(logtree_of(tmp_path))
    assert (tmp_path / "train_iteration_000000.html").exists()


def test_rollouts_in_tasks_keep_their_place(tmp_path: Path) -> None:
    async def roll(group: record.Group, name: str) -> None:
        with group.rollout() as rollout:
            for turn in range(3):
                record.logtree.log_text(f"{name} turn {turn}")
                await asyncio.sleep(0)
            rollout.record(response=f"{name} is done by {rollout.index}")

    async def grouped(iteration: record.Iteration, name: str) -> None:
        with iteration.group(prompt=name) as group:
            await asyncio.gather(*(roll(group, f"{name}{number}") for number in range(4)))

    async def main() -> None:
        with record.start(tmp_path, num_groups_to_log=-1) as run, run.iteration(0) as iteration:
            await asyncio.gather(*(grouped(iteration, name) for name in "abc"))

    asyncio.run(main())
    samples = rollouts(tmp_path)
    assert len(samples) == 12
    for line in samples:
        prompt, response = (message["parts"][0]["text"] for message in line["messages"])
        assert response.startswith(prompt)
        assert response.endswith(f"by {line['index']}")
    tree = json.dumps(logtree_of(tmp_path))
    for name in ("a0", "b3", "c2"):
        said = re.search(rf"{name} turn 0.*?{name} turn 2", tree)
        assert said is not None
        assert len(re.findall(r"turn \d", said[0])) == 3
