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


def test_continuations_go_on_and_what_they_copy_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "t" / "result.json", result())
    agent = tmp_path / "t" / "agent"
    write(agent / "trajectory.json", atif())
    write(agent / "trajectory.cont-10.json", atif([{"source": "agent", "message": "last"}]))
    copied = {"source": "user", "message": "count lines", "is_copied_context": True}
    write(agent / "trajectory.cont-2.json", atif([copied, {"source": "user", "message": "go on"}]))
    write(agent / "trajectory.summarization-1.json", atif([{"source": "user", "message": "sum up"}]))
    (sample,) = opened(tmp_path)
    assert [text for _, text in texts(sample)] == ["count lines", "3", "go on", "last"]
    assert [message.text for message in sample.unmatched[0].messages] == ["sum up"]


def test_trials_of_several_steps(tmp_path: Path) -> None:
    told = [{"step_name": "one", "verifier_result": {"rewards": {"reward": 0.5}}}]
    write(tmp_path / "t" / "result.json", result(step_results=told, verifier_result={"rewards": {"a": 1.0, "b": 0.0}}))
    for name in ("1-one", "2-two"):
        write(
            tmp_path / "t" / "steps" / name / "agent" / "trajectory.json", atif([{"source": "agent", "message": name}])
        )
    (sample,) = opened(tmp_path)
    assert [text for _, text in texts(sample)] == ["1-one", "2-two"]
    assert (sample.reward, sample.rewards) == (None, {"a": 1.0, "b": 0.0, "one/reward": 0.5})


def test_a_trial_that_is_still_running_and_then_ends(tmp_path: Path) -> None:
    write(tmp_path / "done" / "result.json", result())
    write(tmp_path / "live" / "agent" / "trajectory.json", atif(STEPS[:1]))
    (run,) = Library([tmp_path]).runs()
    assert {row.status for row in run.samples().rows} == {"completed", "pending"}
    write(tmp_path / "live" / "agent" / "trajectory.json", atif())
    write(tmp_path / "live" / "result.json", result(task_name="u"))
    run.refresh()
    assert [(row.group, row.status) for row in run.samples().rows] == [("t", "completed"), ("u", "completed")]


def test_rewards_and_output_in_files(tmp_path: Path) -> None:
    write(tmp_path / "t" / "result.json", result(verifier_result=None))
    write(tmp_path / "t" / "verifier" / "reward.txt", "0.25\n")
    write(tmp_path / "t" / "verifier" / "test-stdout.txt", "x" * 70_000)
    write(tmp_path / "t" / "agent" / "trajectory.json", "{")
    (sample,) = opened(tmp_path)
    assert sample.reward == 0.25
    logs = sample.turns[-1].logs
    assert logs["test-stdout.txt"].endswith("cut after 64 KB")
    assert logs["trajectory.json"].startswith("cannot be read")


def test_bare_trajectories(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]
    write(
        tmp_path / "a.json",
        atif([{"source": "user", "message": parts}, STEPS[1]], final_metrics={"total_cost_usd": 0.5}),
    )
    write(tmp_path / "b.json", atif())
    write(tmp_path / "other.json", {"hello": 1})
    first, second = opened(tmp_path)
    assert (first.split, first.reward, first.status, first.metrics) == ("eval/all", None, None, {"cost_usd": 0.5})
    assert [part.type for part in first.messages[0].parts] == ["text", "media"]
    assert texts(second) == [("user", "count lines"), ("assistant", "3")]


def test_a_damaged_result_is_told_and_the_others_open(tmp_path: Path) -> None:
    write(tmp_path / "a" / "result.json", result())
    write(tmp_path / "b" / "result.json", json.dumps(result())[:40])
    (run,) = Library([tmp_path]).runs()
    assert len(run.samples().rows) == 1
    assert [skip.file for skip in run.doctor().skipped] == ["b/result.json"]
