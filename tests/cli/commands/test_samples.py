"""`steps` and `samples`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Cli, relax_record, write_run
from tests.fixtures import write_jsonl

SPEC_FIELDS = {
    *("address", "step", "group", "reward", "advantage", "status", "discard_reason"),
    *("prompt_tokens", "completion_tokens", "total_tokens", "env", "metrics"),
}


def test_steps_give_counts_rewards_sizes(cli: Cli, run_path: Path) -> None:
    rows = cli("steps", run_path, "--json").json
    assert [row["step"] for row in rows] == [0, 1, 2]
    assert {*rows[0]} >= {"step", "samples", "groups", "discarded", "reward", "bytes", "skipped_lines"}
    first = rows[0]
    assert (first["samples"], first["groups"], first["discarded"], first["skipped_lines"]) == (24, 6, 0, 0)
    assert first["bytes"] == (run_path / "train" / "0.jsonl").stat().st_size
    assert first["reward"]["mean"] == pytest.approx(0.375)
    assert (first["reward"]["min"], first["reward"]["max"]) == (0, 0.75)
    assert first["reward"]["std"] == pytest.approx(0.2795, abs=0.01)


def test_steps_of_another_split_are_shown_when_asked_and_mentioned_when_not(cli: Cli, run_path: Path) -> None:
    assert "eval/aime24" in cli("steps", run_path).err
    (row,) = cli("steps", run_path, "--split", "eval/aime24", "--json").json
    assert (row["split"], row["samples"]) == ("eval/aime24", 4)
    err = cli("steps", run_path, "--split", "eval/gsm8k", status=1).err
    assert "eval/aime24" in err


def test_samples_carry_the_fields_that_scripts_rely_on(cli: Cli, run_path: Path) -> None:
    row = cli("samples", run_path, "--step", "1", "--limit", "1", "--json").json[0]
    assert {*row} >= SPEC_FIELDS
    assert row["address"] == "train/1/0"
    assert row["reward"] == pytest.approx(0.01)
    assert (row["completion_tokens"], row["total_tokens"], row["status"]) == (10, 30, "completed")
    assert row["metrics"]["correct"] == 0
    assert row["advantage"] is None, "missing is missing, never 0"


def test_samples_are_fifty_unless_told_and_what_is_left_out_is_said(cli: Cli, run_path: Path) -> None:
    done = cli("samples", run_path, "--json")
    assert len(done.json) == 50
    assert "50 of 76 samples" in done.err
    whole = cli("samples", run_path, "--limit", "0", "--json")
    assert len(whole.json) == 76
    assert whole.err == ""


def test_an_empty_list_says_how_many_were_looked_at(cli: Cli, run_path: Path) -> None:
    done = cli("samples", run_path, "--where", "reward > 99", "--json")
    assert (done.json, done.err) == ([], "nothing matches, of 76 samples\n")
    assert "nothing matches, of 24 samples" in cli("samples", run_path, "--step", "1", "--where", "reward > 99").err
    assert "there are no discarded samples here" in cli("samples", run_path, "--step", "1", "--discarded").err


def test_samples_of_a_split_and_step(cli: Cli, run_path: Path) -> None:
    rows = cli("samples", run_path, "--split", "train", "--step", "2", "--json").json
    assert [row["address"] for row in rows] == [f"train/2/{n}" for n in range(24)]
    (first, *_) = cli("samples", run_path, "--split", "eval/aime24", "--json").json
    assert first["address"] == "eval/aime24/0/0"


def test_a_range_of_steps(cli: Cli, run_path: Path) -> None:
    rows = cli("samples", run_path, "--split", "train", "--steps", "1:", "--limit", "0", "--json").json
    assert [row["step"] for row in rows] == [1] * 24 + [2] * 24
    hits = cli("search", run_path, "数7", "--split", "train", "--steps", "1:3", "--json").json
    assert [hit["address"] for hit in hits] == ["train/1/7", "train/2/7"]
    assert "10:20 for the steps 10 to 19" in cli("samples", run_path, "--steps", "1-2", status=2).err
    assert "several are --steps A:B" in cli("samples", run_path, "--step", "1:2", status=2).err
    assert "cannot be given together" in cli("samples", run_path, "--step", "1", "--steps", "1:2", status=2).err


def test_samples_sort_both_ways(cli: Cli, run_path: Path) -> None:
    up = [row["reward"] for row in cli("samples", run_path, "--limit", "0", "--sort", "reward", "--json").json]
    down = [row["reward"] for row in cli("samples", run_path, "--limit", "0", "--sort", "-reward", "--json").json]
    assert up == sorted(up)
    assert down == sorted(down, reverse=True)
    assert "rewrad" in cli("samples", run_path, "--sort", "rewrad", status=2).err


def test_samples_filter(cli: Cli, run_path: Path) -> None:
    where = 'status = "truncated" and metrics.correct = 1 and step = 1'
    rows = cli("samples", run_path, "--where", where, "--limit", "0", "--json").json
    assert [row["address"] for row in rows] == [f"train/1/{n}" for n in range(3, 24, 4)]
    hits = cli("samples", run_path, "--where", 'response contains "数7"', "--split", "train", "--json").json
    assert {row["address"] for row in hits} == {"train/0/7", "train/1/7", "train/2/7"}


@pytest.mark.parametrize("where", ["rewrad < 1", "reward <", "reward < 1 and", '"'])
def test_a_filter_that_is_wrong_is_wrong_usage(cli: Cli, run_path: Path, where: str) -> None:
    assert cli("samples", run_path, "--where", where, status=2).err


def test_a_step_that_is_not_there_is_exit_status_1(cli: Cli, run_path: Path) -> None:
    assert "99" in cli("samples", run_path, "--split", "train", "--step", "99", status=1).err


def test_the_table_for_people_has_a_line_per_sample_and_no_column_that_is_missing_everywhere(
    cli: Cli, run_path: Path
) -> None:
    lines = cli("samples", run_path, "--step", "0", "--split", "train").out.splitlines()
    assert re.split(r" {2,}", lines[0].strip()) == [
        "address",
        "group",
        "reward",
        "status",
        "completion tokens",
        "total tokens",
        "correct",
    ]
    assert len(lines) == 25
    assert lines[4].split()[:4] == ["train/0/3", "0", "0.75", "truncated"]


def test_discarded_samples_are_listed_only_when_asked(cli: Cli, tmp_path: Path) -> None:
    rows = [{"prompt": "p", "response": f"r{n}", "reward": n} for n in range(4)]
    rows[1]["discard_reason"] = rows[3]["discard_reason"] = "zero_advantage"
    write_jsonl(tmp_path / "0.jsonl", rows)

    def listed(*flags: str) -> list[tuple[str, str | None]]:
        return [(row["address"], row["discard_reason"]) for row in cli("samples", tmp_path, "--json", *flags).json]

    assert listed() == [("train/0/0", None), ("train/0/2", None)]
    assert listed("--discarded") == [("train/0/1", "zero_advantage"), ("train/0/3", "zero_advantage")]
    assert len(listed("--all")) == 4
    forgotten = cli("samples", tmp_path, "--where", "discarded and reward > 1").err
    assert "1 discarded sample would; --discarded lists them, --all both" in forgotten


def test_a_value_that_no_sample_has_is_told_with_those_there_are(cli: Cli, run_path: Path) -> None:
    err = cli("samples", run_path, "--where", 'status = "trunctated" and reward > 0').err
    assert 'no sample has status "trunctated": there is completed' in err


def test_values_that_json_has_no_word_for_are_null_and_named(cli: Cli, tmp_path: Path) -> None:
    line = json.dumps(relax_record(0, 0, reward=float("nan"), loss=float("inf")))
    (tmp_path / "0.jsonl").write_text(line + "\n")
    (row,) = cli("samples", tmp_path, "--json").json
    assert row["reward"] is None
    assert row["nonfinite"]["reward"] == "NaN"
    assert row["metrics"]["loss"] is None
    assert "NaN" in cli("samples", tmp_path).out


def test_rows_of_several_runs_carry_the_run_and_one_can_be_picked(cli: Cli, root: Path) -> None:
    rows = cli("samples", root, "--limit", "0", "--split", "train", "--json").json
    assert [(name, sum(row["run"] == name for row in rows)) for name in ("run-a", "run-b")] == [
        ("run-a", 16),
        ("run-b", 4),
    ]
    picked = cli("samples", root, "--run", "run-b", "--limit", "0", "--split", "train", "--json").json
    assert {row["run"] for row in picked} == {"run-b"}
    assert cli("samples", root).out.splitlines()[0].startswith("run ")
    assert {row["run"] for row in cli("steps", root, "--json").json} == {"run-a", "run-b"}
    assert "run-b" in cli("samples", root, "--run", "run-x", status=1).err


def test_a_split_that_only_some_runs_have(cli: Cli, root: Path) -> None:
    (root / "run-a" / "eval" / "0.jsonl").unlink()
    for command in ("steps", "samples"):
        rows = cli(command, root, "--split", "eval/aime24", "--json").json
        assert {row["run"] for row in rows} == {"run-b"}
        assert "eval/aime" in cli(command, root, "--split", "eval/gsm8k", status=1).err
    assert len(cli("search", root, "answer", "--split", "eval/aime24", "--json").json) == 4
    assert "eval/aime24" in cli("search", root, "answer", "--split", "eval/gsm8k", status=1).err


def test_a_limit_over_several_runs_counts_all_of_them(cli: Cli, root: Path) -> None:
    done = cli("samples", root, "--limit", "18", "--split", "train", "--json")
    assert [row["run"] for row in done.json].count("run-b") == 2
    assert "18 of 20 samples" in done.err


def test_what_is_appended_is_there_the_next_time(cli: Cli, tmp_path: Path) -> None:
    path = write_run(tmp_path / "run", steps=1, samples=4)
    assert len(cli("samples", path, "--split", "train", "--json").json) == 4
    with (path / "train" / "0.jsonl").open("a") as file:
        file.write(json.dumps(relax_record(0, 4)) + "\n" + '{"rollout_id": 0, "unfinished')
    assert len(cli("samples", path, "--split", "train", "--json").json) == 5
