"""What is copied from the page finds what the page listed: the commands are run, the Python is executed."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.query.lists.commands import insight_command, list_commands
from rollscope.query.run import Run

LISTS: list[dict[str, Any]] = [
    {"split": "train", "step": 1, "sort": "-reward"},
    {"split": "train", "steps": "1:3", "where": 'reward < 0.4 or prompt contains "it\'s"', "sort": "-step"},
    {"split": "train", "steps": ":", "where": "reward > 0.5", "discarded": None, "sort": "index"},
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    for step in range(3):
        records = [relax_record(step, n, reward=n / 8) for n in range(8)]
        write_jsonl(tmp_path / "it's a run" / "train" / f"{step}.jsonl", records)
    return rollscope.open(tmp_path / "it's a run")


@pytest.mark.parametrize("asked", LISTS)
def test_the_command_and_the_python_list_what_the_page_lists(run: Run, asked: dict[str, Any]) -> None:
    wanted = [row.address for row in run.samples(**asked).rows]
    copied = list_commands(run, **asked)
    words = shlex.split(copied.command)
    command = [sys.executable, "-m", "rollscope", *words[1:], "--json"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert [row["address"] for row in json.loads(said)] == wanted
    names: dict[str, Any] = {}
    exec(copied.python.replace("to_pandas", "to_arrow"), names)
    assert names["table"]["address"].to_pylist() == wanted


def test_a_page_of_insights_is_the_command_that_prints_it(run: Run) -> None:
    told = shlex.split(insight_command(run, "contrast", ["--a", 'status = "truncated"'], run))
    assert told == ["rollscope", "contrast", run.path, "--a", 'status = "truncated"', "--other", run.path]
    assert shlex.split(insight_command(run, "compare", ["--split", "train"], run))[2:4] == [run.path, run.path]
