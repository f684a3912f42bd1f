"""Words of a text: all of it, in any script, and equal words as equal numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.insights.words import numbered, split_words


@given(st.text())
def test_words_joined_are_the_text(text: str) -> None:
    words = split_words(text)
    assert "".join(words) == text
    assert all(words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one  two\n", ["one  ", "two\n"]),
        ("  one", ["  ", "one"]),
        # Signs of scripts without spaces are words each, beside words that have them.
        ("数学 ok", ["数", "学 ", "ok"]),
        ("naïve 数x", ["naïve ", "数", "x"]),
        ("", []),
    ],
)
def test_a_word_has_the_white_space_after_it(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_equal_words_of_several_texts_have_one_number() -> None:
    assert numbered(["a ", "b", "a "], ["b", "c"]) == [[0, 1, 0], [1, 2]]
