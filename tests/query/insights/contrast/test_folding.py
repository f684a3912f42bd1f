"""Of phrases that say the same one is shown, the longest; others stand for themselves."""

from __future__ import annotations

import numpy as np

from rollscope.query.insights.contrast.folding import Candidate, fold, typical

#: 40 texts of a, then 40 of b.
IN_A = np.arange(80) < 40
SIZES = (40, 40)


def phrase(number: int, words: tuple[int, ...], texts: range, *, z: float = 5.0, place: int = 0) -> Candidate:
    held = np.array(texts, dtype=np.int64)
    return Candidate(number, words, z, held, held, np.full(len(held), place))


def test_a_phrase_is_shown_as_the_longest_that_the_same_texts_hold() -> None:
    parts = [phrase(0, (1, 2), range(30), z=6), phrase(1, (1, 2, 3), range(29)), phrase(2, (2, 3), range(30), place=1)]
    assert fold(parts, IN_A, SIZES, None) == [1]


def test_a_longer_one_that_few_of_its_texts_hold_does_not_stand_for_it() -> None:
    assert fold([phrase(0, (1, 2), range(30), z=6), phrase(1, (1, 2, 3), range(10))], IN_A, SIZES, None) == [0]


def test_a_word_that_is_typical_because_of_a_phrase_is_shown_as_the_phrase() -> None:
    in_a = np.arange(400) < 200
    held = np.r_[0:54, 200:210]
    word = Candidate(0, (3,), 5.6, held, held, np.full(len(held), 2))
    parts = [word, phrase(1, (2, 3, 4), range(44), z=5.5), phrase(2, (1, 2, 3, 4), range(43), z=5.4)]
    assert fold(parts, in_a, (200, 200), None) == [2]
    assert fold([word, phrase(1, (2, 3, 4), range(12), z=3)], in_a, (200, 200), None) == [0]


def test_phrases_without_a_word_in_common_in_other_places_are_two() -> None:
    far = [phrase(0, (1, 2), range(30)), phrase(1, (7, 8), range(30), place=50)]
    assert fold(far, IN_A, SIZES, None) == [0, 1]
    beside = [phrase(0, (1, 2), range(30)), phrase(1, (7, 8), range(30), place=2)]
    assert fold(beside, IN_A, SIZES, None) == [0], "parts of one phrase that is longer than any looked for"


def test_phrases_of_either_side_are_never_one() -> None:
    sides = [phrase(0, (1, 2), range(30)), phrase(1, (1, 2, 3), range(45, 75), z=-5.0)]
    assert fold(sides, IN_A, SIZES, None) == [0, 1]


def test_so_many_are_shown_and_those_that_say_the_same_do_not_count() -> None:
    same = [phrase(0, (1, 2), range(30)), phrase(1, (2, 3), range(30), place=1), phrase(2, (7, 8), range(30), place=50)]
    assert fold(same, IN_A, SIZES, 2) == [0, 2]
    assert fold(same, IN_A, SIZES, 1) == [0]


def test_the_surest_come_first_and_of_equals_the_longest() -> None:
    assert typical(np.array([1.0, -3.0, 3.0]), np.array([2, 2, 4])).tolist() == [2, 1, 0]
