"""`rollscope diff` and `rollscope group`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli, relax_record, write_run
from tests.fixtures import write_jsonl


def test_diff_shows_what_only_one_of_two_samples_says(cli: Cli, run_path: Path) -> None:
    done = cli("diff", run_path, "train/0/0", "train/1/4")
    assert "The answer is [-0. -]{+2. +}" in done.out
    assert "words in both" in done.err


def test_diff_as_json_gives_both_texts(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "run-c", steps=1, samples=4)
    diff = cli("diff", run_path, "train/2/9", "train/0/3", "--other", other, "--json").json
    assert {name: diff["a"][name] for name in ("run", "address", "reward")} == {
        "run": "run-a",
        "address": "train/2/9",
        "reward": 0.27,
    }
    assert diff["a"]["characters"] == len(relax_record(2, 9)["response"])
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
    assert lines[2] == "  2 × 0.5  we add and get  ◀ rewards differ most here, by 1"
    assert lines[3:5] == ["    1 × 1  4", "      └ train/0/0  reward 1"]
    tree = cli("group", tmp_path / "run", "train/0/3", "--json").json
    assert [sample["address"] for sample in tree["samples"]] == [f"train/0/{n}" for n in range(4)]
    assert tree["nodes"][tree["parts_most"]]["samples"] == [0, 1]


def test_group_of_half_a_character_is_valid_json(cli: Cli, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "run" / "train" / "0.jsonl", [relax_record(0, 0), relax_record(0, 1)])
    path.write_text(path.read_text().replace("count", "\\ud800"))
    assert len(cli("group", tmp_path / "run", "train/0/0", "--json").json["samples"]) == 2
    assert cli("diff", tmp_path / "run", "train/0/0", "train/0/1", "--json").json["compared"]
