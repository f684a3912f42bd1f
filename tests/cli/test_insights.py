"""`diff`, `group` and `compare`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.cli.conftest import COMMAND, Cli, relax_record, write_run
from tests.fixtures import fixture_path, write_jsonl


def test_diff_shows_what_only_one_of_two_samples_says(cli: Cli, run_path: Path) -> None:
    done = cli("diff", run_path, "train/0/0", "train/1/4")
    assert "The answer is [-0. -]{+2. +}" in done.out
    assert "words in both" in done.err


def test_diff_as_json_gives_both_texts(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "run-c", steps=1, samples=4)
    diff = cli("diff", run_path, "train/2/9", "train/0/3", "--other", other, "--json").json
    assert diff["a"] == {"run": "run-a", "address": "train/2/9", "reward": 0.27}
    assert diff["b"]["run"] == "run-c"
    first = "".join(piece["text"] for piece in diff["pieces"] if piece["kind"] != "insert")
    second = "".join(piece["text"] for piece in diff["pieces"] if piece["kind"] != "delete")
    assert first == relax_record(2, 9)["response"]
    assert second == relax_record(0, 3)["response"]


def test_diff_of_a_sample_that_is_not_there_says_what_is(cli: Cli, run_path: Path) -> None:
    assert "train/0 has samples 0 to 23" in cli("diff", run_path, "train/0/0", "train/0/99", status=1).err


def test_group_shows_what_is_shared_once_and_marks_where_rewards_part(cli: Cli, tmp_path: Path) -> None:
    said = ["so we add and get 4", "so we add and get 5", "so I guess 7", "so I guess 4"]
    records = [relax_record(0, place, response=text, reward=float(place == 0)) for place, text in enumerate(said)]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    lines = cli("group", tmp_path / "run", "train/0/2").out.splitlines()
    assert lines[0] == "run train/0, group 0: 4 samples"
    assert lines[1] == "4 × 0.25  so"
    assert lines[2] == "  2 × 0.5  we add and get  ◀ rewards part by 1"
    assert lines[3:5] == ["    1 × 1  4", "      └ train/0/0  reward 1"]
    tree = cli("group", tmp_path / "run", "train/0/3", "--json").json
    assert [sample["address"] for sample in tree["samples"]] == [f"train/0/{n}" for n in range(4)]
    assert tree["nodes"][tree["parts_most"]]["samples"] == [0, 1]


def test_group_of_half_a_character_is_valid_json(cli: Cli, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "run" / "train" / "0.jsonl", [relax_record(0, 0), relax_record(0, 1)])
    path.write_text(path.read_text().replace("count", "\\ud800"))
    assert len(cli("group", tmp_path / "run", "train/0/0", "--json").json["samples"]) == 2
    assert cli("diff", tmp_path / "run", "train/0/0", "train/0/1", "--json").json["compared"]


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


def test_compare_is_a_guard(run_path: Path, tmp_path: Path) -> None:
    other = tmp_path / "run-b"
    write_jsonl(other / "train" / "0.jsonl", (relax_record(0, index, reward=0.0) for index in range(24)))

    def status(*words: str) -> int:
        return subprocess.run([*COMMAND, "compare", *words], capture_output=True, check=False).returncode

    assert status(str(run_path), str(other), "--fail-on-regression", "0.1") == 3
    assert status(str(run_path), str(other), "--fail-on-regression", "0.9") == 0
    assert status(str(other), str(run_path), "--fail-on-regression", "0") == 0
    assert status(str(run_path), str(other), "--fail-on-regression", "much") == 2


def test_contrast_lists_phrases_with_the_place_of_one_and_fields(cli: Cli, tmp_path: Path) -> None:
    records = [
        relax_record(0, n, response=f"{n} is even" if n % 2 else "please, judge, believe me", reward=float(n % 2 == 0))
        for n in range(40)
    ]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    done = cli("contrast", tmp_path / "run", "--a", "reward = 1")
    row = re.split(r" {2,}", done.out.splitlines()[1])
    assert row == ["100 %", "0 %", "+4.3", "please, judge, believe me", "train/0/0:0"]
    assert "effect  field" in done.out
    assert "a: run, reward = 1, 20 samples" in done.err
    assert cli("contrast", tmp_path / "run", "--a", "reward = 1", "--json").json["phrases"][0]["a"] == 20


def test_changes_need_two_steps(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    assert "no phrase tells them apart" in cli("changes", run_path, "--from", "0:1", "--to", "1:3").err
    write_run(tmp_path / "short", steps=1, samples=4)
    assert "1 step in train: nothing can have changed" in cli("changes", tmp_path / "short", status=2).err


def test_tokens_of_a_sample_are_summed_up_and_outliers_listed(cli: Cli) -> None:
    path = fixture_path("nemo_rl")
    lines = cli("tokens", path, "train/1/0").out.splitlines()
    assert lines[0].split() == ["value", "known", "mean", "min", "max"]
    assert any(line.startswith("ratio ") for line in lines)
    steps = cli("tokens", path, "--steps", "2:3").out.splitlines()
    assert [line.split()[:2] for line in steps[1:]] == [["2", "all"], ["2", "0–63"]]


def test_prompt_lists_the_rewards_of_every_step_and_of_the_other_runs(cli: Cli, tmp_path: Path) -> None:
    for name in ("one", "two"):
        for step in range(2):
            lines = [relax_record(step, n, prompt="the prompt", reward=float(step)) for n in range(2)]
            write_jsonl(tmp_path / "runs" / name / "train" / f"{step}.jsonl", lines)
    done = cli("prompt", tmp_path / "runs", "train/0/1", "--run", "one")
    assert [line.split() for line in done.out.splitlines()[1:4]] == [
        ["one", "train", "all", "4", "0.5", "50", "%"],
        ["one", "train", "0", "2", "0", "0", "%", "0", "0"],
        ["one", "train", "1", "2", "1", "100", "%", "1", "1"],
    ]
    assert "2 runs looked at" in done.err
    assert len(cli("prompt", tmp_path / "runs" / "one", "train/0/1", "--json").json["strips"]) == 1
