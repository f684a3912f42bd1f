"""Runs and their steps, asked of a running server."""

from __future__ import annotations

import pytest
from tests.server.client import Server


def test_runs_are_listed_with_what_the_run_list_needs(server: Server) -> None:
    (run,) = server.json("/api/runs")
    assert run["name"] == "run-a"
    assert run["format"] == "relax"
    assert run["state"] in ("live", "finished")
    assert run["path"].endswith("run-a")
    assert [split["split"] for split in run["splits"]] == ["train", "eval/aime24"]


def test_a_page_of_runs(server: Server) -> None:
    assert server.json("/api/runs", offset=1) == []
    assert len(server.json("/api/runs", limit=1)) == 1


def test_a_run_has_its_files_config_and_fields(server: Server, run: str) -> None:
    details = server.json(run)
    assert details["info"]["name"] == "run-a"
    assert {"config", "ranges", "checkpoints", "skipped", "code_diff", "reports", "limits"} <= details.keys()
    assert "reward" in details["fields"]
    assert {file["path"] for file in details["files"]} >= {"train/0.jsonl", "eval/0.jsonl"}


def test_steps_say_how_many_samples_and_what_reward(server: Server, run: str) -> None:
    steps = server.json(f"{run}/steps")
    assert [step["step"] for step in steps] == [0, 1, 2]
    assert all(step["samples"] == 24 and step["groups"] == 6 and step["complete"] for step in steps)
    assert steps[0]["reward"]["mean"] == pytest.approx(0.375)
    assert [step["step"] for step in server.json(f"{run}/steps", offset=1, limit=1)] == [1]
    assert [step["samples"] for step in server.json(f"{run}/steps", split="eval/aime24")] == [4]


def test_progress_and_doctor(server: Server, run: str) -> None:
    assert server.json(f"{run}/progress")["done"] is True
    assert server.json(f"{run}/doctor")["format"] == "relax"
