"""Statistics of some steps put in place of older ones."""

from __future__ import annotations

from tests.index.statistics.test_summary import table

from rollscope.index.statistics.merging import LazyFields, cut_out, in_order, merge, only, without
from rollscope.index.statistics.summary import Statistics, decode_field, summarise


def statistics(*steps: tuple[str, int, float | None]) -> Statistics:
    return summarise(table([{"split": split, "step": step, "reward": reward} for split, step, reward in steps]))


def keys(of: Statistics) -> list[tuple[str, int]]:
    return [(step.split, step.step) for step in of.steps]


def rewards(of: Statistics) -> dict[tuple[str, int], float]:
    field = next((field for field in of.fields if field.name == "reward"), None)
    if field is None:
        return {}
    column = decode_field(field)
    return {keys(of)[step]: mean for step, mean in zip(column.step.tolist(), column.mean.tolist())}


OLD = statistics(("train", 1, 1.0), ("train", 2, 2.0), ("eval/a", 1, 5.0))


def test_newer_steps_take_the_place_of_older_ones_train_first() -> None:
    found = merge(OLD, statistics(("train", 2, 9.0), ("train", 0, 0.5), ("eval/b", 0, 7.0)))
    assert keys(found) == [("train", 0), ("train", 1), ("train", 2), ("eval/a", 1), ("eval/b", 0)]
    assert list(rewards(found).values()) == [0.5, 1.0, 9.0, 5.0, 7.0]


def test_a_step_that_lost_its_values_has_none_of_the_older_ones() -> None:
    found = merge(OLD, statistics(("train", 2, None)))
    assert rewards(found) == {("train", 1): 1.0, ("eval/a", 1): 5.0}


def test_steps_are_chosen_and_left_out_with_their_values() -> None:
    assert rewards(only(OLD, {("train", 2), ("train", 7)})) == {("train", 2): 2.0}
    assert rewards(without(OLD, {("train", 2)})) == {("train", 1): 1.0, ("eval/a", 1): 5.0}
    assert only(OLD, keys(OLD)) is OLD
    assert without(OLD, ()) is OLD
    assert keys(only(OLD, ())) == []
    ordered = in_order(OLD)
    assert in_order(ordered) is ordered


def test_a_stretch_of_steps_counts_from_its_own_beginning() -> None:
    ordered = in_order(OLD)
    assert rewards(cut_out(ordered, 1, 3)) == {("train", 2): 2.0, ("eval/a", 1): 5.0}
    assert cut_out(ordered, 3, 3).fields == []


def test_fields_of_stretches_are_joined_when_they_are_asked_for() -> None:
    ordered = in_order(OLD)
    fields = LazyFields([(0, cut_out(ordered, 0, 1).fields), (1, cut_out(ordered, 1, 3).fields)])
    assert "reward" in fields
    assert "none" not in fields
    assert list(fields) == [field.name for field in ordered.fields]
    assert (fields["reward"].step.tolist(), fields["reward"].mean.tolist()) == ([0, 1, 2], [1.0, 2.0, 5.0])
    assert fields["reward"] is fields["reward"]
