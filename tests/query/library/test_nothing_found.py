"""What is said where no run is found, as a person reads it who does not know what to do next."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import write_relax

from rollscope.errors import NotFoundError
from rollscope.formats.containers import packed_records
from rollscope.query.library import Library

MAP = "--map prompt=KEY,response=KEY,reward=KEY"


def said(path: Path, **options: str) -> str:
    with pytest.raises(NotFoundError) as caught:
        Library([path], **options)  # type: ignore[arg-type]  # only texts are given
    return f"{caught.value} ({caught.value.hint})"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("checkpoint-100/model.safetensors", "checkpoints have weights"),
        ("events.out.tfevents.1700000000.host.1.0", "TensorBoard's event files have metrics"),
        ("train.log", "logs for people"),
        ("step_1.pkl", "pickles are not read"),
        ("trajectories/train/0001.yaml", "ART's files of before 0.4"),
        ("samples.xlsx", "save them as CSV"),
        ("rollouts.tar.gz", "unpack them"),
        ("model.pt", "slime's and miles' dumps"),
    ],
)
def test_files_that_hold_no_samples_are_told_as_such(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\0\1")
    (path.parent / "config.json").write_text('{"a": 1}')
    text = said(tmp_path)
    assert reason in text
    assert "setting" in text
    assert MAP not in text


def test_records_may_be_mapped(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [{"ask": 1, "out": 2}])
    text = said(tmp_path)
    assert "it holds 1 file: 1 .jsonl; a.jsonl has records with ask, out" in text
    assert MAP in text


def test_an_empty_folder_is_one(tmp_path: Path) -> None:
    assert "it is empty" in said(tmp_path)


def test_folders_that_are_too_deep_are_no_empty_folder(tmp_path: Path) -> None:
    path = tmp_path.joinpath(*[f"d{number}" for number in range(15)])
    path.mkdir(parents=True)
    write_jsonl(path / "1.jsonl", [{"input": "p", "output": "r", "score": 1.0, "step": 1}])
    assert "give a folder nearer to the runs" in said(tmp_path)


def test_a_file_beside_runs_does_not_open_them(tmp_path: Path) -> None:
    write_relax(tmp_path / "run", steps=1)
    (tmp_path / "notes.txt").write_text("hello")
    text = said(tmp_path / "notes.txt")
    assert f"{tmp_path}/notes.txt is no part of a run" in text
    assert f"give {tmp_path}/ to see them" in text
    (tmp_path / "empty.jsonl").write_text("")
    assert "the file is empty" in said(tmp_path / "empty.jsonl")


def test_only_formats_that_were_asked_for_are_listed(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert "looked for the files of relax only" in said(tmp_path, format="relax")
    assert "relax" not in said(tmp_path)


def test_where_no_run_is_found_it_says_what_to_do(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a" / "b" / "c" / "d" / "e" / "f" / "g" / "data.jsonl", [{"ask": "p", "tell": "c"}])
    with pytest.raises(NotFoundError) as caught:
        Library([tmp_path])
    assert "records with ask, tell" in str(caught.value.hint)
    for way in ("--map prompt=KEY", "rollscope.toml", "--format NAME", "rollscope.record"):
        assert way in str(caught.value.hint)


def test_a_folder_of_other_records_says_what_they_have(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "logs" / "a.jsonl", [{"level": "info", "at": 3}])
    with pytest.raises(NotFoundError) as caught:
        Library([tmp_path])
    assert "1 .jsonl; logs/a.jsonl has records with at, level." in caught.value.hint


def test_records_over_several_lines_are_called_so(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"prompt": "q", "response": "a", "reward": 1.0}, indent=2) + "\n")
    with pytest.raises(NotFoundError) as caught:
        Library([tmp_path])
    assert "the records of a.jsonl stand over several lines, and are read one a line (jq -c" in caught.value.hint


def test_why_a_packed_file_or_a_table_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_records, "MAX_BYTES", 1000)
    line = json.dumps({"prompt": "q", "response": "a" * 2000}).encode()
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(line))
    assert "; a.jsonl.gz cannot be read: it unpacks to more than 1,000 bytes" in said(tmp_path)
    (tmp_path / "a.jsonl.gz").unlink()
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    assert "; a.parquet cannot be read: " in said(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "step_1.jsonl")
    assert "it is empty" in said(tmp_path)
    assert "it is no plain file" in said(tmp_path / "step_1.jsonl")
