"""Counting phrases of many texts, against sets of tuples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.insights.contrast import ngrams
from rollscope.query.insights.contrast.ngrams import (
    LONGEST,
    as_matrix,
    find_phrases,
    levels,
    occurrences,
    wanted_phrases,
)
from rollscope.query.insights.contrast.words import cut

TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=14).map(" ".join), min_size=1, max_size=12)
Phrase = tuple[str, ...]


def phrases_of(text: str) -> set[Phrase]:
    said = text.split()
    return {tuple(said[at : at + size]) for size in range(1, LONGEST + 1) for at in range(len(said) - size + 1)}


@given(TEXTS, st.integers(0, 12), st.tuples(st.integers(1, 4), st.integers(1, 4)), st.booleans())
def test_counts_are_those_of_sets_of_phrases(
    texts: list[str], in_a: int, fewest: tuple[int, int], halves: bool
) -> None:
    held = [Counter(phrase for text in side for phrase in phrases_of(text)) for side in (texts[:in_a], texts[in_a:])]
    enough = {phrase for phrase in {*held[0], *held[1]} if held[0][phrase] >= fewest[0] or held[1][phrase] >= fewest[1]}
    words = cut(texts)
    said = [word for text in texts for word in [*text.split(), ""]]
    found: dict[Phrase, tuple[int, int]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "FEW", 0 if halves else 1_000_000)
        for level in levels(words, np.arange(len(texts)) < in_a, fewest):
            places = occurrences(level, level.hashes, words)
            for number, (a, b) in enumerate(zip(level.a.tolist(), level.b.tolist())):
                place = int(places.places[np.searchsorted(places.phrases, number)])
                found[tuple(said[place : place + level.length])] = (a, b)
    assert found == {phrase: (held[0][phrase], held[1][phrase]) for phrase in enough}


@given(TEXTS, TEXTS)
def test_phrases_are_found_in_the_texts_that_hold_them_at_their_first_place(some: list[str], texts: list[str]) -> None:
    asked = sorted({phrase for text in some for phrase in phrases_of(text)})
    hashes = {sign: int(cut([sign]).hashes[0]) for sign in "abcd"}
    wanted = wanted_phrases(as_matrix([tuple(hashes[word] for word in phrase) for phrase in asked]))
    words = cut(texts)
    starts = np.concatenate([[0], np.flatnonzero(words.hashes == 0) + 1]).tolist()
    found = find_phrases(words, wanted)
    expected = []
    for number, phrase in enumerate(asked):
        for text, said in enumerate(map(str.split, texts)):
            places = [at for at in range(len(said)) if tuple(said[at : at + len(phrase)]) == phrase]
            expected += [(number, text, starts[text] + place) for place in places[:1]]
    assert list(zip(found.phrases.tolist(), found.texts.tolist(), found.places.tolist())) == expected
