"""Which samples are asked for, as one value."""

from __future__ import annotations

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
