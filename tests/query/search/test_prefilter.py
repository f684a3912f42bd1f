"""Lines are passed over by their bytes, and never one that matches."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.search import literal_scan, prefilter
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


@pytest.mark.parametrize("compiled", [True, False])
@given(st.lists(TEXTS, max_size=6), TEXTS.filter(bool), st.booleans(), st.booleans(), st.integers(0, 50))
def test_no_line_with_the_text_is_passed_over(
    compiled: bool, texts: list[str], wanted: str, ignore_case: bool, ascii_only: bool, block: int
) -> None:
    """Nor where it begins in one of the blocks that are looked through at once and ends behind it."""
    lines = [json.dumps({"response": text}, ensure_ascii=ascii_only).encode() for text in texts]
    buffer = b"\n".join(lines)
    offsets = [len(b"\n".join([*lines[:place], b""])) if place else 0 for place in range(len(lines))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefilter, "_BLOCK_BYTES", block)
        if not compiled:
            patch.setattr(literal_scan, "_compiled", lambda: None)
        found = list(candidates(buffer, offsets, [len(line) for line in lines], needle(wanted, ignore_case, None)))
    assert found == sorted(set(found))
    for place, text in enumerate(texts):
        holds = wanted.casefold() in text.casefold() if ignore_case else wanted in text
        assert place in found or not holds


def test_lines_without_it_are_passed_over_and_so_are_lines_nobody_asked_about() -> None:
    lines = [b'{"a":"one"}', b'{"a":"two one"}', b'{"a":"two"}']
    buffer = b"\n".join(lines)
    assert list(candidates(buffer, [0, 28], [11, 11], needle("one", False, None))) == [0]


@pytest.mark.parametrize("block", [0, 10, 1000])
def test_samples_of_one_line_come_together(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(prefilter, "_BLOCK_BYTES", block)
    line = b'{"a":["one","two"]}'
    buffer, offsets, lengths = line * 3, [0, 0, 19, 38, 38, 38], [len(line)] * 6
    assert list(candidates(buffer, offsets, lengths, needle("two", False, None))) == [0, 1, 2, 3, 4, 5]
    assert list(candidates(buffer, offsets, lengths, needle("three", False, None))) == []


def test_a_line_with_escapes_does_not_make_all_others_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [b'{"a":"none"}', b'{"a":"n\\u006fne"}', b'{"a":"one"}', b'{"a":"n\\u00e9e"}']
    offsets = [0, 12, 29, 40]
    for block in (0, 20, 1000):
        monkeypatch.setattr(prefilter, "_BLOCK_BYTES", block)
        found = list(candidates(b"".join(lines), offsets, [len(line) for line in lines], needle("none", False, None)))
        assert found == [0, 1]


def test_letters_in_any_case_are_those_of_ascii() -> None:
    lines = ["AbA", "aba", "äbä", "ab"]
    for line, holds in zip(lines, [True, True, False, False]):
        raw = line.encode()
        looked_for = needle("abA", True, None)
        assert looked_for is not None
        assert looked_for.may_be_in(raw, 0, len(raw)) == holds


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
        assert looked_for is None or looked_for.may_be_in(line, 0, len(line)) or not holds


def test_pieces_that_cannot_hold_the_text_are_passed_over() -> None:
    looked_for = needle("two words", False, None, rb'"text"\s*:\s*"')
    assert looked_for is not None
    lines = [b'[{"text":"no tw"},{"text":"o words"}]', b'[{"text":"no tw"},{"text":"enty"}]', b'[{"text":"two words"}]']
    assert [looked_for.may_be_in(line, 0, len(line)) for line in lines] == [True, False, True]
