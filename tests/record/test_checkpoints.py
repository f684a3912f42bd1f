"""Checkpoints: the right one to go on from, and a loop state that comes back as it was saved."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.record.helpers import lines

from rollscope import record
from rollscope.record.checkpoints import pack, unpack


def test_a_line_has_the_page_s_keys(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.checkpoint(
            step=20, state_path="tinker://state/20", sampler_path="tinker://s/20", loop_state={"epoch": 1}, kind="x"
        )
    [line] = lines(tmp_path / "checkpoints.jsonl")
    assert line.pop("time") > 0
    assert line == {
        "name": "000020",
        "batch": 20,
        "state_path": "tinker://state/20",
        "sampler_path": "tinker://s/20",
        "loop_state": {"epoch": 1},
        "attempt": 0,
        "kind": "x",
    }


def test_the_last_one_with_a_state_that_still_exists(tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept.pt", tmp_path / "gone.pt"
    kept.touch()
    run = record.start(tmp_path / "run")
    run.checkpoint(step=10, state_path=kept, loop_state={"batch": 10})
    run.checkpoint(step=20, state_path=gone)
    run.checkpoint(step=30, sampler_path="tinker://sampler/30")
    found = run.resume()
    run.close()
    assert found is not None
    assert (found.batch, found.state_path, found.loop_state) == (10, str(kept), {"batch": 10})


def test_a_loop_state_that_cannot_come_back_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run = record.start(tmp_path / "run")
    run.checkpoint(step=1, state_path="s3://bucket/1", loop_state={"step": 1})
    run.checkpoint(step=2, sampler_path="s3://bucket/2", loop_state={"step": 2})
    assert not caplog.text
    run.checkpoint(step=3, loop_state={"step": 3})
    run.close()
    assert "no state_path: resume() will not return it" in caplog.text


def test_a_remote_state_is_taken_at_its_word(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.checkpoint(step=1, state_path="s3://bucket/1")
    found = record.last_checkpoint(tmp_path)
    assert found is not None
    assert found.state_path == "s3://bucket/1"


def test_a_relative_state_may_have_moved_with_the_run(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as run:
        run.checkpoint(step=1, state_path="weights/1.npz")
    (tmp_path / "run" / "weights").mkdir()
    (tmp_path / "run" / "weights" / "1.npz").touch()
    found = record.last_checkpoint(tmp_path / "run")
    assert found is not None
    assert found.state_path == str(tmp_path / "run" / "weights" / "1.npz")


def test_a_fresh_run_has_none(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        assert run.resume() is None


def test_half_a_line_and_rubbish_are_passed_over(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.checkpoint(step=1, state_path="s3://b/1")
    with open(tmp_path / "checkpoints.jsonl", "a") as file:
        file.write('not json\n[1]\n{"name": "000002", "state_path": "s3://b/2"')
    found = record.last_checkpoint(tmp_path)
    assert found is not None
    assert found.name == "000001"


def test_states_of_random_generators_come_back(tmp_path: Path) -> None:
    python, numpy = random.Random(3), np.random.default_rng(3)
    legacy = np.random.RandomState(3)
    state = {"python": python.getstate(), "numpy": numpy.bit_generator.state, "legacy": legacy.get_state()}
    with record.start(tmp_path) as run:
        run.checkpoint(step=1, state_path="s3://b/1", loop_state=state)
        expected = (python.random(), numpy.random(), legacy.rand())
        found = run.resume()
    assert found is not None
    again, np_again, legacy_again = random.Random(), np.random.default_rng(), np.random.RandomState()
    again.setstate(found.loop_state["python"])
    np_again.bit_generator.state = found.loop_state["numpy"]
    legacy_again.set_state(found.loop_state["legacy"])
    assert (again.random(), np_again.random(), legacy_again.rand()) == expected


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=8)
STATES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(STATES)
def test_a_state_comes_back_as_it_was(state: Any) -> None:
    assert unpack(pack(state)) == state


def test_nan_and_keys_that_look_like_ours_come_back() -> None:
    back = unpack(pack({"$tuple": [1], "x": math.nan}))
    assert back["$tuple"] == [1]
    assert math.isnan(back["x"])


def test_a_state_that_cannot_be_saved_hurts_nobody(tmp_path: Path) -> None:
    loop: list[Any] = []
    loop.append(loop)
    run = record.start(tmp_path)
    run.checkpoint(step=1, state_path="s3://b/1", loop_state={"loop": loop})
    run.checkpoint(step=2, state_path="s3://b/2", loop_state={"object": object()})
    run.close()
    assert run.errors == 1
    assert [line["batch"] for line in lines(tmp_path / "checkpoints.jsonl")] == [2]


def test_a_strict_run_raises(tmp_path: Path) -> None:
    loop: list[Any] = []
    loop.append(loop)
    with record.start(tmp_path, strict=True) as run, pytest.raises(record.RecordError):
        run.checkpoint(step=1, loop_state={"loop": loop})
