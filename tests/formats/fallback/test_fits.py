"""Which values a field may have, whatever its key is called."""

from __future__ import annotations

from typing import Any

import pytest

from rollscope.formats.fallback.fits import fits, is_group, is_ids, kind_of_samples


@pytest.mark.parametrize(
    ("field", "key", "values", "fitting"),
    [
        ("step", "step", [1, 2], True),
        ("step", "rollout_id", [3, 3, 4], True),
        ("step", "rollout_id", [0, 1, 2], False),
        ("step", "rollout_id", [0, 1, 0], False),
        ("step", "epoch", [0, 0, 1], True),
        ("reward", "correct", [True, False], True),
        ("reward", "correct", [3], False),
        ("reward", "acc", [0.5], True),
        ("reward", "score", ["N/A", 1.0], True),
        ("prompt", "prompt", [12], False),
        ("split", "type", ["train", "eval"], True),
        ("split", "type", ["rollout", "rollout"], False),
        ("split", "split", ["math"], False),
        ("split", "is_train", [True], True),
    ],
)
def test_a_name_alone_does_not_make_a_field(field: str, key: str, values: list[Any], fitting: bool) -> None:
    assert fits(field, key, values) is fitting


def test_ids_are_whole_numbers() -> None:
    assert [is_ids(value) for value in ([1, 2], [], [1.0], [True], "12")] == [True, False, False, False, False]


def test_a_name_that_every_sample_has_for_itself_is_no_group() -> None:
    rows = [{"id": n, "task_id": n, "prompt": "q"} for n in range(3)]
    assert not is_group(rows, "id", "prompt")
    assert not is_group(rows, "task_id", "prompt")
    assert is_group([*rows, rows[0]], "task_id", "prompt")
    steps = [{**row, "step": step} for step in (1, 2) for row in rows]
    assert not is_group(steps, "id", "prompt", "step"), "names begin again with each step"


def test_what_records_with_texts_call_themselves() -> None:
    rows: list[dict[str, Any]] = [{"event": "rollout", "out": "a"}, {"event": "metrics", "reward": 1.0}]
    assert kind_of_samples(rows, {"response": "out"}) == ("event", "rollout")
    assert kind_of_samples([{"out": "a"}], {"response": "out"}) == ()
