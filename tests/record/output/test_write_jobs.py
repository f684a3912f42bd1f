"""What the writer writes, written without its thread."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.record.helpers import lines

from rollscope.record.output.directory import Directory
from rollscope.record.output.metrics_file import MetricsFile, RowPart
from rollscope.record.output.problems import Problems
from rollscope.record.output.write_jobs import RowJob, SealJob, TableJob, WriteJob


def test_a_line_is_added_and_a_whole_file_replaced(tmp_path: Path) -> None:
    directory = Directory(tmp_path)
    for text in (b"one\n", b"two\n"):
        for job in (WriteJob("lines", lambda text=text: text), WriteJob("whole", lambda text=text: text, whole=True)):  # type: ignore[misc]
            job.prepare()
            assert job.write(directory) is None
    directory.close()
    assert (tmp_path / "lines").read_bytes() == b"one\ntwo\n"
    assert (tmp_path / "whole").read_bytes() == b"two\n"


def test_a_record_is_made_once_however_often_it_is_tried(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return b"x\n"

    job = WriteJob("missing/lines", make)
    for _ in range(3):
        job.prepare()
        with pytest.raises(OSError, match="No such file"):
            job.write(Directory(tmp_path))
    assert made == [1]


def test_parts_of_earlier_rows_are_settled_by_one_job_at_the_end_of_the_queue(tmp_path: Path) -> None:
    directory = Directory(tmp_path)
    table = MetricsFile(directory, "metrics.jsonl", Problems())

    def write(step: int, name: str) -> WriteJob | None:
        job = RowJob(table, lambda: RowPart(step=step, attempt=0, timestamp=0.0, values={name: step}))
        job.prepare()
        return job.write(directory)

    assert write(0, "loss") is write(1, "loss") is None
    later = write(0, "kl")
    assert isinstance(later, TableJob)
    assert write(0, "lr") is None, "one is on its way"
    later.prepare()
    assert later.write(directory) is None
    directory.close()
    assert [(row["loss"], row.get("kl"), row.get("lr")) for row in lines(tmp_path / "metrics.jsonl")] == [
        (0, 0, 0),
        (1, None, None),
    ]


def test_a_finished_file_is_sealed_and_one_that_is_gone_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"{}\n")
    for name in ("a.jsonl", "b.jsonl"):
        job = SealJob(name)
        job.prepare()
        assert job.write(Directory(tmp_path)) is None
        assert not job.holds_record
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl.zst"]
