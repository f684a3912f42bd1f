"""What the doctor says: why this format, what was skipped, and which files nobody claims."""

from __future__ import annotations

from pathlib import Path

from tests.runs import write_relax

import rollscope
from rollscope import record


def test_a_whole_run_needs_no_doctor(tmp_path: Path) -> None:
    report = rollscope.open(write_relax(tmp_path / "run")).doctor()
    assert (report.format, report.skipped_total, report.unclaimed_total, report.warnings) == ("relax", 0, 0, [])
    assert report.confidence == 0.9
    assert "train/0.jsonl" in report.reasons[0]
    assert [(split.split, split.steps, split.samples) for split in report.splits] == [("train", 3, 24)]
    assert any("advantages" in limit for limit in report.limits)


def test_every_skipped_line_is_named_with_its_file_and_reason(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run")
    file = run / "train" / "1.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(["[1, 2]", *lines[:3], "{broken", *lines[3:]]) + "\n")
    report = rollscope.open(run).doctor()
    assert report.skipped_total == 2
    assert [(item.file, item.line) for item in report.skipped] == [("train/1.jsonl", 1), ("train/1.jsonl", 5)]
    assert all(item.reason for item in report.skipped)
    assert report.splits[0].samples == 24


def test_a_line_that_is_not_finished_is_said(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run")
    file = run / "train" / "1.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    report = rollscope.open(run).doctor()
    assert report.splits[0].samples == 23
    (said,) = report.warnings
    assert said.startswith("train/1.jsonl ends in a line of ")
    assert "not finished" in said


def test_files_that_no_format_claims_are_listed(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run")
    (run / "notes.txt").write_text("mine")
    (run / "plots").mkdir()
    (run / "plots" / "reward.png").write_bytes(b"png")
    report = rollscope.open(run).doctor()
    assert report.unclaimed == ["notes.txt", "plots/reward.png"]
    assert report.unclaimed_total == 2


def test_what_a_trainer_writes_beside_samples_is_claimed(tmp_path: Path) -> None:
    recorded = record.start(tmp_path / "run", config={"lr": 1e-6})
    with recorded.iteration(0) as iteration, iteration.group(prompt="2 + 2?") as group:
        group.add(response="4", reward=1.0)
    recorded.log_metrics({"loss": 1.0}, step=0)
    recorded.write_text("notes.txt", "mine")
    recorded.checkpoint(step=0)
    recorded.close()
    assert rollscope.open(tmp_path / "run").doctor().unclaimed == ["notes.txt"]
