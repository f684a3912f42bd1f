"""Which samples are asked for, as one value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rollscope.errors import UsageError
from rollscope.query.lists.sample_selection import SampleSelection


def test_the_field_of_an_order_is_named_without_its_direction() -> None:
    orders = [None, "reward", "-reward", "+metrics.kl", ""]
    assert [SampleSelection(sort=sort).sort_field for sort in orders] == ["", "reward", "reward", "metrics.kl", ""]


def test_one_question_is_one_key_whatever_its_order() -> None:
    first, second = SampleSelection(step=3, sort="reward"), SampleSelection(step=3, sort="-reward")
    assert first != second
    assert first.unsorted() == second.unsorted()
    assert len({first, second, SampleSelection(step=3, sort="reward")}) == 2
    assert first.unsorted() != SampleSelection(step=3, discarded=None)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"step": "12"}, "a step is a whole number, not '12'"),
        ({"step": 12.0}, "a step is a whole number, not 12.0"),
        ({"step": True}, "a step is a whole number, not True"),
        ({"discarded": "all"}, "discarded is False, True or None \\(all\\), not 'all'"),
        ({"step": 12, "steps": "10:20"}, "a step or a range of steps, not both"),
    ],
)
def test_a_question_that_would_find_nothing_or_something_else_is_a_wrong_call(
    asked: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        SampleSelection(**asked)


def test_a_step_from_a_column_of_numbers_is_a_step() -> None:
    assert SampleSelection(step=np.int64(3)) == SampleSelection(step=3)  # type: ignore[arg-type]  # of a column
