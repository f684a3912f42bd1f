"""Which calls of ms-swift's log were evaluations, and which attempt of a resumed run wrote a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count

import pytest

from rollscope.formats.ms_swift.log_calls import LOG, attempts, calls_of, evaluated, step_of_progress
from rollscope.storage.memory import MemoryStore

COMPLETIONS = "completions.jsonl"
_names = count()


def store_of(log: Iterable[dict[str, object]], steps: Iterable[int] = (), text: str = "a") -> MemoryStore:
    lines = "".join(json.dumps({"step": [str(step)], "completion": [text]}) + "\n" for step in steps)
    rows = "".join(json.dumps(row) + "\n" for row in log)
    return MemoryStore.of(f"ms-swift-{next(_names)}", {LOG: rows.encode(), COMPLETIONS: lines.encode()})


def logged(step: int, name: str) -> dict[str, object]:
    return {name: 1.0, "global_step/max_steps": f"{step}/3"}


def offsets(store: MemoryStore) -> list[int]:
    lines = store.read(COMPLETIONS).splitlines(keepends=True)
    return [sum(map(len, lines[:place])) for place in range(len(lines))]


@pytest.mark.parametrize(("value", "step"), [("12/300", 12), ("7", 7), ("x/3", None), (None, None)])
def test_the_step_is_the_part_that_is_done(value: object, step: int | None) -> None:
    assert step_of_progress(value) == step


def test_a_call_with_values_of_an_evaluation_was_one() -> None:
    found = calls_of(store_of([logged(1, "loss"), logged(2, "loss"), logged(2, "eval_loss"), {"global_step": 3}]))
    assert (found.kinds, found.restarts) == ({1: [False], 2: [False, True]}, ())


def test_the_last_call_that_is_written_again_at_the_end_is_of_the_same_kind() -> None:
    found = calls_of(store_of([logged(3, "eval_loss"), logged(3, "train_runtime")]))
    assert found.kinds == {3: [True, True]}


def test_without_a_log_nothing_is_known() -> None:
    assert calls_of(MemoryStore.of("ms-swift-none", {})).kinds == {}


@pytest.mark.parametrize("text", ["a", "a" * 300_000], ids=["short", "longer than a block"])
def test_lines_in_the_middle_of_a_file_are_told_by_the_calls_before_them(text: str) -> None:
    log = [logged(1, "loss"), logged(2, "loss"), logged(2, "eval_loss"), logged(3, "loss")]
    store = store_of(log, [1, 2, 2, 3], text)
    lines = list(zip(offsets(store), [1, 2, 2, 3]))
    calls = calls_of(store)
    assert evaluated(store, COMPLETIONS, calls, lines) == {lines[2][0]}
    assert evaluated(store, COMPLETIONS, calls, lines[2:]) == {lines[2][0]}
    assert evaluated(store, COMPLETIONS, calls, lines[3:]) == set()


@pytest.mark.parametrize("text", ["a", "a" * 300_000], ids=["short", "longer than a block"])
def test_steps_that_begin_again_are_another_attempt(text: str) -> None:
    steps = [1, 2, 3, 2, 3, 1]
    store = store_of([logged(step, "loss") for step in steps], steps, text)
    assert calls_of(store).restarts == ((2, 0), (1, 0))
    assert attempts(store, COMPLETIONS, calls_of(store), offsets(store)) == [0, 0, 0, 1, 1, 2]


def test_a_step_that_was_trained_twice_in_a_row_was_resumed_at() -> None:
    """With an evaluation after each: the lines of both attempts stand next to one another."""
    names = ["loss", "loss", "eval_loss", "loss", "eval_loss", "loss", "train_runtime"]
    steps = [2, 3, 3, 3, 3, 4, 4]
    store = store_of([logged(step, name) for step, name in zip(steps, names)], steps)
    calls = calls_of(store)
    assert calls.restarts == ((3, 2),)
    assert attempts(store, COMPLETIONS, calls, offsets(store)) == [0, 0, 0, 1, 1, 1, 1]
    lines = list(zip(offsets(store), steps))
    assert evaluated(store, COMPLETIONS, calls, lines) == {lines[2][0], lines[4][0]}


def test_a_run_that_was_never_resumed_has_one_attempt() -> None:
    store = store_of([logged(1, "loss")], [1])
    assert attempts(store, COMPLETIONS, calls_of(store), [0]) is None
