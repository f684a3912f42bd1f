"""A run as a training loop sees it: attempts, the end, what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.record.helpers import lines, record_steps, rollouts


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


def test_a_closed_run_takes_nothing_more_and_says_so(tmp_path: Path) -> None:
    run = record_steps(tmp_path, steps=1)
    run.close()
    run.close()
    before = run.errors
    run.log_metrics({"late": 1}, step=9)
    assert run.errors == before + 1
    assert "late" not in (tmp_path / "metrics.jsonl").read_text()


def test_importing_the_recorder_loads_nothing_heavy() -> None:
    code = (
        "import sys, rollscope.record\n"
        "heavy = {'duckdb', 'pyarrow', 'textual', 'starlette', 'uvicorn', 'numpy', 'pandas', 're2', 'watchfiles', 'yaml'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
