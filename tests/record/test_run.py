"""A run as a training loop sees it: groups, discards, reports, attempts, the end."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.record.helpers import lines, record_steps, rollouts

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


def logtree_of(directory: Path, step: int = 0, split: str = "train") -> Any:
    return json.loads((directory / f"{split}_iteration_{step:06d}_logtree.json").read_text("utf-8"))["root"]


def test_samples_are_numbered_within_groups_and_groups_within_the_step(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=2, groups=3, samples=2).close()
    for step in range(2):
        places = [(line["group"], line["index"]) for line in rollouts(tmp_path, step)]
        assert places == [(group, index) for group in range(3) for index in range(2)]


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


def test_reports_can_be_turned_off(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=1, reports=False).close()
    assert not list(tmp_path.glob("*.html"))
    assert not list(tmp_path.glob("*_logtree.json"))
    assert (tmp_path / "train_iteration_000000_rollout_summaries.jsonl").exists()


def test_summaries_add_up(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(response="x", reward=0.5)
        iteration.add(response="x", reward=1.0, final_reward=0.25)
        turns: list[dict[str, Any]] = [{"reward": 0.1, "ob_len": 5, "ac_len": 7, "logs": {"a": 1}}, {"reward": 0.2}]
        iteration.add(response="x", turns=turns, final_reward=1.0)
        iteration.add([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}], reward=2.0)
        iteration.add(response="x")
    summaries = lines(tmp_path / "train_iteration_000000_rollout_summaries.jsonl")
    for item in summaries[:4]:
        steps = sum(step["reward"] or 0.0 for step in item["steps"])
        assert steps + item["final_reward"] == pytest.approx(item["total_reward"])
        assert [step["episode_done"] for step in item["steps"]][-1] is True
    assert summaries[2]["steps"][0] == {
        "step_idx": 0, "ob_len": 5, "ac_len": 7, "reward": 0.1, "episode_done": False, "metrics": {}, "logs": {"a": 1},
    }  # fmt: skip
    assert [step["reward"] for step in summaries[3]["steps"]] == [None, None]
    assert summaries[4]["total_reward"] is None


def test_a_run_that_goes_on_is_a_new_attempt(tmp_path: Path) -> None:
    first = record_steps(tmp_path, steps=2)
    first.close()
    second = record_steps(tmp_path, steps=1)
    second.close()
    assert (first.attempt, second.attempt) == (0, 1)
    assert [line["attempt"] for line in rollouts(tmp_path, 0)] == [0] * 4 + [1] * 4
    assert {line["attempt"] for line in rollouts(tmp_path, 1)} == {0}
    assert len({line["run_id"] for line in rollouts(tmp_path, 0)}) == 1
    rows = [(row["step"], row["attempt"]) for row in lines(tmp_path / "metrics.jsonl")]
    assert rows == [(0, 0), (1, 0), (0, 1)]
    # Whole files are those of the newest attempt.
    assert len(lines(tmp_path / "train_iteration_000000_rollout_summaries.jsonl")) == 4


def test_half_a_line_left_by_a_killed_process_does_not_swallow_the_next(tmp_path: Path) -> None:
    name = "train_iteration_000000_rollouts.jsonl"
    (tmp_path / name).write_text('{"step": 0, "lo')
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(response="x")
    half, whole = (tmp_path / name).read_text().splitlines()
    assert half == '{"step": 0, "lo'
    assert json.loads(whole)["step"] == 0


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


def test_a_closed_run_takes_nothing_more_and_says_so(tmp_path: Path) -> None:
    run = record_steps(tmp_path, steps=1)
    run.close()
    run.close()
    before = run.errors
    run.log_metrics({"late": 1}, step=9)
    assert run.errors == before + 1
    assert "late" not in (tmp_path / "metrics.jsonl").read_text()


def test_a_warning_of_one_kind_is_given_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with record.start(tmp_path) as run:
        for step in range(20):
            run.log_metrics({"x": object()}, step=step)
    assert run.errors == 20
    assert len(caplog.records) == 1


def test_a_record_larger_than_the_whole_queue_is_taken_when_nothing_else_waits(tmp_path: Path) -> None:
    run = record.start(tmp_path, queue_bytes=2_000)
    assert run.flush()
    with run.iteration(0) as iteration:
        iteration.add(response="x" * 100_000)
        assert run.flush()
    [line] = rollouts(tmp_path)
    assert len(line["messages"][0]["parts"][0]["text"]) == 100_000
    run.close()


def test_importing_the_recorder_loads_nothing_heavy() -> None:
    code = (
        "import sys, rollscope.record\n"
        "heavy = {'duckdb', 'pyarrow', 'textual', 'starlette', 'uvicorn', 'numpy', 'pandas', 're2', 'watchfiles', 'yaml'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
