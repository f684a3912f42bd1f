"""The tables that compiled code is given: each mark by the five bytes of it that are most seldom."""

from __future__ import annotations

import ctypes

import pytest

from rollscope.features.batches.marks import LANGUAGES, SUBJECTS
from rollscope.features.batches.scan_tables import MAX_SUBJECTS, _core_of, _mark_table, scan_tables


def test_a_mark_is_looked_for_by_its_rarest_bytes() -> None:
    assert b"the quiz"[_core_of(b"the quiz") :] == b" quiz"
    assert _core_of(b"aaaaa") == 0
    assert _core_of(b"ababababab") == 5, "of equally rare places the last"


def test_a_mark_shorter_than_five_bytes_has_no_such_place() -> None:
    with pytest.raises(AssertionError, match="abcd"):
        _core_of(b"abcd")


def test_the_compiled_code_has_room_for_all_that_marks_tell_and_words_of_languages_lie_together() -> None:
    assert len(SUBJECTS) <= MAX_SUBJECTS
    names = list(SUBJECTS)
    first = names.index(LANGUAGES[0])
    assert names[first : first + len(LANGUAGES)] == list(LANGUAGES)


def test_marks_lie_one_after_the_other_and_several_may_tell_the_same() -> None:
    table = _mark_table([("grader", 1), ("评 ", 2), ("verifier", 1)])
    begin = (ctypes.c_int32 * 4).from_address(table.begin)
    found_as = (ctypes.c_int16 * 3).from_address(table.found_as)
    assert list(found_as) == [1, 2, 1]
    pieces = [table.bytes[start:end].decode() for start, end in zip(begin, list(begin)[1:])]
    assert pieces == ["grader", " 评 ", "verifier"]


def test_the_tables_are_made_once() -> None:
    assert scan_tables() == scan_tables() != 0
