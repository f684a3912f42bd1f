"""`rollscope compare`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.cli.conftest import COMMAND, Cli, relax_record, write_run
from tests.fixtures import write_jsonl

from rollscope.cli.command_table import BY_NAME
from rollscope.query.insights.compare_runs import ONLY


def test_compare_asks_for_the_path_of_one_run(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    for name in "ab":
        write_run(tmp_path / "runs" / name, steps=1, samples=4)
    said = cli("compare", run_path, tmp_path / "runs", status=2).err
    assert str(tmp_path / "runs" / "a") in said
    assert "--run" not in said


def test_compare_lists_prompts_and_says_what_holds_for_all(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    other = tmp_path / "run-b"
    write_jsonl(other / "train" / "0.jsonl", (relax_record(0, index, reward=0.0) for index in range(24)))
    done = cli("compare", run_path, other, "--split", "train", "--steps", "0:1")
    assert "6 prompts in both" in done.err
    assert "mean 0.375 → 0, delta -0.375" in done.err
    assert "What is 0 + 0?" in done.out
    answer = cli("compare", run_path, other, "--steps", "0:1", "--split", "train", "--limit", "2", "--json").json
    assert (answer["matched"], len(answer["rows"]), answer["rows"][0]["a_n"]) == (6, 2, 4)
    assert answer["p"] < 0.05
    assert {*answer["rows"][0]} >= {"prompt", "class", "a_example", "b_example"}


def test_compare_lists_only_prompts_that_got_worse(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    other = tmp_path / "run-b"
    rewards = [1.0 if index < 8 else 0.0 for index in range(24)]
    write_jsonl(other / "train" / "0.jsonl", (relax_record(0, n, reward=reward) for n, reward in enumerate(rewards)))
    words = ("compare", run_path, other, "--split", "train", "--steps", "0:1")
    assert {row["delta"] > 0 for row in cli(*words, "--only", "higher", "--json").json["rows"]} == {True}
    done = cli(*words, "--only", "lower", "--limit", "1")
    assert "6 prompts in both" in done.err
    assert "1 of 4 prompts listed" in done.err
    (option,) = (option for option in BY_NAME["compare"].options if option.flag == "--only")
    assert option.choices == ONLY


def test_compare_is_a_guard(run_path: Path, tmp_path: Path) -> None:
    other = tmp_path / "run-b"
    write_jsonl(other / "train" / "0.jsonl", (relax_record(0, index, reward=0.0) for index in range(24)))

    def status(*words: str) -> int:
        return subprocess.run([*COMMAND, "compare", *words], capture_output=True, check=False).returncode

    assert status(str(run_path), str(other), "--fail-on-regression", "0.1") == 3
    assert status(str(run_path), str(other), "--fail-on-regression", "0.9") == 0
    assert status(str(other), str(run_path), "--fail-on-regression", "0") == 0
    assert status(str(run_path), str(other), "--fail-on-regression", "much") == 2
    # A guard that could compare nothing has not passed.
    assert status(str(run_path), str(other), "--fail-on-regression", "0.9", "--where", "reward > 2") == 3


def test_compare_says_what_it_left_out(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    unpaid = tmp_path / "unpaid"
    write_jsonl(unpaid / "train" / "0.jsonl", (relax_record(0, index, reward=None) for index in range(24)))
    said = cli("compare", run_path, unpaid, "--split", "train", "--steps", "0:1").err
    assert "left out: 24 samples without a reward\n" in said
    assert "nothing can be compared" in said
