"""Phrases that tell two sides apart: chosen in a first look, ranked over all texts."""

from __future__ import annotations

import random

import numpy as np
from tests.prose import sentences

from rollscope.query.insights.contrast.phrases import Phrase, PhraseChoice, choose, rank
from rollscope.query.insights.contrast.words import cut

PROSE = sentences()


def texts_of(
    planted: str, share: float, each: int = 120
) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """As many texts of either side; a share of the first side's have the words."""
    chance = random.Random(5)
    texts = [" ".join(chance.sample(PROSE, 2)) for _ in range(2 * each)]
    for place in range(each):
        if chance.random() < share:
            texts[place] += f" {planted}"
    return texts, np.arange(2 * each) < each


def ranked(planted: str, share: float, *, limit: int | None = None) -> tuple[list[Phrase], PhraseChoice]:
    texts, in_a = texts_of(planted, share)
    sizes = (int(in_a.sum()), int((~in_a).sum()))
    choice = choose(cut(texts), in_a, sizes)
    return rank(choice, choice.found, in_a, np.arange(len(texts)), sizes, limit), choice


def words(phrase: Phrase, said: str) -> bool:
    return phrase.words == tuple(cut([said]).hashes.tolist()[: len(phrase.words)])


def test_a_planted_phrase_comes_first_with_the_texts_that_hold_it() -> None:
    found, _ = ranked("quite remarkably so", 0.5)
    assert words(found[0], "quite remarkably so")
    assert (found[0].a, found[0].b) == (len(found[0].texts), 0)
    assert found[0].z > 4
    assert found[0].q < 0.001


def test_sides_that_differ_by_nothing_have_no_sure_phrases() -> None:
    found, choice = ranked("", 0.0)
    assert found == []
    assert choice.looked_at > 20


def test_words_of_few_prompts_are_less_sure() -> None:
    texts, in_a = texts_of("", 0.0)
    texts = [f"{text} quite remarkably so" if place < 60 else text for place, text in enumerate(texts)]
    sizes = (120, 120)
    choice = choose(cut(texts), in_a, sizes)
    prompts = np.arange(len(texts))
    alone = rank(choice, choice.found, in_a, prompts, sizes, None)
    together = rank(choice, choice.found, in_a, prompts // 60, sizes, None)
    assert alone[0].z > 4
    assert not together or together[0].z < alone[0].z / 2


def test_at_most_as_many_as_asked_for_are_told() -> None:
    assert len(ranked("quite remarkably so", 0.5, limit=1)[0]) == 1


def test_no_texts_have_no_phrases() -> None:
    choice = choose(cut([]), np.zeros(0, dtype=bool), (0, 0))
    assert (choice.words, choice.looked_at) == ([], 0)
