"""What the Run page shows."""

from __future__ import annotations

from rollscope.query.run import Run


def test_details_name_the_files_and_the_ranges(run: Run) -> None:
    details = run.details()
    assert [(item.path, item.role, item.step) for item in details.files][:2] == [
        ("train/0.jsonl", "rollouts", 0),
        ("train/1.jsonl", "rollouts", 1),
    ]
    assert details.ranges["*"]["reward"].origin == "observed"
    assert details.limits
