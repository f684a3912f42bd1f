"""Lines are passed over by their bytes, and never one that matches."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.search.prefilter import candidates, needle, required_bytes

TEXTS = st.text(alphabet='aKſ"\\/\né中 ', max_size=6)


@pytest.mark.parametrize(
    ("text", "ignore_case", "required"),
    [
        ("reward hacking", False, b"reward hacking"),
        ('say "Yes" now', False, b"say "),
        ("Größe", False, b"Gr"),
        ("TASK", True, b"ta"),
        ("中", False, None),
        ("ks", True, None),
    ],
)
def test_what_every_match_has_in_bytes(text: str, ignore_case: bool, required: bytes | None) -> None:
    assert required_bytes(text, ignore_case) == required


@given(st.lists(TEXTS, max_size=6), TEXTS.filter(bool), st.booleans(), st.booleans())
def test_no_line_with_the_text_is_passed_over(
    texts: list[str], wanted: str, ignore_case: bool, ascii_only: bool
) -> None:
    lines = [json.dumps({"response": text}, ensure_ascii=ascii_only).encode() for text in texts]
    buffer = b"\n".join(lines)
    offsets = [len(b"\n".join([*lines[:place], b""])) if place else 0 for place in range(len(lines))]
    found = list(candidates(buffer, offsets, [len(line) for line in lines], needle(wanted, ignore_case, None)))
    for place, text in enumerate(texts):
        holds = wanted.casefold() in text.casefold() if ignore_case else wanted in text
        assert place in found or not holds


def test_lines_without_it_are_passed_over_and_so_are_lines_nobody_asked_about() -> None:
    lines = [b'{"a":"one"}', b'{"a":"two one"}', b'{"a":"two"}']
    buffer = b"\n".join(lines)
    assert list(candidates(buffer, [0, 28], [11, 11], needle("one", False, None))) == [0]


def test_samples_of_one_line_come_together() -> None:
    line = b'{"a":["one","two"]}'
    assert list(candidates(line, [0, 0], [len(line)] * 2, needle("two", False, None))) == [0, 1]


def test_words_that_a_format_shows_in_its_own_way_are_looked_at() -> None:
    lines = [b'{"tool":1}', b'{"a":"x"}']
    buffer = b"\n".join(lines)
    assert list(candidates(buffer, [0, 11], [10, 9], needle("call", False, rb'"tool"'))) == [0]


@given(st.lists(st.lists(TEXTS, max_size=4), max_size=4), TEXTS.filter(bool), st.booleans(), st.booleans())
def test_no_text_that_is_stored_in_pieces_is_passed_over(
    texts: list[list[str]], wanted: str, ignore_case: bool, ascii_only: bool
) -> None:
    lines = [json.dumps([{"text": piece} for piece in pieces], ensure_ascii=ascii_only).encode() for pieces in texts]
    looked_for = needle(wanted, ignore_case, None, rb'"text"\s*:\s*"')
    for line, pieces in zip(lines, texts):
        text = "".join(pieces)
        holds = wanted.casefold() in text.casefold() if ignore_case else wanted in text
        assert looked_for is None or looked_for.may_be_in(memoryview(line)) or not holds


def test_pieces_that_cannot_hold_the_text_are_passed_over() -> None:
    looked_for = needle("two words", False, None, rb'"text"\s*:\s*"')
    assert looked_for is not None
    lines = [b'[{"text":"no tw"},{"text":"o words"}]', b'[{"text":"no tw"},{"text":"enty"}]', b'[{"text":"two words"}]']
    assert [looked_for.may_be_in(memoryview(line)) for line in lines] == [True, False, True]
