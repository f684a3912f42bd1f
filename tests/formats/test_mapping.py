"""What the user says about a record's keys: in Python, on the command line, in a file beside the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import REPOSITORY, write_jsonl

import rollscope
from rollscope.errors import UsageError
from rollscope.formats.mapping import CANDIDATES, exploded, parse_mapping
from rollscope.query.run import Run

RECORD: dict[str, Any] = {
    "ask": "2+2?",
    "text": "not this",
    "out": {"said": "4", "judged": {"points": 0.75}},
    "score": 0.25,
    "truth": "four",
}
SAID = "prompt=ask,response=out.said,reward=out.judged.points,golden=truth"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "run" / "0.jsonl", [RECORD, {**RECORD, "out": {"said": "5"}}])
    return tmp_path / "run"


def check(run: Run) -> None:
    rows = run.samples().rows
    assert [row.reward for row in rows] == [0.75, None]
    samples = [run.sample(row.address) for row in rows]
    assert [sample.reward for sample in samples] == [0.75, None]
    assert [[m.text for m in sample.messages] for sample in samples] == [["2+2?", "4"], ["2+2?", "5"]]
    assert samples[0].golden_answers == {"truth": "four"}
    assert samples[0].metrics["score"] == 0.25
    assert [hit.address for hit in run.search("5")] == ["train/0/1"]


@pytest.mark.parametrize("mapping", [SAID, parse_mapping(SAID)], ids=["text", "dict"])
def test_in_python(house: Path, mapping: Any) -> None:
    check(rollscope.open(house, mapping=mapping))


def test_columns_are_found_by_the_keys_that_were_told(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"asked": ["a", "b"], "said": ["x", "y"], "points": [1, 2], "n": [5, 6]}])
    run = rollscope.open(tmp_path, mapping="prompt=asked,response=said,reward=points")
    assert [(row.reward, row.metrics) for row in run.samples().rows] == [(1.0, {"n": 5.0}), (2.0, {"n": 6.0})]
    assert [m.text for m in run.sample("train/0/1").messages] == ["b", "y"]


def test_in_a_file_beside_the_run(house: Path) -> None:
    lines = [f'{field} = "{key}"' for field, key in parse_mapping(SAID).items()]
    (house / "rollscope.toml").write_text("[map]\n" + "\n".join(lines) + "\n")
    run = rollscope.open(house)
    check(run)
    report = run.doctor()
    assert report.confidence == 1.0
    assert "told that ask is the prompt" in report.reasons


def test_the_file_counts_before_any_format_that_knows_the_files(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "1.jsonl", [{"input": "a", "output": "b", "score": 1.0, "step": 1, "other": 0.5}])
    assert rollscope.open(tmp_path).format == "verl"
    (tmp_path / "rollscope.toml").write_text('[map]\nreward = "other"\n')
    run = rollscope.open(tmp_path)
    assert (run.format, run.samples().rows[0].reward) == ("jsonl", 0.5)


def test_on_the_command_line(house: Path) -> None:
    command = [sys.executable, "-m", "rollscope", "samples", str(house), "--map", SAID, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, '"reward":0.75' in done.stdout) == (0, True), done.stderr


def test_what_was_told_is_not_called_a_guess(house: Path) -> None:
    assert not any("ask" in sentence for sentence in rollscope.open(house, mapping=SAID).guessed())
    write_jsonl(house / "0.jsonl", [{"question": "q", "output": "o", "score": 1}])
    guessed = rollscope.open(house).info().guessed
    assert any("question as prompt" in sentence and "score as reward" in sentence for sentence in guessed)


@pytest.mark.parametrize("text", ["prompt", "prompt=", "nothing=key", "=x"])
def test_what_cannot_be_read_is_one_clear_line(house: Path, text: str) -> None:
    with pytest.raises(UsageError):
        rollscope.open(house, mapping=text)


@pytest.mark.parametrize("text", ["[map", "map = 1\n", "[map]\nprompt = 1\n", '[map]\nnothing = "x"\n'])
def test_a_file_that_cannot_be_read_is_one_clear_line(house: Path, text: str) -> None:
    (house / "rollscope.toml").write_text(text)
    with pytest.raises(UsageError):
        rollscope.open(house)


def test_a_format_with_keys_of_its_own_takes_none(house: Path) -> None:
    with pytest.raises(UsageError, match="verl"):
        rollscope.open(house, format="verl", mapping=SAID)


def test_the_documentation_names_every_field_that_can_be_mapped() -> None:
    page = (REPOSITORY / "docs" / "formats.md").read_text()
    assert ", ".join(CANDIDATES) in " ".join(page.split())


def test_a_list_under_an_empty_key_is_no_column_of_samples() -> None:
    assert exploded({"prompt": "p", "response": "r", "": []}) is None
    assert exploded({"": [1, 2], "prompt": "p"}, {"prompt": "prompt"}) is None


def test_a_number_leads_into_a_list_and_a_key_that_no_record_has_is_told(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "x.jsonl", [{"ask": {"t": "q"}, "outs": [{"said": "a"}, {"said": "b", "pts": 0.5}]}])
    run = rollscope.open(tmp_path, mapping={"prompt": "ask.t", "response": "outs.-1.said", "reward": "outs.1.pts"})
    (row,) = run.samples().rows
    assert (row.reward, [message.text for message in run.sample(row.address).messages]) == (0.5, ["q", "b"])
    run = rollscope.open(tmp_path, mapping={"prompt": "ask.t", "reward": "points"})
    assert "No record has points, which the mapping names as the reward." in run.guessed()


def test_several_answers_to_one_prompt_are_several_samples() -> None:
    record = {"question": "2+2?", "generations": ["4", "5"], "correctness": [True, False], "answer": "4"}
    parts = exploded(record)
    assert parts is not None
    assert [(part["generations"], part["correctness"], part["question"]) for part in parts] == [
        ("4", True, "2+2?"),
        ("5", False, "2+2?"),
    ]
    assert exploded({**record, "response": "4"}) is None
    assert exploded({"question": "2+2?", "responses": ["4", "5"], "tool_outputs": ["3"]}) is None
    assert exploded(record, {"response": "generations"}) is None


def test_a_response_that_the_objects_of_a_list_have_makes_each_a_sample(tmp_path: Path) -> None:
    tries = [{"say": "4", "pts": 1.0}, {"say": "5", "pts": 0.0}]
    write_jsonl(tmp_path / "0.jsonl", [{"ask": question, "tries": tries} for question in ("2+2?", "1+3?")])
    run = rollscope.open(tmp_path, mapping="prompt=ask,response=say,reward=pts")
    found = [run.sample(row.address) for row in run.samples().rows]
    assert [(sample.group, sample.reward, *(message.text for message in sample.messages)) for sample in found] == [
        (0, 1.0, "2+2?", "4"),
        (0, 0.0, "2+2?", "5"),
        (1, 1.0, "1+3?", "4"),
        (1, 0.0, "1+3?", "5"),
    ]
    assert not run.guessed_keys()
