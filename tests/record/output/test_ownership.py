"""Who is the main writer of a run, and which attempt it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollscope.record.output import file_names
from rollscope.record.output.ownership import LOCK_FILE, Ownership, claim
from rollscope.record.samples.schema import MAIN_WRITER


@pytest.fixture(autouse=True)
def _no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in file_names.RANK_VARIABLES:
        monkeypatch.delenv(name, raising=False)


def claimed(
    directory: Path, writer: str | None = None, attempt: int | None = None, known: int | None = None
) -> Ownership:
    return claim(directory, writer=writer, attempt=attempt, known_attempt=known)


def test_the_first_process_is_the_main_writer_and_each_claim_after_it_a_new_attempt(tmp_path: Path) -> None:
    for attempt in range(3):
        own = claimed(tmp_path)
        assert (own.writer, own.attempt) == (MAIN_WRITER, attempt)
        own.release()
        own.release()


def test_a_second_process_has_a_name_of_its_own_and_takes_part_in_the_attempt(tmp_path: Path) -> None:
    main = claimed(tmp_path, attempt=5)
    second = claimed(tmp_path)
    assert second.writer == file_names.process_name()
    assert second.attempt == main.attempt == 5
    second.release()
    assert claimed(tmp_path).writer != MAIN_WRITER, "the lock is the main writer's until that releases it"
    main.release()


def test_a_rank_that_comes_before_the_main_process_is_of_the_attempt_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed(tmp_path, attempt=2).release()
    monkeypatch.setenv(file_names.RANK_VARIABLES[0], "3")
    rank = claimed(tmp_path)
    monkeypatch.delenv(file_names.RANK_VARIABLES[0])
    main = claimed(tmp_path)
    assert (rank.writer, rank.attempt) == ("rank3", 3)
    assert (main.writer, main.attempt) == (MAIN_WRITER, 3)
    main.release()


def test_the_larger_of_both_known_attempts_counts(tmp_path: Path) -> None:
    assert claimed(tmp_path / "nowhere", known=4).attempt == 5, "where no lock can be had, the configuration says it"
    (tmp_path / LOCK_FILE).write_text("no number\n")
    first = claimed(tmp_path, known=8)
    assert first.attempt == 9
    first.release()
    second = claimed(tmp_path, known=1)
    assert second.attempt == 10
    second.release()
