"""Keys of a line that nobody holds in memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.runs import relax_record

import rollscope
from rollscope.formats.lines import step_files
from rollscope.formats.lines.long_line_keys import keys_of_blocks

RECORD = {
    "prompt": 'a "quoted": text \\ with\n{brackets}, [1',
    "deep": {"prompt": {"x": [1, {"y": 2}]}, "list": ["z", {"w": 1}]},
    "texts": ["one", "two"],
    "ключ": 1,
    "response": "\\" * 7 + '"',
    "last": None,
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
@pytest.mark.parametrize("plain", [True, False])
def test_keys_are_found_however_the_line_is_cut(size: int, plain: bool) -> None:
    line = json.dumps(RECORD, ensure_ascii=plain).encode() + b'\n{"other": 1}\n'
    found = list(keys_of_blocks(line[at : at + size] for at in range(0, len(line), size)))
    assert [json.loads(f'"{name}"') for name in found] == list(RECORD)


@pytest.mark.parametrize("line", [b"[1, 2]\n", b'"text": 1\n', b"17\n", b"", b"\n", b"}"])
def test_what_is_no_object_has_no_keys(line: bytes) -> None:
    assert list(keys_of_blocks([line])) == []


def test_a_run_that_begins_with_a_very_long_line_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was guessed to be of no trainer, or found by nobody, also with --format."""
    monkeypatch.setattr(step_files, "LONG_LINE", 2 << 20)
    (tmp_path / "run" / "train").mkdir(parents=True)
    line = json.dumps({**relax_record(0, 0), "response": "long " * 700_000})
    (tmp_path / "run" / "train" / "0.jsonl").write_text(line + "\n")
    run = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
    assert (run.format, run.samples().total) == ("relax", 1)
