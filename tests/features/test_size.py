"""How much was said: by any reading of the text, however long it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.features import size
from rollscope.features.base import SampleTexts
from rollscope.features.batches.words import split_words


def texts(response: str | None) -> SampleTexts:
    return SampleTexts("", response)


@given(st.text(alphabet="ab \n中ก", max_size=60), st.integers(min_value=1, max_value=9))
def test_words_of_long_texts_are_counted_piece_by_piece(text: str, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(size, "MAX_READ_CHARS", piece)
        assert size._words_of_long(text) == len(split_words(text))


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)])
def test_a_last_line_needs_no_end(text: str, lines: int) -> None:
    assert size.lines(texts(text)) == lines


def test_thoughts_and_the_answer_are_counted_apart() -> None:
    said = texts("<think>six sevens</think>\n 42 \n")
    assert (size.chars(said), size.think_chars(said), size.answer_chars(said)) == (31, 10, 2)


def test_nothing_is_said_of_a_response_that_is_missing() -> None:
    assert [feature.compute(texts(None)) for feature in size.FEATURES] == [None] * 5
