"""`show` and what of a model's text reaches a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Cli, on_terminal, relax_record
from tests.fixtures import write_jsonl

HOSTILE = "a\x1b]0;owned\x07b\x1b[2Jc\x9b31md\u202eevil\rX\x00"


def test_show_prints_outcome_and_messages(cli: Cli, run_path: Path) -> None:
    out = cli("show", run_path, "train/1/7").out
    assert out.startswith("train/1/7\n")
    for word in (
        "reward",
        "0.76",
        "truncated",
        "What is 1 + 1?",
        "The answer is 2. Größe: 数7",
        "── user",
        "── assistant",
    ):
        assert word in out


def test_show_json_has_messages_and_the_record_as_it_was(cli: Cli, run_path: Path) -> None:
    sample = cli("show", run_path, "train/1/7", "--json").json
    assert sample["address"] == "train/1/7"
    assert sample["record"] == relax_record(1, 7)
    text = "".join(part.get("text", "") for message in sample["messages"] for part in message["parts"])
    assert text == sample["record"]["prompt"] + sample["record"]["response"]


def test_show_raw_is_the_text_and_nothing_else(cli: Cli, run_path: Path) -> None:
    record = relax_record(1, 7)
    assert cli("show", run_path, "train/1/7", "--raw").out == record["prompt"] + record["response"]


@pytest.mark.parametrize(
    ("address", "said"),
    [("train/1/24", "samples 0 to 23"), ("train/9/0", "steps 0 to 2"), ("eval/none/0/0", "train, eval/aime24")],
)
def test_an_address_that_is_not_there_is_exit_status_1_and_says_what_is(
    cli: Cli, run_path: Path, address: str, said: str
) -> None:
    assert said in cli("show", run_path, address, status=1).err


def test_a_word_that_is_no_address_is_wrong_usage(cli: Cli, run_path: Path) -> None:
    assert "split/step/n" in cli("show", run_path, "nonsense", status=2).err


def test_show_under_a_root_needs_a_run(cli: Cli, root: Path) -> None:
    assert "--run NAME (in Python run=NAME): run-a, run-b" in cli("show", root, "train/0/0", status=2).err
    assert cli("show", root, "train/0/0", "--run", "run-b").out.startswith("train/0/0")


def test_a_pipe_gets_hostile_text_exactly(cli: Cli, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "response": HOSTILE, "reward": 1}])
    # Read as bytes and decoded without newline translation.
    assert cli("show", tmp_path, "train/0/0", "--raw").out.endswith(HOSTILE)
    assert json.loads(cli("show", tmp_path, "train/0/0", "--json").out)["record"]["response"] == HOSTILE


def test_a_terminal_is_sent_none_of_the_control_characters_in_a_sample(tmp_path: Path) -> None:
    record = {"prompt": "p", "response": HOSTILE, "reward": 1, "status": HOSTILE, f"m{HOSTILE}": 0.5, "label": HOSTILE}
    write_jsonl(tmp_path / "0.jsonl", [record])
    for words in (
        ["show", tmp_path, "train/0/0"],
        ["show", tmp_path, "train/0/0", "--raw"],
        ["show", tmp_path, "train/0/0", "--json"],
        ["samples", tmp_path],
        ["samples", tmp_path, "--json"],
        ["search", tmp_path, "evil"],
        ["search", tmp_path, "evil", "--json"],
        ["metrics", tmp_path],
        ["sql", tmp_path, "SELECT * FROM samples"],
    ):
        sent = on_terminal(*words)
        # Ours: bold headings, and clearing a progress line. The terminal itself adds the returns before line feeds.
        for own in ("\x1b[1m", "\x1b[2m", "\x1b[0m", "\x1b[K", "\r\n", "\r"):
            sent = sent.replace(own, "" if own != "\r\n" else "\n")
        assert not {sign for sign in sent if not (sign.isprintable() or sign == "\n")}, words
        assert "owned" in sent or words[0] == "metrics"


def test_hostile_json_on_a_terminal_is_still_the_same_json(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "response": HOSTILE, "reward": 1}])
    sent = on_terminal("show", tmp_path, "train/0/0", "--json")
    assert json.loads(sent[sent.index("{") :])["record"]["response"] == HOSTILE


def test_half_a_surrogate_pair_is_printed_as_an_escape(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").write_text('{"prompt": "p", "response": "broken \\ud83d emoji", "reward": 1}\n')
    for flags in ([], ["--raw"], ["--json"]):
        assert "broken" in cli("show", tmp_path, "train/0/0", *flags).out
    cli("show", tmp_path, "train/0/0", "--json").json  # noqa: B018  # is valid JSON
