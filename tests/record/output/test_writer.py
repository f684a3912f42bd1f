"""The queue and the thread behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.record.helpers import rollouts

from rollscope import record
from rollscope.record.output.problems import Problems
from rollscope.record.output.write_jobs import RECORD_OVERHEAD, SealJob, WriteJob
from rollscope.record.output.writer import Writer


def test_a_record_larger_than_the_whole_queue_is_taken_when_nothing_else_waits(tmp_path: Path) -> None:
    run = record.start(tmp_path, queue_bytes=2_000)
    assert run.flush()
    with run.iteration(0) as iteration:
        iteration.add(response="x" * 100_000)
        assert run.flush()
    [line] = rollouts(tmp_path)
    assert len(line["messages"][0]["parts"][0]["text"]) == 100_000
    run.close()


@pytest.fixture
def problems() -> Problems:
    return Problems()


def test_lines_of_a_file_keep_their_order_and_a_whole_file_is_its_last_state(
    tmp_path: Path, problems: Problems
) -> None:
    writer = Writer(tmp_path, problems)
    for number in range(50):
        line = b"%d\n" % number
        writer.submit(WriteJob("lines", lambda line=line: line))  # type: ignore[misc]
        writer.submit(WriteJob("whole", lambda line=line: line, whole=True))  # type: ignore[misc]
    assert writer.close(5) == 0
    assert (tmp_path / "lines").read_text().split() == [str(number) for number in range(50)]
    assert (tmp_path / "whole").read_text() == "49\n"


def test_a_record_that_cannot_be_made_is_told_and_the_next_is_written(tmp_path: Path, problems: Problems) -> None:
    writer = Writer(tmp_path, problems)
    writer.submit(WriteJob("lines", lambda: b"%d\n" % (1 // 0)))
    writer.submit(WriteJob("lines", lambda: b"next\n"))
    assert writer.flush(5)
    assert problems.last == "A record of lines was lost: ZeroDivisionError: integer division or modulo by zero."
    assert writer.close(5) == 0
    assert (tmp_path / "lines").read_text() == "next\n"


def test_records_of_a_file_that_cannot_be_written_wait_in_order_and_others_go_on(
    tmp_path: Path, problems: Problems
) -> None:
    (tmp_path / "bad").mkdir()
    writer = Writer(tmp_path, problems)
    for name in ("bad", "good", "bad", "good"):
        writer.submit(WriteJob(name, lambda: b"%d\n" % len(list(tmp_path.iterdir()))))
    assert not writer.flush(5)
    assert (tmp_path / "good").read_text().count("\n") == 2
    assert problems.count == 1, "told once, however often it is tried"
    (tmp_path / "bad").rmdir()
    assert writer.flush(5)
    assert (tmp_path / "bad").read_text().count("\n") == 2
    assert writer.close(5) == 0


def test_what_could_not_be_written_in_the_end_is_counted(tmp_path: Path, problems: Problems) -> None:
    (tmp_path / "bad").mkdir()
    writer = Writer(tmp_path, problems)
    for _ in range(3):
        writer.submit(WriteJob("bad", lambda: b"x\n"))
    writer.submit(SealJob("bad"))
    assert writer.close(0) == 3, "a file that is not compressed is no record lost"


def test_what_does_not_fit_behind_a_file_that_cannot_be_written_is_dropped_and_told(
    tmp_path: Path, problems: Problems
) -> None:
    (tmp_path / "bad").mkdir()
    writer = Writer(tmp_path, problems, queue_bytes=3 * RECORD_OVERHEAD)
    writer.submit(WriteJob("bad", lambda: b"x\n", size=RECORD_OVERHEAD))
    assert not writer.flush(5)
    for _ in range(2):
        writer.submit(WriteJob("bad", lambda: b"x\n", size=RECORD_OVERHEAD))
    assert problems.count == 3
    assert problems.last == "A record for bad was dropped: 3,000 bytes of records wait for the disk."
    assert writer.close(0) == 1


def test_a_directory_that_is_gone_is_made_again_with_what_belongs_in_it(tmp_path: Path, problems: Problems) -> None:
    home = tmp_path / "run"
    home.mkdir()
    writer = Writer(home, problems)

    def config() -> list[WriteJob]:
        job = WriteJob("config.json", lambda: b"{}", whole=True)
        job.prepare()
        return [job]

    writer.on_recreated = config
    home.rmdir()
    writer.submit(WriteJob("lines", lambda: b"x\n"))
    assert writer.close(5) == 0
    assert {path.name: path.read_text() for path in home.iterdir()} == {"config.json": "{}", "lines": "x\n"}
    assert problems.last is not None
    assert "was deleted while the run was being recorded" in problems.last
