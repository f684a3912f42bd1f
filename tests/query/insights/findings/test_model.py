"""What a report of findings says beside its findings."""

from __future__ import annotations

from rollscope.query.insights.findings.model import FindingsReport, Unknown


def test_splits_and_kinds_that_lack_the_same_are_told_together() -> None:
    lacks = [
        Unknown(split="train", kind="entropy", reason="no token entropy was recorded"),
        Unknown(split="train", kind="stale", reason="no sample records which weights generated it"),
        Unknown(split="eval/a", kind="entropy", reason="no token entropy was recorded"),
        Unknown(split="eval/a", kind="length", reason="fewer than 10 steps"),
        Unknown(split="train", kind="component", reason="fewer than 10 steps"),
        Unknown(split="eval/a", kind="reward_jump", reason="fewer than 10 steps"),
    ]
    report = FindingsReport(run="r", findings=[], samples=0, kinds=["entropy", "stale"], looked_for={}, unknown=lacks)
    assert report.unknown_lines() == [
        "entropy in train, eval/a: no token entropy was recorded",
        "stale in train: no sample records which weights generated it",
        "length, reward_jump in eval/a: fewer than 10 steps",
        "component in train: fewer than 10 steps",
    ]
