"""What the parts of a run share."""

from __future__ import annotations

from pathlib import Path

from rollscope.record.output import file_names
from rollscope.record.output.ownership import Ownership
from rollscope.record.output.problems import Problems
from rollscope.record.output.writer import Writer
from rollscope.record.samples.schema import MAIN_WRITER
from rollscope.record.session import RecorderOptions, Session


def session_in(directory: Path, writer: str = MAIN_WRITER, options: RecorderOptions | None = None) -> Session:
    problems = Problems()
    return Session(
        directory,
        ownership=Ownership(writer, 2, None),
        problems=problems,
        writer=Writer(directory, problems),
        options=options or RecorderOptions(),
        run_id=None,
        total_steps=None,
    )


def test_groups_count_within_their_step_and_those_of_other_writers_carry_their_name(tmp_path: Path) -> None:
    main, other = session_in(tmp_path), session_in(tmp_path, "rank1")
    asked = [("train", 0), ("train", 0), ("train", 1), ("eval/a", 0), ("train", 0)]
    assert [main.next_group(*step) for step in asked] == [0, 1, 0, 0, 2]
    assert [other.next_group(*step) for step in asked[:2]] == ["rank1:0", "rank1:1"]
    assert (main.is_main, other.is_main) == (True, False)
    assert main.run_id != other.run_id


def test_after_the_end_records_are_dropped_and_told(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    session.append("a.jsonl", {"a": 1}, size=1)
    session.closed = True
    session.append("a.jsonl", {"a": 2}, size=1)
    assert session.writer.close(5) == 0
    assert (tmp_path / "a.jsonl").read_bytes() == b'{"a":1}\n'
    assert session.problems.last == "A record for a.jsonl came after the run was closed and was dropped."


def test_files_are_sealed_only_where_the_run_asks_for_it(tmp_path: Path) -> None:
    for wanted, left in ((False, ["a.jsonl"]), (True, ["a.jsonl.zst"])):
        directory = tmp_path / str(wanted)
        directory.mkdir()
        session = session_in(directory, options=RecorderOptions(seal=wanted))
        session.append("a.jsonl", {"a": 1}, size=1)
        session.seal("a.jsonl")
        assert session.writer.close(5) == 0
        assert [path.name for path in directory.iterdir()] == left


def test_a_child_has_a_name_of_its_own_in_the_same_attempt(tmp_path: Path) -> None:
    session = session_in(tmp_path, options=RecorderOptions(clock=lambda: 12.34567))
    session.after_fork()
    assert (session.writer_name, session.attempt) == (file_names.process_name(), 2)
    assert session.now() == 12.346
