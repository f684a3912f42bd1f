"""One trial: its steps, its rewards, its files."""

from __future__ import annotations

import json
from pathlib import Path

from tests.formats.harbor.test_harbor import STEPS, atif, result, write
from tests.formats.opened import opened, texts

from rollscope.query.library import Library

TOO_LONG = "ContextLengthExceededError"


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


def test_a_damaged_result_is_told_and_the_others_open(tmp_path: Path) -> None:
    write(tmp_path / "a" / "result.json", result())
    write(tmp_path / "b" / "result.json", json.dumps(result())[:40])
    (run,) = Library([tmp_path]).runs()
    assert len(run.samples().rows) == 1
    assert [skip.file for skip in run.doctor().skipped] == ["b/result.json"]


def test_steps_are_in_the_order_of_their_results_and_add_up(tmp_path: Path) -> None:
    told = result(agent_result=None, verifier_result={"rewards": {"reward": 0.5}})
    told["step_results"] = [
        {"step_name": "setup", "agent_result": {"n_output_tokens": 3, "cost_usd": None}},
        {"step_name": "build", "agent_result": {"n_output_tokens": 4}, "exception_info": {"exception_type": TOO_LONG}},
    ]
    write(tmp_path / "job" / "t__1" / "result.json", told)
    for name in ("build", "setup"):
        steps = [{"step_id": 1, "source": "agent", "message": f"{name} is done"}]
        write(
            tmp_path / "job" / "t__1" / "steps" / name / "agent" / "trajectory.json",
            {**atif(steps), "final_metrics": {"total_prompt_tokens": 9}},
        )
    (sample,) = opened(tmp_path)
    assert [message.text for message in sample.messages] == ["setup is done", "build is done"]
    assert not sample.metrics  # of all steps nobody counted them
    assert (sample.completion_tokens, sample.status, sample.reward) == (7, "truncated", 0.5)


def test_a_trial_that_has_only_begun_says_its_task(tmp_path: Path) -> None:
    job = tmp_path / "job"
    write(job / "done__1" / "result.json", result())
    config = {"task": {"path": "tasks/fix-it", "source": "demo-set"}, "trial_name": "fix-it__2", "trials_dir": "jobs/x"}
    write(job / "fix-it__2" / "config.json", {**config, "agent": {"name": "terminus-2", "model_name": "mock/model"}})
    (job / "fix-it__2" / "trial.log").write_text("")
    found = {sample.group: sample for sample in opened(tmp_path)}
    begun = found["fix-it"]
    assert (begun.status, begun.reward, begun.tags) == ("pending", None, ["terminus-2", "mock/model"])
    assert [sample.group for sample in opened(job / "fix-it__2")] == ["fix-it"]
