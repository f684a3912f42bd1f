from __future__ import annotations

import pickle
import shutil
import sqlite3
import struct
from pathlib import Path

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, records, said


def test_the_database_s_experiences_are_there_once_with_their_tensors() -> None:
    path = fixture_path("trinity_rft")
    pairs = opened(only_run(path))
    theirs = list(records(path, "buffer/*.jsonl"))
    assert sorted((row.step, str(row.group), row.reward or 0.0, said(sample)) for row, sample in pairs) == sorted(
        (
            int(item["eid"]["batch"]),
            f"{item['eid']['batch']}/{item['eid']['task']}",
            item["reward"],
            item["response_text"],
        )
        for item in theirs
    )
    _, sample = pairs[0]
    assert sample.tokens is not None
    assert (
        len(sample.tokens.ids) == len(sample.tokens.logprobs) == len(sample.tokens.mask) == theirs[0]["response_length"]
    )
    assert (sample.prompt_tokens, sample.completion_tokens) == (
        theirs[0]["prompt_length"],
        theirs[0]["response_length"],
    )


def test_lines_alone_open_too(tmp_path: Path) -> None:
    path = fixture_path("trinity_rft")
    shutil.copyfile(path / "buffer" / "explorer_output.jsonl", tmp_path / "explorer_output.jsonl")
    pairs = opened(only_run(tmp_path))
    assert [row.reward for row, _ in pairs] == [item["reward"] for item in records(path, "buffer/*.jsonl")]
    assert {row.sampling_step for row, _ in pairs} == {0, 1, 2}


def test_a_hostile_pickle_in_a_row_is_refused_and_the_others_open(tmp_path: Path) -> None:
    marker = str(tmp_path / "ran")

    class Hostile:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (__import__("os").mkdir, (marker,))

    shutil.copyfile(fixture_path("trinity_rft") / "buffer" / "explorer_output.db", tmp_path / "explorer_output.db")
    body = pickle.dumps(Hostile())
    with sqlite3.connect(tmp_path / "explorer_output.db") as database:
        data = b"TRXP\x01" + struct.pack("<QQ", len(body), 0) + body
        database.execute("UPDATE pipeline_input_blob SET experience_bytes = ? WHERE id = 1", [data])
    database.close()
    run = only_run(tmp_path)
    assert len(opened(run)) == 23
    assert not (tmp_path / "ran").exists()
    assert "cannot be read" in run.doctor().skipped[0].reason
