"""The tables of characters say what Unicode and the scripts' ranges say."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.features.batches.characters import (
    _DIGIT,
    _LETTER,
    _ODD,
    _SPACE,
    _UNSPACED,
    SCRIPTS,
    UNSPACED,
    character_kinds,
    lower_table,
    script_numbers,
)

CHARACTERS = st.characters(max_codepoint=0x1FFFF, categories=None)


@given(CHARACTERS)
def test_a_letters_script_is_the_one_whose_range_it_is_in(sign: str) -> None:
    number = int(character_kinds()[ord(sign)]) % _SPACE
    expected = [name for name, letters in SCRIPTS.items() if re.fullmatch(f"[{letters}]", sign)]
    assert [name for name, script in script_numbers().items() if script == number] == expected


@given(st.characters(min_codepoint=128, max_codepoint=0x1FFFF, categories=None))
def test_spaces_digits_letters_and_signs_that_are_words_are_told(sign: str) -> None:
    kind = int(character_kinds()[ord(sign)])
    assert bool(kind & _SPACE) == sign.isspace()
    assert bool(kind & _DIGIT) == sign.isdecimal()
    assert bool(kind & _LETTER) == (re.fullmatch(r"[^\W\d_]", sign) is not None)
    assert bool(kind & _UNSPACED) == (re.fullmatch(f"[{UNSPACED}]", sign) is not None)


@pytest.mark.parametrize(
    ("sign", "odd"),
    [
        ("\ufffd", True),
        ("Ã", True),
        ("\ue000", True),
        ("\u200d", False),
        ("\u3000", False),
        ("é", False),
    ],
)
def test_what_no_text_has_is_odd(sign: str, odd: bool) -> None:
    assert bool(character_kinds()[ord(sign)] & _ODD) == odd


@given(CHARACTERS)
def test_the_small_letter_is_one_character(sign: str) -> None:
    small = "σ" if sign == "Σ" else sign.lower()
    assert chr(lower_table()[ord(sign)]) == (small if len(small) == 1 else sign)
