"""What a stop reason says about a sample."""

from __future__ import annotations

import pytest

from rollscope.formats.stop_reasons import in_our_words, status_of


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("stop", "completed"),
        (" STOP ", "completed"),
        ("length", "truncated"),
        ("max_turns", "truncated"),
        ("abort", "aborted"),
        ("error", "failed"),
        ("tool_calls", None),
        ("", None),
        (None, None),
        (3, None),
    ],
)
def test_a_word_that_engines_use_is_understood_and_no_other(reason: object, status: str | None) -> None:
    assert status_of(reason) == status


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("TRUNCATED", "truncated"),
        ("Status.TRUNCATED", "truncated"),
        ("trainer.types.Status.Pending", "pending"),
        ("length", "truncated"),
        ("aborted", "aborted"),
        ("It took 3.5 s. Failed", "It took 3.5 s. Failed"),
        ("SUCCESS", "SUCCESS"),
        (7, 7),
        (None, None),
    ],
)
def test_a_status_in_another_spelling_is_one_of_ours_and_any_other_is_kept(written: object, shown: object) -> None:
    assert in_our_words(written) == shown
