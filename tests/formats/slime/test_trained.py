"""What slime trained on, beside what it sampled."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import copy_fixture, fixture_path
from tests.formats.opened import opened
from tests.formats.slime.test_context_parallel import shard
from tests.formats.test_slime import record, save

from rollscope.errors import NotFoundError
from rollscope.query.library import Library


def test_what_was_trained_later_is_joined_when_it_comes(tmp_path: Path) -> None:
    run = copy_fixture("slime", tmp_path)
    held = run / "train_data" / "1.pt"
    data = held.read_bytes()
    held.unlink()
    (opened_run,) = Library([run]).runs()
    assert {row.advantage for row in opened_run.samples(split="train", step=1).rows} == {None}
    held.write_bytes(data)
    opened_run.refresh()
    assert None not in {row.advantage for row in opened_run.samples(split="train", step=1).rows}


def test_what_was_trained_is_no_rollout_by_itself() -> None:
    with pytest.raises(NotFoundError):
        Library([fixture_path("slime") / "train_data"])


def test_what_each_rank_trained_is_joined_by_the_samples_it_names(tmp_path: Path) -> None:
    told = [record(0), record(1, tokens=[4, 5, 6]), record(1, tokens=[7, 8, 9]), record(3)]
    save(tmp_path / "rollout_data" / "4.pt", {"rollout_id": 4, "samples": told, "metadata": {}})
    half = {"sample_indices": [1, 0], "tokens": [[7, 8, 9], [1, 2, 3]], "loss_masks": [[1, 1], [1, 0]]}
    # The first stage of a pipeline knows no log-probabilities, and a part of a sequence is not all of it.
    shard(tmp_path / "train_data" / "4_0.pt", **half, raw_reward=[9.0] * 4)
    shard(
        tmp_path / "train_data" / "4_1.pt",
        **half,
        advantages=[[0.5, 0.5], [-0.5, 0.25]],
        log_probs=[[-0.1, -0.2], [-0.3]],
    )
    found = opened(tmp_path)
    assert [sample.advantage for sample in found] == [-0.5, None, 0.5, None]
    streams = [sample.tokens.trainer_logprobs for sample in found if sample.tokens is not None]
    assert streams == [[], [], [-0.1, -0.2], []]


def test_which_value_of_a_reward_was_taken_says_what_was_trained(tmp_path: Path) -> None:
    told = [record(0, reward={"acc": True, "score": 0.25}), record(1, reward={"acc": False, "length": 0.5})]
    save(tmp_path / "rollout_data" / "4.pt", {"rollout_id": 4, "samples": told})
    assert [sample.reward for sample in opened(tmp_path)] == [0.25, None]
    rows = [{"rollout_position": place, "loss_masks": [1, 1]} for place in range(2)]
    save(tmp_path / "train_data" / "4.pt", {"rollout_id": 4, "samples": rows, "raw_reward": [1.0, 0.0]})
    assert [sample.reward for sample in opened(tmp_path)] == [1.0, 0.0]
