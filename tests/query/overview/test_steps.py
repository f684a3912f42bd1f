"""The steps of a split."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.runs import relax_record

from rollscope.errors import NotFoundError
from rollscope.index.manifest import step_parts
from rollscope.query.library import open_run
from rollscope.query.run import Run


def test_steps_have_their_rewards(run: Run) -> None:
    rows = run.steps("train").steps
    rewards = [relax_record(1, index)["reward"] for index in range(12)]
    assert rows[1].reward.mean == pytest.approx(sum(rewards) / 12)
    assert (rows[1].reward.min, rows[1].reward.max) == (min(rewards), max(rewards))
    assert [(row.samples, row.groups, row.discarded) for row in rows] == [(12, 3, 0)] * 3


def test_an_unknown_split_names_those_there_are(run: Run) -> None:
    with pytest.raises(NotFoundError, match="no split 'eval/x'") as caught:
        run.steps("eval/x")
    assert "train" in caught.value.hint


def test_lines_skipped_in_a_file_of_several_steps_are_counted_to_none(tmp_path: Path) -> None:
    """Nobody knows whose they were; the doctor lists them."""
    record = {"question": "2 + 2?", "completion": "4", "score": 1.0}
    lines = [json.dumps({**record, "step": step}) for step in (0, 0, 1, 1)]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "several.jsonl").write_text("\n".join([*lines, "{", "[1]"]) + "\n")
    run = open_run(tmp_path / "run", index_dir=str(tmp_path / "index"))
    assert [(row.step, row.samples, row.skipped_lines) for row in run.steps()] == [(0, 2, 0), (1, 2, 0)]
    assert [(item.line, item.file) for item in run.doctor().skipped] == [(5, "several.jsonl"), (6, "several.jsonl")]


def test_bytes_of_a_file_of_several_steps_are_those_of_their_lines(tmp_path: Path) -> None:
    record = {"question": "2 + 2?", "completion": "4", "score": 1.0}
    lines = [json.dumps({**record, "completion": "4" * (1 + 900 * step), "step": step}) for step in (0, 1, 1, 5)]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "several.jsonl").write_text("\n".join(lines) + "\n")
    run = open_run(tmp_path / "run", index_dir=str(tmp_path / "index"))
    assert [row.bytes for row in run.steps()] == [len(lines[0]), len(lines[1]) + len(lines[2]), len(lines[3])]


def test_bytes_of_steps_that_share_a_container_are_missing(tmp_path: Path) -> None:
    rows = [{"question": "2 + 2?", "completion": "4", "score": 1.0, "step": step} for step in (0, 1)]
    (tmp_path / "run").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "run" / "several.parquet")
    run = open_run(tmp_path / "run", index_dir=str(tmp_path / "index"))
    assert [(row.step, row.bytes) for row in run.steps()] == [(0, None), (1, None)]
    assert run.sql("SELECT bytes FROM steps").rows == [[None], [None]]


def test_some_of_the_steps_are_as_in_the_list_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever parts of the manifest they are in, with what only some steps have: other splits, verdicts, skipped lines."""
    monkeypatch.setattr(step_parts, "PART_SIZE", 4)
    for folder, steps in (("evals", range(0, 30, 7)), ("rollouts", range(30))):
        (tmp_path / "run" / folder).mkdir(parents=True)
        for step in steps:
            rewards = [step / 100 if step % 3 else 1.0, 0.0]
            lines = [json.dumps({"question": "2 + 2?", "completion": "4", "score": reward}) for reward in rewards]
            lines += ["{"] * (step % 2)
            (tmp_path / "run" / folder / f"{step}.jsonl").write_text("\n".join(lines) + "\n")
    run = open_run(tmp_path / "run", index_dir=str(tmp_path / "index"))
    for split in run.splits:
        rows = run.steps(split).steps
        assert [row.skipped_lines for row in rows] == [row.step % 2 for row in rows]
        assert [row.pass_at for row in rows] == [{} if row.step % 3 else {1: 0.5, 2: 1.0} for row in rows]
        for offset, limit in ((0, 3), (3, 9), (4, 4), (5, None), (29, 5), (40, 2)):
            assert run.steps(split, offset=offset, limit=limit).steps == rows[offset:][:limit]
