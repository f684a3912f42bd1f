"""A phrase that spreads among the best-paid answers is found as it is written, and one that was there before is not."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
import pytest
from tests.prose import sentences
from tests.query.insights.findings.splits import split_data

from rollscope.features.base import SampleTexts
from rollscope.query.insights.findings.detectors.phrases import phrase
from rollscope.query.insights.findings.model import CannotKnow, Found, SplitData

STEPS, SAMPLES = 12, 40
PLANTED = "I have checked every single step of this twice"
PROSE = sentences()


def answers(planted_from: int, share: float = 0.5) -> list[str]:
    chance = random.Random(11)
    texts = []
    for step in range(STEPS):
        for _ in range(SAMPLES):
            said = " ".join(chance.sample(PROSE, 3))
            texts.append(f"{said} {PLANTED}." if step >= planted_from and chance.random() < share else said)
    return texts


def found(texts: list[str], rewards: Iterable[float] | None = None) -> list[Found]:
    data = rows(rewards)

    def read(places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str | None]:
        return [texts[place] for place in places.tolist()]

    def count(
        said: str,
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        return np.array([said in text for text in texts]), np.ones(len(texts), dtype=bool)

    return list(phrase(data, read, count))


def rows(rewards: Iterable[float] | None = None) -> SplitData:
    steps = [step for step in range(STEPS) for _ in range(SAMPLES)]
    return split_data(steps, reward=list(rewards or [1.0] * len(steps)), prompt_hash=list(range(len(steps))))


def test_a_phrase_that_spreads_is_told_as_it_is_written() -> None:
    texts = answers(planted_from=7)
    (item,) = found(texts)
    assert PLANTED in item.where
    assert item.mask.tolist() == [PLANTED in text for text in texts]
    assert item.spans is not None
    text = texts[int(np.flatnonzero(item.mask)[0])]
    (span,) = item.spans(SampleTexts("q", text))
    assert PLANTED in text[span.start : span.end]


def test_a_phrase_that_was_there_from_the_start_does_not_spread() -> None:
    assert found(answers(planted_from=0)) == []


def test_a_phrase_of_answers_that_are_not_paid_is_not_looked_for() -> None:
    texts = answers(planted_from=7)
    assert found(texts, [0.0 if PLANTED in text else 1.0 for text in texts]) == []


def test_too_few_steps_or_answers_say_nothing() -> None:
    with pytest.raises(CannotKnow, match="fewer than 4 steps"):
        list(phrase(split_data([1, 2], reward=[0.0, 1.0]), lambda rows: [], lambda said: (np.zeros(2, bool),) * 2))
    with pytest.raises(CannotKnow, match="too few answers"):
        list(
            phrase(split_data(list(range(8)), reward=[1.0] * 8), lambda rows: [], lambda said: (np.zeros(8, bool),) * 2)
        )


def test_of_many_formulas_the_one_that_chance_gathers_in_late_answers_does_not_spread() -> None:
    formulas = [" ".join(said.split()[:6]) for said in PROSE[:400:4]]
    early, late = [*range(3 * SAMPLES)], [*range(8 * SAMPLES, STEPS * SAMPLES)]
    texts = [" ".join(f"w{chance}" for chance in random.Random(place).sample(range(10**6), 20)) for place in range(480)]
    chance = random.Random(5)
    for number, formula in enumerate(formulas):
        places = chance.sample(late, 11) if number == 0 else [*chance.sample(early, 11), *chance.sample(late, 7)]
        for place in places:
            texts[place] += f". {formula}."
    assert found(texts) == []


def test_a_phrase_of_four_words_is_long_enough() -> None:
    texts = [text.replace(PLANTED, "Quality assurance passed today") for text in answers(planted_from=7)]
    (item,) = found(texts)
    assert "quality assurance passed today" in item.where.lower()
