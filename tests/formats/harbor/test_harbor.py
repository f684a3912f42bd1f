"""Harbor's jobs and bare ATIF trajectories: trials as samples, with what they said, did and earned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fixtures import fixture_path
from tests.formats.opened import opened, texts

from rollscope.query.library import Library

STEPS = [
    {"step_id": 1, "source": "user", "message": "count lines"},
    {"step_id": 2, "source": "agent", "message": "3"},
]


def atif(steps: list[dict[str, Any]] = STEPS, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": steps,
        **more,
    }


def result(**more: Any) -> dict[str, Any]:
    base = {"task_name": "t", "trial_name": "t__1", "agent_info": {"name": "a"}, "finished_at": "2026-11-01T10:00:00Z"}
    return {**base, "verifier_result": {"rewards": {"reward": 1.0}}, **more}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_the_fixture_opens_with_exactly_its_samples() -> None:
    (job,) = (fixture_path("harbor") / "jobs").iterdir()
    trials = sorted(path for path in job.iterdir() if path.is_dir())
    found = opened(fixture_path("harbor"))
    assert len(found) == len(trials) == 3
    for sample, trial in zip(found, trials, strict=True):
        told = json.loads((trial / "result.json").read_text())
        trajectory = json.loads((trial / "agent" / "trajectory.json").read_text())
        steps, (inner,) = trajectory["steps"], trajectory["subagent_trajectories"]
        assert (sample.split, sample.step, sample.group) == ("eval/demo-set", 0, told["task_name"])
        assert sample.reward == ((told["verifier_result"] or {}).get("rewards") or {}).get("reward")
        assert sample.completion_tokens == told["agent_result"]["n_output_tokens"]
        assert sample.timings["agent_execution"] == 12.0
        spoken = [step for step in steps if step["source"] == "agent"]
        assert [turn.completion_tokens for turn in sample.turns] == [
            step["metrics"]["completion_tokens"] for step in spoken
        ]
        calls = [part.name for message in sample.messages for part in message.parts if part.type == "tool_call"]
        assert calls == [call["function_name"] for step in spoken for call in step.get("tool_calls") or []]
        assert sample.tokens is not None
        assert sample.tokens.ids == spoken[0]["metrics"]["completion_token_ids"]
        assert sample.tokens.logprobs == spoken[0]["metrics"]["logprobs"]
        assert [part.text for part in sample.messages[2].parts if part.type == "thinking"] == [
            spoken[0]["reasoning_content"]
        ]
        assert sample.unmatched[0].title == f"Another trajectory of this sample: {inner['trajectory_id']}, by explorer"
    timed_out = found[2]
    assert (timed_out.status, timed_out.stop_reason) == ("aborted", "AgentTimeoutError")
    assert timed_out.notes == ["AgentTimeoutError: agent exceeded 600 s"]


def test_every_job_of_a_folder_is_a_run_and_a_trial_alone_opens(tmp_path: Path) -> None:
    for job in ("one", "two"):
        write(tmp_path / "jobs" / job / "result.json", {"n_total_trials": 1})
        write(tmp_path / "jobs" / job / "t__1" / "result.json", result())
        write(tmp_path / "jobs" / job / "t__1" / "agent" / "trajectory.json", atif())
    assert [run.name for run in Library([tmp_path]).runs()] == ["jobs/one", "jobs/two"]
    (sample,) = opened(tmp_path / "jobs" / "one" / "t__1")
    assert (sample.reward, texts(sample)) == (1.0, [("user", "count lines"), ("assistant", "3")])


def test_a_job_says_when_it_has_ended(tmp_path: Path) -> None:
    write(tmp_path / "t__1" / "result.json", result())
    job = {"id": "j", "started_at": "2026-11-01T10:00:00Z", "n_total_trials": 1, "stats": {}}
    write(tmp_path / "result.json", {**job, "finished_at": None})
    (run,) = Library([tmp_path]).runs()
    assert run.info().state == "live"
    write(tmp_path / "result.json", {**job, "finished_at": "2026-11-01T10:05:00Z"})
    (run,) = Library([tmp_path]).runs()
    assert run.info().state == "finished"
