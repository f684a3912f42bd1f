"""`rollscope export`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
from tests.cli.conftest import Cli


def test_export_to_each_kind_of_file(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    where = ["--where", 'split = "train" and reward > 0.5']
    for ending in ("parquet", "jsonl", "csv"):
        cli("export", run_path, "--to", tmp_path / f"out.{ending}", *where)
    table = pq.read_table(tmp_path / "out.parquet")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    with (tmp_path / "out.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    addresses = table.column("address").to_pylist()
    assert len(addresses) == 30
    assert [row["address"] for row in lines] == addresses
    assert [row["address"] for row in cells] == addresses


def test_export_of_a_split_steps_and_order(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.jsonl"
    cli("export", run_path, "--to", to, "--split", "train", "--steps", "1:", "--sort", "-reward", "--kept")
    rows = [json.loads(line) for line in to.read_text().splitlines()]
    assert {(row["split"], row["step"]) for row in rows} == {("train", 1), ("train", 2)}
    rewards = [row["reward"] for row in rows]
    assert rewards == sorted(rewards, reverse=True)
    manifest = cli("export", run_path, "--to", to, "--as", "kto", "--split", "train", "--step", 1, "--json").json
    assert (manifest["split"], manifest["steps"], manifest["samples"]) == ("train", "1:2", 24)


def test_export_with_text(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    done = cli("export", run_path, "--to", tmp_path / "out.jsonl", "--text", "--json")
    assert done.json["bytes"] == (tmp_path / "out.jsonl").stat().st_size
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert "数0" in json.dumps(first, ensure_ascii=False)


def test_export_to_an_unknown_kind_of_file_is_wrong_usage(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    assert "parquet" in cli("export", run_path, "--to", tmp_path / "out.xlsx", status=2).err
    assert not (tmp_path / "out.xlsx").exists()


def test_export_to_a_folder_that_is_not_there(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    assert "nowhere" in cli("export", run_path, "--to", tmp_path / "nowhere" / "out.csv", status=1).err


def test_export_as_training_data(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    to = tmp_path / "pairs.jsonl"
    manifest = cli("export", run_path, "--to", to, "--as", "dpo", "--margin", 0.1, "--json").json
    rows = [json.loads(line) for line in to.read_text().splitlines()]
    assert manifest["rows"] == len(rows) > 0
    assert set(rows[0]) >= {"prompt", "chosen", "rejected"}
    assert manifest["margin"] == 0.1
    written = json.loads((tmp_path / "pairs.jsonl.manifest.json").read_text())
    assert written == manifest
    talk = cli("export", run_path, "--to", to, "--as", "sft", "--where", "reward < 0").err
    assert "wrote 0 rows from 0 samples" in talk


def test_flags_of_the_other_kind_of_export_are_refused(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    to = ["--to", tmp_path / "out.jsonl"]
    assert "--as" in cli("export", run_path, *to, "--keep-secrets", status=2).err
    assert "--text" in cli("export", run_path, *to, "--as", "kto", "--text", status=2).err
    assert "--sort" in cli("export", run_path, *to, "--as", "kto", "--sort", "reward", status=2).err
    assert "sft, dpo, kto, atif" in cli("export", run_path, *to, "--as", "ppo", status=2).err


def test_a_step_that_is_not_there_is_no_empty_file(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.jsonl"
    for more in ([], ["--as", "sft"], ["--split", "train"]):
        assert "there is no step 77" in cli("export", run_path, "--to", to, "--step", "77", *more, status=1).err
    assert "no split" in cli("export", run_path, "--to", to, "--split", "eval/none", status=1).err
    assert not to.exists()
