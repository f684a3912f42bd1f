"""A filter as a tree."""

from __future__ import annotations

from rollscope.query.language.ast import And, Comparison, Constant, Contains, FieldName, Flag, Not


def test_trees_are_equal_wherever_they_stand() -> None:
    here = Comparison(FieldName("reward", position=1, source="a"), "<", Constant(0.2, position=9))
    there = Comparison(FieldName("reward", position=5, source="b"), "<", Constant(0.2))
    assert here == there
    assert hash(here) == hash(there)
    assert And((here, Not(Flag(FieldName("discarded"))))) == And((there, Not(Flag(FieldName("discarded")))))
    assert Contains(FieldName("text"), "a", position=3) == Contains(FieldName("text"), "a")
    assert here != Comparison(FieldName("reward", "metrics"), "<", Constant(0.2))


def test_a_field_of_a_space_is_a_column_under_its_prefix() -> None:
    assert FieldName("correct", "metrics").column == "metrics.correct"
    assert FieldName("reward").column == "reward"
