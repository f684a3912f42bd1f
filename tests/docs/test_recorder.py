"""What docs/recorder.md says of files and turns."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from tests.test_docs import text_of

from rollscope import record
from rollscope.model import TokenArrays, Turn

PAGE = text_of("docs/recorder.md")


def test_the_first_example_writes_the_files_that_it_is_said_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0])
    table = PAGE.partition("| file in the directory |")[2].partition("\n\n")[0]
    names = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    without = {name for name in names if re.match("checkpoints|eval_|.*_annotations", name)}
    assert len(without) == 3
    wanted = {name.replace("NNNNNN", f"{step:06}") for name in names if name not in without for step in range(3)}
    # The format's own mark of which process writes is no file for people.
    assert {path.name for path in (tmp_path / "runs" / "my-run").iterdir() if not path.name.startswith(".")} == wanted
    config = json.loads((tmp_path / "runs" / "my-run" / "config.json").read_text())
    assert config["learning_rate"] == 1e-5
    assert config["rollscope"]["ended_at"] >= config["rollscope"]["started_at"]


@pytest.mark.parametrize(("field", "struct"), [("turns", Turn), ("tokens", TokenArrays)])
def test_turns_and_tokens_have_the_keys_of_the_table(field: str, struct: type[Turn | TokenArrays]) -> None:
    (row,) = re.findall(rf"^\| `{field}` \| (.*)$", PAGE, re.MULTILINE)
    listed = re.findall(r"`([\w, ]+,[\w, ]+)`", row)[0]
    assert set(listed.split(", ")) == set(struct.__struct_fields__) - {"index"}


def test_a_flush_with_sync_calls_fsync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        synced.append(file)
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    with record.start(tmp_path / "run", reports=False, code_dir=None) as run:
        run.log_metrics({"loss": 1.0}, step=0)
        run.flush()
        before = len(synced)
        run.flush(sync=True)
        assert len(synced) > before
