"""Selections are made once for a state of the index."""

from __future__ import annotations

from typing import Any, cast

from rollscope.index.snapshot import Snapshot
from rollscope.query.lists.selection_cache import KEPT, SelectionCache


def state() -> Snapshot:
    return cast("Snapshot", object())


def test_a_selection_is_made_once_until_the_index_changes() -> None:
    selections, made = SelectionCache(), []

    def ask(snapshot: Snapshot, key: Any) -> int:
        return selections.get(snapshot, key, lambda: made.append(key) or len(made))  # type: ignore[func-returns-value]

    first, second = state(), state()
    assert [ask(first, "a"), ask(first, "b"), ask(first, "a")] == [1, 2, 1]
    assert ask(second, "a") == 3
    assert ask(first, "a") == 4, "of an older state nothing is kept"


def test_only_the_newest_few_are_kept() -> None:
    selections, snapshot = SelectionCache(), state()
    for number in range(KEPT + 1):
        selections.get(snapshot, number, lambda number=number: number + 1)  # type: ignore[misc]
    assert selections.get(snapshot, KEPT, lambda: -1) == KEPT + 1
    assert selections.get(snapshot, 0, lambda: -1) == -1
