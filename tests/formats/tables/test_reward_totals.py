"""What rewards add up to where no total is written: as far as advantages allow."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rollscope.formats.tables.reward_totals import (
    Numbers,
    RewardReading,
    explained,
    floats_of,
    from_advantages,
    from_note,
    to_note,
)

NAMES = ("answer", "form")
GROUPS = np.repeat([0, 1, 2], 4)
ANSWER = np.array([1.0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1])
FORM = np.array([0.5, 0.5, 0, 0, 0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5])


def numbers(total: np.ndarray[tuple[int], np.dtype[np.float64]] | None) -> Numbers:
    """A file whose advantages are those of this total, as TRL makes them."""
    advantage = None
    if total is not None:
        advantage = np.concatenate(
            [(part - part.mean()) / (part.std(ddof=1) + 1e-4) for part in np.split(total, len(total) // 4)]
        )
    return Numbers(step=1, names=list(NAMES), values=[ANSWER, FORM], advantage=advantage, groups=GROUPS)


def test_advantages_that_agree_with_the_sum_prove_it() -> None:
    found = from_advantages(NAMES, [numbers(ANSWER + FORM)], named=True)
    assert (found.total, found.guessed) == ("sum", False)
    assert "the advantages agree" in found.why


def test_a_sum_that_the_advantages_contradict_is_not_shown() -> None:
    found = from_advantages(NAMES, [numbers(ANSWER - 3 * FORM)], named=True)
    assert (found.total, found.total_of([1.0, 0.5])) == ("unknown", None)


def test_without_advantages_the_sum_is_a_guess_and_one_reward_is_itself() -> None:
    assert from_advantages(NAMES, [numbers(None)], named=True).guessed
    alone = from_advantages(NAMES[:1], [numbers(None)], named=True)
    assert (alone.guessed, alone.why) == (False, "")


def test_the_spread_may_be_that_of_the_batch_or_none() -> None:
    total = ANSWER + FORM
    made = numbers(total)
    centred = total - np.repeat([part.mean() for part in np.split(total, 3)], 4)
    for advantage in (centred, centred / (total.std(ddof=1) + 1e-4)):
        made.advantage = advantage
        assert explained(made, total)
    made.advantage = advantage[::-1].copy()
    assert not explained(made, total)


@pytest.mark.parametrize(
    ("reading", "values", "total"),
    [
        (RewardReading(), [1.0, None, 0.5], 1.5),
        (RewardReading(), [None, math.nan], None),
        (RewardReading(total="weighted", weights=(2.0, 0.5)), [1.0, 1.0], 2.5),
        (RewardReading(total="unknown"), [1.0, 1.0], None),
    ],
)
def test_rewards_that_were_not_given_count_nothing(
    reading: RewardReading, values: list[float | None], total: float | None
) -> None:
    assert reading.total_of(values) == total


def test_a_reading_travels_with_its_source() -> None:
    reading = RewardReading(rewards=NAMES, total="weighted", weights=(1.0, 0.5), why="they are logged")
    assert from_note(to_note(reading)) == reading
    assert from_note("") == RewardReading()


def test_rows_that_no_function_scored_say_nothing_about_the_total() -> None:
    unscored = ANSWER.copy(), FORM.copy()
    for column in unscored:
        column[4:8] = np.nan
    made = Numbers(step=1, names=list(NAMES), values=list(unscored), advantage=np.zeros(12), groups=GROUPS)
    assert made.scored(NAMES).groups.tolist() == [0] * 4 + [2] * 4
    assert floats_of([1.0, None]).tolist()[0] == 1.0
