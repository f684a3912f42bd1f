"""`ls`, `doctor`, `index`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli, write_run
from tests.fixtures import fixture_path


def test_ls_says_format_splits_steps_and_counts(cli: Cli, run_path: Path) -> None:
    (run,) = cli("ls", run_path, "--json").json
    assert (run["run"], run["path"], run["format"], run["warnings"]) == ("run-a", str(run_path), "relax", [])
    assert run["splits"] == [
        {"split": "train", "steps": 3, "first_step": 0, "last_step": 2, "samples": 72, "discarded": 0},
        {"split": "eval/aime24", "steps": 1, "first_step": 0, "last_step": 0, "samples": 4, "discarded": 0},
    ]


def test_ls_finds_the_runs_under_a_root_and_takes_several_paths(cli: Cli, root: Path, run_path: Path) -> None:
    assert sorted(run["run"] for run in cli("ls", root, "--json").json) == ["run-a", "run-b"]
    assert len(cli("ls", root / "run-a", root / "run-b", run_path, "--json").json) == 3


def test_ls_for_people_has_a_line_per_split(cli: Cli, root: Path) -> None:
    lines = cli("ls", root).out.splitlines()
    assert lines[0].split() == ["run", "format", "state", "split", "steps", "first", "last", "samples", "discarded"]
    assert [line.split()[0] for line in lines[1:]] == ["run-a", "eval/aime24", "run-b", "eval/aime24"]


def test_ls_says_what_a_limit_left_out(cli: Cli, root: Path) -> None:
    done = cli("ls", root, "--json", "--limit", "1")
    assert len(done.json) == 1
    assert "1 of 2 runs" in done.err


def test_doctor_names_every_skipped_line_and_unclaimed_file(cli: Cli, run_path: Path) -> None:
    with (run_path / "train" / "1.jsonl").open("ab") as file:
        file.write(b"not json\n[1, 2]\n")
    (run_path / "holiday.txt").write_text("beach")
    (report,) = cli("doctor", run_path, "--json").json
    assert report["format"] == "relax"
    assert report["confidence"] > 0.5
    assert report["reasons"]
    assert [(Path(entry["file"]).name, entry["line"]) for entry in report["skipped"]] == [
        ("1.jsonl", 25),
        ("1.jsonl", 26),
    ]
    assert report["skipped_total"] == 2
    assert "holiday.txt" in report["unclaimed"]

    talk = cli("doctor", run_path).out
    assert "train/1.jsonl:25: " in talk
    assert "holiday.txt" in talk
    assert "nothing wrong" not in talk


def test_doctor_names_records_that_are_in_no_run(cli: Cli, root: Path) -> None:
    (root / "house").mkdir()
    (root / "house" / "x.jsonl").write_text('{"ask": "6 × 7?", "said": "42"}\n')
    done = cli("doctor", root, "--json")
    assert "house" not in done.out
    assert "in no run: " in done.err
    assert "x.jsonl has records with ask, said" in done.err


def test_doctor_says_when_nothing_is_wrong(cli: Cli, run_path: Path) -> None:
    assert cli("doctor", run_path).out.endswith("nothing wrong\n")


def test_index_counts_bytes_samples_seconds(cli: Cli, run_path: Path) -> None:
    (row,) = cli("index", run_path, "--json").json
    assert row["bytes"] == sum(path.stat().st_size for path in run_path.rglob("*.jsonl"))
    assert row["samples"] == 76
    assert row["seconds"] >= 0
    assert "76 samples" in cli("index", run_path).out


def test_format_overrides_detection(cli: Cli, run_path: Path) -> None:
    assert cli("ls", run_path / "train", "--format", "jsonl", "--json").json[0]["format"] == "jsonl"
    assert "there is no format 'parquat'" in cli("ls", run_path, "--format", "parquat", status=2).err


def test_a_root_of_runs_that_other_trainers_wrote(cli: Cli) -> None:
    runs = cli("ls", fixture_path("relax"), fixture_path("verl"), "--json", "--limit", "0").json
    assert {run["format"] for run in runs} == {"relax", "verl"}
    assert all(split["samples"] for run in runs for split in run["splits"])


def test_a_path_with_odd_characters(cli: Cli, tmp_path: Path) -> None:
    path = write_run(tmp_path / "a b'c\"d #%? ümläut 数 [x]", steps=1, samples=4)
    assert cli("ls", path, "--json").json[0]["path"] == str(path)
    assert len(cli("samples", path, "--json").json) == 8
