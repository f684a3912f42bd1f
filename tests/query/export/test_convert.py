"""Converting a run and reading it back gives the same samples, for every run there is."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import DATA, REPOSITORY, fixture_path, write_jsonl
from tests.runs import write_relax

import rollscope
from rollscope.errors import UsageError
from rollscope.model import Message, Sample
from rollscope.query.answers import SampleRow
from rollscope.query.export.convert import convert, left_out
from rollscope.query.library import Library
from rollscope.query.run import Run

RUNS = sorted(path.name for path in DATA.iterdir() if path.is_dir())


def of_row(row: SampleRow) -> dict[str, Any]:
    """What a list says; how many bytes a response takes is the file's own affair."""
    return {name: getattr(row, name) for name in row.__struct_fields__ if name not in ("run", "response_bytes")}


def of_sample(sample: Sample) -> str:
    """All that is shown, but where it was read. As text: NaN equals NaN there."""
    left_out = ("source", "record", "unmatched", "messages")
    found: dict[str, Any] = {name: getattr(sample, name) for name in sample.__struct_fields__ if name not in left_out}
    found = {name: dict(sorted(value.items())) if isinstance(value, dict) else value for name, value in found.items()}
    return repr({**found, "messages": [of_message(message) for message in sample.messages]})


def of_message(message: Message) -> tuple[Any, ...]:
    """Its text is one however it is cut into parts."""
    return (message.role, message.text, message.turn, message.tokens, message.name, message.tool_call_id)


def assert_same(run: Run, back: Run) -> None:
    rows, again = (other.samples(discarded=None).rows for other in (run, back))
    assert {row.address: of_row(row) for row in rows} == {row.address: of_row(row) for row in again}
    for row in rows:
        assert of_sample(run.sample(row.address)) == of_sample(back.sample(row.address)), row.address


@pytest.mark.parametrize("name", RUNS)
def test_a_converted_run_has_the_same_samples(name: str, tmp_path: Path) -> None:
    for number, run in enumerate(Library([fixture_path(name)]).runs()):
        target = tmp_path / str(number)
        assert convert(run, str(target)) == run.samples(discarded=None).total
        if run.samples(discarded=None).total:
            assert_same(run, rollscope.open(target))


def test_numbers_per_token_that_are_none_go_over_as_they_are(tmp_path: Path) -> None:
    said = {"prompt": "q", "completion": "a", "reward": -math.inf, "token_ids": [1, 2, 3]}
    write_jsonl(tmp_path / "run" / "rollouts.jsonl", [{**said, "logprobs": [-math.inf, None, math.nan]}])
    run = rollscope.open(tmp_path / "run")
    convert(run, str(tmp_path / "out"))
    assert_same(run, back := rollscope.open(tmp_path / "out"))
    (row,) = back.samples().rows
    tokens = back.sample(row.address).tokens
    assert tokens is not None
    assert str(tokens.logprobs) == "[-inf, None, nan]"


def test_lines_follow_the_schema_of_recorded_ones(tmp_path: Path) -> None:
    schema = json.loads((REPOSITORY / "docs" / "rollouts.schema.json").read_text())
    convert(rollscope.open(write_relax(tmp_path / "run", steps=1)), str(tmp_path / "out"))
    lines = (tmp_path / "out" / "train_iteration_000000_rollouts.jsonl").read_text().splitlines()
    for record in map(json.loads, lines):
        assert set(schema["required"]) <= record.keys() <= set(schema["properties"]) | {"notes"}


def test_steps_of_any_number_go_over(tmp_path: Path) -> None:
    records = [{"prompt": "p", "response": "r", "reward": 1, "step": step} for step in (-3, -1_000_000, 0, 7, 10**12)]
    write_jsonl(tmp_path / "run" / "samples.jsonl", records)
    run = rollscope.open(tmp_path / "run")
    assert convert(run, str(tmp_path / "out")) == 5
    assert_same(run, rollscope.open(tmp_path / "out"))


def test_metrics_and_configuration_go_over(tmp_path: Path) -> None:
    run = rollscope.open(fixture_path("tinker_0.5.8"))
    convert(run, str(tmp_path / "out"))
    back = rollscope.open(tmp_path / "out")
    logged = {info.name for info in run.catalog() if info.origin == "logged"}
    assert logged == {info.name for info in back.catalog() if info.origin == "logged"}
    names = sorted(logged)
    assert [series.points for series in run.series(names)] == [series.points for series in back.series(names)]
    assert back.details().config == run.details().config


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    run = rollscope.open(write_relax(tmp_path / "run", steps=1))
    with pytest.raises(UsageError, match="already"):
        convert(run, str(tmp_path / "run"))


def test_the_command(tmp_path: Path) -> None:
    write_relax(tmp_path / "run", steps=2)
    command = [sys.executable, "-m", "rollscope", "convert", str(tmp_path / "run"), "--to", str(tmp_path / "out")]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["samples"] == rollscope.open(tmp_path / "out").samples().total == 16
    assert said["left_out"] == ["the records as the trainer wrote them"]


def test_what_is_left_out_is_said() -> None:
    run = rollscope.open(fixture_path("tinker_iteration_dirs_crashed"))
    details = run.details()
    said = left_out(run)
    assert f"{len(details.reports)} reports" in said
    assert f"{len(details.checkpoints)} checkpoints" in said
    assert ("the code diff" in said) == (details.code_diff is not None)
