"""The hint for a name that does not exist."""

from __future__ import annotations

from rollscope.query.language.did_you_mean import nearest


def test_like_names_come_first() -> None:
    assert nearest("rewrd", ["advantage", "reward", "step"]) == "did you mean reward?"


def test_where_nothing_is_alike_some_are_named_with_their_number() -> None:
    names = [f"metric{number}" for number in range(9)]
    assert nearest("zzz", names) == "there are 9 of them, for example metric0, metric1, metric2, metric3, metric4"


def test_where_there_are_none_that_is_said() -> None:
    assert nearest("a", []) == "there are none"
