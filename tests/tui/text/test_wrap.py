"""Rows of a text: nothing is lost, nothing is too wide, and the text need not be read to its end first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from rollscope.tui.text.wrap import Wrapping, columns, fit, fitting_end

TEXT = st.text(alphabet=st.sampled_from("ab c\nde漢字é́👩‍🔬\u200d~|"), max_size=200)


def rows_of(text: str, width: int, *, at_words: bool = True) -> list[str]:
    wrapping = Wrapping(text, width, at_words=at_words)
    while not wrapping.done:
        wrapping.advance(3)
    return [text[slice(*wrapping.row(index))] for index in range(wrapping.rows)]


def test_words_stay_whole_where_they_fit() -> None:
    assert rows_of("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_a_word_longer_than_the_window_is_cut() -> None:
    assert rows_of("abcdefghij kl", 4) == ["abcd", "efgh", "ij", "kl"]


def test_blanks_at_the_end_of_a_line_begin_no_row_and_are_cut_at_the_window() -> None:
    assert rows_of("abc     ", 4) == ["abc "]
    assert rows_of("abcd     \nab   ", 4) == ["abcd", "ab  "]


def test_line_ends_begin_rows_and_empty_lines_are_rows() -> None:
    assert rows_of("a\n\nb\n", 10) == ["a", "", "b", ""]


def test_an_empty_text_is_one_empty_row() -> None:
    assert rows_of("", 10) == [""]


def test_wide_characters_count_as_two_columns() -> None:
    assert rows_of("漢字漢字漢", 4) == ["漢字", "漢字", "漢"]


def test_a_wide_character_in_a_window_of_one_column_still_gets_a_row() -> None:
    assert rows_of("漢字", 1) == ["漢", "字"]


@given(TEXT, st.integers(2, 30), st.booleans())
def test_no_row_is_wider_than_the_window_and_no_character_is_lost(text: str, width: int, at_words: bool) -> None:
    rows = rows_of(text, width, at_words=at_words)
    assert all(cell_len(row) <= width for row in rows)
    kept = "".join(rows).replace(" ", "")
    assert kept == text.replace(" ", "").replace("\n", "")


@given(TEXT, st.integers(2, 30), st.data())
def test_every_character_is_in_the_row_that_row_of_names(text: str, width: int, data: st.DataObject) -> None:
    wrapping = Wrapping(text, width)
    while not wrapping.done:
        wrapping.advance(100)
    offset = data.draw(st.integers(0, max(0, len(text) - 1)))
    row = wrapping.row_of(offset)
    assert row is not None
    start = wrapping.starts[row]
    after = wrapping.starts[row + 1] if row + 1 < wrapping.rows else len(text) + 1
    assert start <= offset < after


def test_wrapping_reads_only_as_far_as_it_is_asked_to() -> None:
    wrapping = Wrapping("word " * 1_000_000, 80)
    wrapping.advance(10)
    assert wrapping.rows == 10
    assert not wrapping.done
    assert wrapping.row_of(4_000_000) is None


def test_a_text_of_nothing_but_accents_does_not_stall() -> None:
    text = "e" + "\u0301" * 10_000
    rows = rows_of(text, 10)
    assert "".join(rows) == text
    assert len(rows) > 100


def test_fitting_end_never_cuts_a_family_apart() -> None:
    family = "👩\u200d👩\u200d👧"
    assert fitting_end(f"ab{family}", 0, 2 + len(family), 3) == 2


@given(TEXT.map(lambda text: text.replace("\n", "")), st.integers(1, 20))
def test_fit_cuts_to_the_width_and_says_so(text: str, width: int) -> None:
    short = fit(text, width)
    assert columns(short) <= width
    assert short == text or short.endswith("…")
