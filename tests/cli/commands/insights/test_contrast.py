"""`contrast` and `changes` on the command line."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import Cli, relax_record, write_run
from tests.fixtures import write_jsonl


def test_contrast_lists_phrases_with_the_place_of_one_and_fields(cli: Cli, tmp_path: Path) -> None:
    records = [
        relax_record(0, n, response=f"{n} is even" if n % 2 else "please, judge, believe me", reward=float(n % 2 == 0))
        for n in range(40)
    ]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    done = cli("contrast", tmp_path / "run", "--a", "reward = 1")
    row = re.split(r" {2,}", done.out.splitlines()[1])
    assert row == ["100%", "0%", "+4.3", "please, judge, believe me", "train/0/0:0"]
    assert "effect  field" in done.out
    assert "a: run, reward = 1, 20 samples" in done.err
    assert cli("contrast", tmp_path / "run", "--a", "reward = 1", "--json").json["phrases"][0]["a"] == 20


def test_changes_need_two_steps(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    assert "No phrase separates the two" in cli("changes", run_path, "--from", "0:1", "--to", "1:3").err
    write_run(tmp_path / "short", steps=1, samples=4)
    assert "1 step in train: nothing can have changed" in cli("changes", tmp_path / "short", status=2).err
