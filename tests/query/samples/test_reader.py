"""Samples read whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record

import rollscope
from rollscope.errors import NotFoundError, UsageError
from rollscope.formats.base import Texts
from rollscope.formats.relax import RelaxFormat
from rollscope.query.run import Run
from rollscope.storage.store import Store


def test_one_sample_whole(run: Run) -> None:
    sample = run.sample("train/1/5")
    record = relax_record(1, 5)
    assert sample.record == record
    assert (sample.reward, sample.group, sample.status) == (record["reward"], 1, record["status"])
    assert sample.golden_answers == {"label": "2"}
    assert run.raw("train/1/5") == record["prompt"] + record["response"]
    assert sample.source == {"file": "train/1.jsonl", "line": 6}
    thinking = [part for message in sample.messages for part in message.parts if part.type == "thinking"]
    assert len(thinking) == 1


@pytest.mark.parametrize("address", ["train/1/99", "train/77/0", "eval/x/0/0"])
def test_a_sample_that_is_not_there_says_what_is(run: Run, address: str) -> None:
    with pytest.raises(NotFoundError, match=address):
        run.sample(address)


def test_an_address_that_is_none(run: Run) -> None:
    with pytest.raises(UsageError, match="no sample address"):
        run.sample("train/x")


def test_the_first_sample_needs_no_index_of_the_rest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = rollscope.open(path)
    monkeypatch.setattr(run._refresher, "now", lambda *_: pytest.fail("it indexed the run"))
    assert run.sample("train/2/0").record == relax_record(2, 0)


def test_a_rewritten_file_is_never_served_stale(path: Path, run: Run) -> None:
    before = run.sample_json("train/0/3")
    assert run.sample_json("train/0/3") == before
    write_jsonl(path / "train" / "0.jsonl", [relax_record(0, index, reward=0.111) for index in range(12)])
    assert json.loads(run.sample_json("train/0/3"))["reward"] == 0.111


def test_a_preview_is_never_of_another_state_than_its_row(
    path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is replaced at the very moment in which the beginnings of its texts are read."""
    read = RelaxFormat.starts
    file = path / "train" / "1.jsonl"

    def replaced(self: RelaxFormat, store: Store, *where: Any) -> Texts:
        later = path.parent / "later.jsonl"
        # Lines as long as those that were indexed, so that each begins where another did.
        records = [relax_record(1, i) | {"reward": 9.0, "response": ""} for i in range(12)]
        lengths = map(len, file.read_bytes().splitlines())
        missing = [n - len(json.dumps(item, ensure_ascii=False).encode()) for item, n in zip(records, lengths)]
        write_jsonl(later, [item | {"response": "x" * n} for item, n in zip(records, missing)])
        later.rename(file)
        monkeypatch.setattr(RelaxFormat, "starts", read)
        return read(self, store, *where)

    monkeypatch.setattr(RelaxFormat, "starts", replaced)
    rows = run.samples(split="train", step=1, preview=True).rows
    assert {row.reward for row in rows} != {9.0}
    assert {row.response_start for row in rows} == {None}
    rows = run.samples(split="train", step=1, preview=True).rows
    assert {(row.reward, (row.response_start or "")[:3]) for row in rows} == {(9.0, "xxx")}


def test_a_line_appended_to_the_file_does_not_move_its_samples(path: Path, run: Run) -> None:
    run.sample("train/0/3")
    append(path / "train" / "0.jsonl", relax_record(0, 12, reward=0.5))
    assert run.sample("train/0/3").record == relax_record(0, 3)
    assert run.sample("train/0/12").reward == 0.5
