"""What TRL's `trainer_state.json` says: which state is the newest, and which steps were evaluations."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from rollscope.formats.trl.state import STATE, TrainerState, checkpoint_steps, metric_rows, read_state, state_file
from rollscope.storage.memory import MemoryStore

_names = count()


def store_of(**files: dict[str, Any]) -> MemoryStore:
    """A store of `trainer_state.json` files: `own` is the run's, `at_20` the one of `checkpoint-20`."""
    paths = {name: STATE if name == "own" else f"checkpoint-{name[3:]}/{STATE}" for name in files}
    return MemoryStore.of(
        f"trl-state-{next(_names)}", {paths[name]: json.dumps(state).encode() for name, state in files.items()}
    )


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({}, None),
        ({"own": 30}, STATE),
        ({"at_9": 9, "at_20": 20}, f"checkpoint-20/{STATE}"),
        ({"own": 30, "at_20": 20}, STATE),
        ({"own": 30, "at_40": 40}, f"checkpoint-40/{STATE}"),
    ],
)
def test_the_newest_state_counts(files: dict[str, int], path: str | None) -> None:
    store = store_of(**{name: {"global_step": step, "log_history": []} for name, step in files.items()})
    assert state_file(store) == path
    assert checkpoint_steps(store) == sorted(step for name, step in files.items() if name != "own")


def test_numbers_are_kept_by_step_and_texts_are_not() -> None:
    history = [{"step": 1, "loss": 0.5, "note": "hm"}, {"loss": 2.0}, "torn", {"step": float("nan"), "loss": 1.0}]
    state = read_state(store_of(own={"log_history": history, "global_step": 1}), STATE)
    assert [(row.step, row.values) for row in metric_rows(state)] == [(1, {"loss": 0.5})]


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"log_history": 3}', b"\xff"])
def test_a_state_that_cannot_be_read_says_nothing(content: bytes) -> None:
    store = MemoryStore.of(f"trl-state-{next(_names)}", {STATE: content})
    assert read_state(store, STATE).entries == []
    assert read_state(store, None).entries == []


STATES = [(1, {"loss": 1.0}), (2, {"loss": 1.0}), (2, {"eval_maths_runtime": 3.0}), (4, {"eval_reward": 1.0})]


@pytest.mark.parametrize(("step", "split"), [(0, "eval"), (1, "train"), (2, "eval/maths"), (3, "train"), (4, "eval")])
def test_a_step_at_which_an_evaluation_was_logged_is_one(step: int, split: str) -> None:
    assert TrainerState(entries=STATES, last_step=4).split(step) == split


def test_a_step_that_is_not_logged_yet_is_an_evaluation_where_those_before_were() -> None:
    held = TrainerState(entries=STATES, last_step=4, eval_steps=2)
    assert (held.split(5), held.split(6)) == ("train", "eval")
    never = TrainerState(entries=STATES[:2], last_step=2, eval_steps=2)
    assert never.split(4) == "train", "eval_steps has a value also where nothing is evaluated"


def test_reward_functions_are_those_that_were_logged() -> None:
    entries = [(1, {"rewards/format/mean": 1.0, "rewards/format/std": 0.0}), (2, {"eval_rewards/answer/mean": 1.0})]
    assert TrainerState(entries=entries).rewards == {"format", "answer"}
