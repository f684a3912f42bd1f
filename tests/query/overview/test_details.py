"""What the Run page shows."""

from __future__ import annotations

from pathlib import Path

import rollscope
from rollscope import record
from rollscope.query.run import Run


def test_what_only_says_which_run_it_is_is_named_so_that_no_comparison_counts_it(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with record.start(tmp_path / name, {"seed": 1}) as writer, writer.iteration(0) as iteration:
            iteration.add(prompt="x", response="y", reward=1.0)
    a, b = (rollscope.open(tmp_path / name).details() for name in ("a", "b"))
    recorded = {**a.config["rollscope"]}, {**b.config["rollscope"]}
    assert recorded[0] != recorded[1]
    for of, details in zip(recorded, (a, b)):
        for key in details.config_identity:
            of.pop(key.removeprefix("rollscope."))
    assert recorded[0] == recorded[1]


def test_details_name_the_files_and_the_ranges(run: Run) -> None:
    details = run.details()
    assert [(item.path, item.role, item.step) for item in details.files][:2] == [
        ("train/0.jsonl", "rollouts", 0),
        ("train/1.jsonl", "rollouts", 1),
    ]
    assert details.ranges["*"]["reward"].origin == "observed"
    assert details.limits
