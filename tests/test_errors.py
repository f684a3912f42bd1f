"""Errors that users see."""

from __future__ import annotations

import pickle
import traceback

import pytest

from rollscope.errors import FilterError, NotFoundError, UsageError, check_utf8


def test_a_traceback_shows_the_hint_and_the_message_does_not() -> None:
    error = FilterError("there is no field 'rewrd' here", source="rewrd < 1", hint="did you mean reward?")

    assert str(error) == "there is no field 'rewrd' here"
    assert "did you mean reward?" in "".join(traceback.format_exception(error))


def test_an_error_without_a_hint_has_no_note() -> None:
    assert not hasattr(NotFoundError("there is nothing at runs/x"), "__notes__")


def test_an_error_from_a_worker_keeps_its_hint_once() -> None:
    error = pickle.loads(pickle.dumps(NotFoundError("gone", hint="look elsewhere")))

    assert (str(error), error.hint, error.__notes__) == ("gone", "look elsewhere", ["look elsewhere"])


def test_text_that_is_no_utf_8_is_a_wrong_call() -> None:
    check_utf8("42 ÷ 6", "the pattern")
    with pytest.raises(UsageError, match="the pattern is not UTF-8"):
        check_utf8("\udcff", "the pattern")
