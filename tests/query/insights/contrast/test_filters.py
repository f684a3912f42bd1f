"""A filter that selects the samples that hold a phrase."""

from __future__ import annotations

import re

import pytest
import re2

from rollscope.query.insights.contrast.filters import phrase_filter
from rollscope.query.language.parser import parse


def finds(words: list[str], text: str) -> bool:
    found = re.fullmatch(r"response matches /(.*)/i", phrase_filter("response", words), re.DOTALL)
    assert found is not None
    return re2.search(f"(?i){found[1].replace(chr(92) + '/', '/')}", text) is not None


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["let", "me"], "So: Let, me see", True),
        (["let", "me"], "let us and me", False),
        (["let", "me"], "outlet me", False),
        (["let", "me"], "letme", False),
        (["été"], "L'Été, enfin", True),
        (["été"], "répétés", False),
        (["等", "等"], "等等", True),
        (["a/b"], "x a/b y", True),
        (["c++"], "c++", True),
        (["a.b"], "axb", False),
    ],
)
def test_a_filter_finds_the_words_in_a_row_and_nothing_else(words: list[str], text: str, expected: bool) -> None:
    assert finds(words, text) is expected


def test_every_filter_is_one_of_the_language() -> None:
    for words in (["let", "me"], ["a/b"], ["\\"], ['"'], ["été", "等"]):
        parse(phrase_filter("response", words))
    assert phrase_filter("response", []) == ""
