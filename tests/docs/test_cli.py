"""What docs/cli.md says of commands and no test of their own holds."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import on_terminal
from tests.docs.conftest import Ask
from tests.fixtures import write_jsonl
from tests.test_docs import text_of

from rollscope.query.export.training_data.secrets import KINDS

PAGE = " ".join(text_of("docs/cli.md").split())


def keys_after(words: str) -> list[str]:
    """The names that the page lists behind these words, up to the next stop."""
    (listed,) = re.findall(rf"{re.escape(words)} `([^`]*)`", PAGE)
    return re.findall(r"\w+", listed)


@pytest.mark.parametrize(
    "words", [("ls", "runs"), ("samples", "PATH"), ("search", "PATH", "cannot"), ("metrics", "PATH")]
)
def test_commands_that_list_print_an_array_with_one_item_a_line(ask: Ask, words: tuple[str, ...]) -> None:
    first, *items, last = ask(*words, "--json").out.splitlines()
    assert (first, last) == ("[", "]")
    assert [json.loads(item.rstrip(",")) for item in items] == ask(*words, "--json").json


def test_a_folder_with_the_name_of_a_command_opens_by_its_path(
    ask: Ask, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder / "runs" / "a", tmp_path / "ls")
    monkeypatch.chdir(tmp_path)
    assert [run["run"] for run in ask("ls", "./ls", "--json").json] == ["ls"]


def test_samples_without_a_split_are_those_of_every_split(ask: Ask) -> None:
    rows = ask("samples", "PATH", "--limit", "0", "--json").json
    assert {row["split"] for row in rows} == {"train", "eval/aime24"}


def test_of_runs_with_one_name_the_later_ones_are_numbered(ask: Ask, folder: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(folder / "runs" / "a", tmp_path / name / "run")
    assert [run["run"] for run in ask("ls", tmp_path / "a" / "run", tmp_path / "b" / "run", "--json").json] == [
        "run",
        "run-2",
    ]
    assert [run["run"] for run in ask("ls", tmp_path, "--json").json] == ["a/run", "b/run"]


def test_long_pieces_of_a_group_are_shortened_and_whole_in_json(ask: Ask, tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(200))
    records = [{"prompt": "p", "response": f"{long} {end}", "reward": end} for end in (0, 1)]
    run = write_jsonl(tmp_path / "run" / "0.jsonl", records).parent
    assert long not in ask("group", run, "train/0/0").out
    assert long in json.dumps(ask("group", run, "train/0/0", "--json").json)


def test_an_export_has_kept_and_discarded_samples_unless_one_picks(ask: Ask, tmp_path: Path) -> None:
    records = [{"prompt": "p", "response": "r", "discard_reason": "stale" if number else None} for number in range(3)]
    run = write_jsonl(tmp_path / "run" / "0.jsonl", records).parent
    written = {
        flags: ask("export", run, "--to", tmp_path / "out.csv", *flags, "--json").json["samples"]
        for flags in ((), ("--kept",), ("--discarded",))
    }
    assert written == {(): 3, ("--kept",): 1, ("--discarded",): 2}


@pytest.mark.parametrize("kind", ["sft", "dpo", "kto"])
def test_a_line_of_training_data_has_the_keys_of_the_table(ask: Ask, tmp_path: Path, kind: str) -> None:
    (row,) = re.findall(rf"^\| `{kind}` \| (.*) \|$", text_of("docs/cli.md"), re.MULTILINE)
    ask("export", "PATH", "--as", kind, "--to", tmp_path / "out.jsonl", "--step", "12", "--split", "train")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert all(list(line) == re.findall(r"`(\w+)`", re.split("[:;]", row)[0]) for line in lines)
    for line in lines:
        if kind != "sft":
            assert all(message["role"] != "assistant" for message in line["prompt"])


def test_a_trajectory_keeps_what_atif_has_no_field_for(ask: Ask, tmp_path: Path) -> None:
    record = {"prompt": "p", "response": "r", "reward": 1.0, "advantage": 0.5, "status": "completed"}
    run = write_jsonl(tmp_path / "run" / "0.jsonl", [record]).parent
    ask("export", run, "--as", "atif", "--to", tmp_path / "out.jsonl")
    line = json.loads((tmp_path / "out.jsonl").read_text())
    assert f"ATIF {line['schema_version'].removeprefix('ATIF-')}" in PAGE
    assert line["extra"] == {"address": "train/0/0", "reward": 1.0, "advantage": 0.5, "status": "completed"}


def test_samples_with_images_are_left_out_of_training_data_and_counted(ask: Ask, tmp_path: Path) -> None:
    said = [{"type": "image_url", "image_url": {"url": "file:///x.png"}}, {"type": "text", "text": "What is this?"}]
    records = [
        {"messages": [{"role": "user", "content": content}, {"role": "assistant", "content": "a cat"}]}
        for content in (said, "What is that?")
    ]
    run = write_jsonl(tmp_path / "run" / "0.jsonl", records).parent
    manifest = ask("export", run, "--as", "sft", "--to", tmp_path / "out.jsonl", "--json").json
    assert (manifest["samples"], manifest["rows"], sum(manifest["left_out"].values())) == (2, 1, 1)


def test_the_kinds_of_secrets_that_the_page_names_are_those_that_are_looked_for() -> None:
    (named,) = re.findall(r"Known kinds of keys and tokens \(([^)]*)\)", PAGE)
    names = {name.lower().replace(" keys", "key").replace(" ", "") for name in named.split(", ")}
    kinds = {re.sub(r"_(key|token|access_key)$", "", kind) for kind in KINDS} - {"private"} | {"privatekey"}
    assert names == kinds


def test_the_manifest_is_what_json_prints(ask: Ask, tmp_path: Path) -> None:
    printed = ask("export", "PATH", "--as", "sft", "--to", tmp_path / "out.jsonl", "--step", "12", "--json").json
    assert json.loads((tmp_path / "out.jsonl.manifest.json").read_text()) == printed
    assert {"run", "split", "steps", "where", "rule", "samples", "rows", "left_out", "secrets"} <= printed.keys()
    assert {"source", "sha256"} <= printed.keys()


def test_notes_are_printed_with_the_fields_of_the_page(ask: Ask) -> None:
    (note,) = ask("note", "PATH", "train/12/0", "why?", "--json").json
    assert list(note) == keys_after("JSON of both:")
    assert ask("notes", "PATH", "--json").json == [note]


def test_doctor_says_what_the_format_cannot_know(ask: Ask, tmp_path: Path) -> None:
    run = write_jsonl(tmp_path / "run" / "0.jsonl", [{"prompt": "p", "response": "r"}]).parent
    (found,) = ask("doctor", run, "--json").json
    printed = " ".join(ask("doctor", run).out.split())
    assert found["limits"]
    assert [limit for limit in found["limits"] if limit not in printed] == []


def test_rewards_of_discarded_samples_stand_in_parentheses(ask: Ask, tmp_path: Path) -> None:
    records = [
        {"prompt": "p", "response": f"r{n}", "reward": n / 4, "discard_reason": "stale" if n else None} for n in (0, 1)
    ]
    run = write_jsonl(tmp_path / "run" / "0.jsonl", records).parent
    assert "(0.25)" in ask("prompt", run, "train/0/0").out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_diff_is_coloured_on_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = on_terminal("diff", folder / "PATH", "train/12/0", "train/12/1")
    assert "\x1b[31m[-" in shown
    assert "\x1b[32m{+" in shown
