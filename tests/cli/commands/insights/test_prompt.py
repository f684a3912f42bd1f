"""`rollscope prompt`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli, relax_record
from tests.fixtures import write_jsonl


def test_prompt_lists_the_rewards_of_every_step_and_of_the_other_runs(cli: Cli, tmp_path: Path) -> None:
    for name in ("one", "two"):
        for step in range(2):
            lines = [relax_record(step, n, prompt="the prompt", reward=float(step)) for n in range(2)]
            write_jsonl(tmp_path / "runs" / name / "train" / f"{step}.jsonl", lines)
    done = cli("prompt", tmp_path / "runs", "train/0/1", "--run", "one")
    assert [line.split() for line in done.out.splitlines()[1:4]] == [
        ["one", "train", "all", "4", "0.5", "50%"],
        ["one", "train", "0", "2", "0", "0%", "0", "0"],
        ["one", "train", "1", "2", "1", "100%", "1", "1"],
    ]
    assert "2 runs looked at" in done.err
    assert len(cli("prompt", tmp_path / "runs" / "one", "train/0/1", "--json").json["strips"]) == 1
