"""Marks decide which texts get a closer look: one that is missing would hide what a pattern finds."""

from __future__ import annotations

import pytest

from rollscope.features.batches.marks import HINTS, LANGUAGES, OPENING_HINTS, SUBJECTS
from rollscope.features.batches.small_words import SMALL_WORDS
from rollscope.features.patterns.table import PATTERNS


@pytest.mark.parametrize(("name", "example"), [(item.name, text) for item in PATTERNS for text in item.examples])
def test_every_example_of_a_pattern_has_one_of_its_hints(name: str, example: str) -> None:
    assert any(hint.strip() in example.lower() for hint in HINTS[name])


def test_every_pattern_has_hints_and_none_is_without_its_pattern() -> None:
    assert set(HINTS) == {pattern.name for pattern in PATTERNS}


def test_marks_are_in_small_letters_and_long_enough_to_be_found_by_five_bytes() -> None:
    for mark in (mark for marks in SUBJECTS.values() for mark in marks):
        assert mark == mark.lower()
        # A sign of a script without spaces is found with a space before it.
        assert len(mark.encode()) + (mark not in LANGUAGES) >= 4, mark
    assert all(hint == hint.lower() for hint in OPENING_HINTS)


def test_words_that_tell_a_language_are_small_words_of_one_that_is_not_english() -> None:
    others = {word for name, words in SMALL_WORDS.items() if name != "English" for word in words}
    assert {mark.strip() for mark in LANGUAGES} <= others - SMALL_WORDS["English"]
