"""The same text again, or nearly, within a group."""

from __future__ import annotations

import random

import numpy as np
import pytest

from rollscope.features.base import GroupSketches, SampleTexts
from rollscope.features.batches import text_scan
from rollscope.features.siblings import FEATURES

COPIES, SIMILAR, ALIKE = FEATURES


def of(*responses: str | None) -> tuple[list[int | None], list[float | None]]:
    texts = [SampleTexts("q", response) for response in responses]
    return (
        list(COPIES.combine([COPIES.compute(text) for text in texts])),
        list(SIMILAR.combine([SIMILAR.compute(text) for text in texts])),
    )


def test_white_space_and_case_aside_the_same_text_is_a_copy() -> None:
    copies, similar = of("The answer is 4.", "the  answer\nis 4.", "No idea at all.", None)
    assert copies == [1, 1, 0, None]
    assert similar == [1.0, 1.0, 0.0, None]


def test_similarity_estimates_the_share_of_common_3_grams() -> None:
    words = [f"word{i}" for i in range(400)]
    other = [*words[:380], *(f"new{i}" for i in range(20))]
    a, b = set(zip(words, words[1:], words[2:])), set(zip(other, other[1:], other[2:]))
    _, similar = of(" ".join(words), " ".join(other), "nothing in common with these two here")
    assert similar[0] == pytest.approx(len(a & b) / len(a | b), abs=0.2)
    assert similar[2] == 0.0


def test_a_sample_alone_has_no_sibling_to_be_similar_to() -> None:
    assert of("one") == ([0], [None])


def test_a_group_of_thousands_is_compared() -> None:
    copies, similar = of(*(f"answer number {i % 700} of all" for i in range(1500)))
    assert min(value for value in copies if value is not None) == 1
    assert all(value == 1.0 for value in similar)


@pytest.mark.parametrize("compiled", [True, False])
def test_many_groups_at_once_have_the_values_of_each_by_itself(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    words = [f"word{i}" for i in range(40)]
    said = ["", "one", "two words", *(" ".join(words[: chance.randint(3, 40)]) for _ in range(20))]
    groups = [chance.choices(said, k=size) for size in (3, 3, 4, 8, 8, 64, 70, 2, 1)]
    if not compiled:
        monkeypatch.setattr(text_scan, "compiled", lambda: None)
    for feature in FEATURES:
        sketches = [[feature.compute(SampleTexts("q", text)) for text in group] for group in groups]
        assert feature.combine_groups is not None
        joined = np.frombuffer(b"".join(sketch for group in sketches for sketch in group), dtype=np.uint8)
        starts = np.cumsum([0, *map(len, groups)])
        values = feature.combine_groups(GroupSketches(joined.reshape(int(starts[-1]), -1), starts))
        alone = [value for group in sketches for value in feature.combine(group)]
        assert [None if value != value else value for value in list(values)] == alone


def test_texts_in_which_one_word_of_twenty_differs_are_alike() -> None:
    chance = random.Random(8)
    words = [f"word{i}" for i in range(300)]
    near = [" ".join(f"other{chance.random()}" if chance.random() < 0.03 else word for word in words) for _ in range(8)]
    apart = [" ".join(chance.choices(words, k=300)) for _ in range(8)]
    assert min(ALIKE.combine([ALIKE.compute(SampleTexts("q", text)) for text in near])) > 0.5
    assert max(ALIKE.combine([ALIKE.compute(SampleTexts("q", text)) for text in apart])) == 1 / 8
