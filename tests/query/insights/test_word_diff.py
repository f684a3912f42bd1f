"""Two texts as what they share and what only one of them has."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.insights import word_diff as word_diff_module
from rollscope.query.insights.word_diff import WordDiff, word_diff
from rollscope.query.insights.words import split_words

TEXTS = st.lists(st.sampled_from(["a ", "b ", "c\n", "数", "学", " ", "é", "\ud800", "👍 "]), max_size=14).map("".join)


def longest_common(a: list[str], b: list[str]) -> int:
    """By the definition, slowly."""
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, word in enumerate(a):
        for j, other in enumerate(b):
            best[i + 1][j + 1] = best[i][j] + 1 if word == other else max(best[i][j + 1], best[i + 1][j])
    return best[-1][-1]


def first(diff: WordDiff) -> str:
    return "".join(piece.text for piece in diff.pieces if piece.kind != "insert")


def second(diff: WordDiff) -> str:
    return "".join(piece.text for piece in diff.pieces if piece.kind != "delete")


def check_places(diff: WordDiff, a: str, b: str) -> None:
    for piece in diff.pieces:
        if piece.kind != "insert":
            assert a[piece.a : piece.a + len(piece.text)] == piece.text
        if piece.kind != "delete":
            assert b[piece.b : piece.b + len(piece.text)] == piece.text


@given(st.text())
def test_the_words_of_a_text_are_the_text(text: str) -> None:
    assert "".join(split_words(text)) == text


def test_scripts_without_spaces_are_cut_into_signs() -> None:
    assert split_words("答案是 four。") == ["答", "案", "是 ", "four。"]


@given(TEXTS, TEXTS)
def test_a_diff_gives_both_texts_and_shares_as_much_as_can_be_shared(a: str, b: str) -> None:
    diff = word_diff(a, b)
    assert (first(diff), second(diff)) == (a, b)
    check_places(diff, a, b)
    assert diff.equal_words == longest_common(split_words(a), split_words(b))
    assert diff.compared


@given(TEXTS, TEXTS, st.sampled_from([(4, 2, 1), (2, 1), (1,)]))
def test_texts_tied_together_at_any_sequence_give_both_texts(a: str, b: str, lengths: tuple[int, ...]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_diff_module, "EXACT_PAIRS", 0)
        patch.setattr(word_diff_module, "FAR_PAIRS", 4)
        patch.setattr(word_diff_module, "ANCHOR_WORDS", lengths)
        patch.setattr(word_diff_module._matches, "__defaults__", (lengths,))
        diff = word_diff(a, b)
    assert (first(diff), second(diff)) == (a, b)
    check_places(diff, a, b)
    assert diff.equal_words <= longest_common(split_words(a), split_words(b))
    assert diff.equal_words == sum(len(split_words(p.text)) for p in diff.pieces if p.kind == "equal")


def test_equal_texts_are_one_piece_and_empty_ones_none() -> None:
    assert [piece.kind for piece in word_diff("one two", "one two").pieces] == ["equal"]
    assert word_diff("", "").pieces == []


def test_one_changed_word_is_all_that_changed() -> None:
    pieces = word_diff("so x is 4 and done", "so x is 5 and done").pieces
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("equal", "so x is "),
        ("delete", "4 "),
        ("insert", "5 "),
        ("equal", "and done"),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_long_texts_are_tied_together_and_still_give_both_texts(seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = [f"w{number} " for number in range(400)]
    words = chance.choices(vocabulary, k=3_000)
    other = [word for word in words if chance.random() > 0.1]
    for _ in range(300):
        other.insert(chance.randrange(len(other)), chance.choice(vocabulary))
    a, b = "".join(words), "".join(other)
    diff = word_diff(a, b)
    assert (first(diff), second(diff)) == (a, b)
    check_places(diff, a, b)
    assert diff.equal_words >= 0.99 * longest_common(words, other)


def test_texts_too_long_to_compare_say_so_and_still_give_both_texts() -> None:
    a, b = "start " + "x y " * 20 + "end", "start " + "y x z " * 20 + "end"
    diff = word_diff(a, b, max_pairs=100)
    assert not diff.compared
    assert (first(diff), second(diff)) == (a, b)
    assert diff.equal_words == 2
