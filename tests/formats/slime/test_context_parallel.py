"""Samples that several ranks hold a piece of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.opened import opened
from tests.formats.test_slime import record, save


def shard(path: Path, **columns: Any) -> None:
    save(path, {"rollout_id": 4, "rank": 0, "rollout_data": columns})


@pytest.mark.parametrize(("ranks", "copies"), [(2, 1), (2, 2), (4, 1)])
def test_what_context_parallelism_split_over_ranks_is_whole_again(tmp_path: Path, ranks: int, copies: int) -> None:
    tokens, length = list(range(23)), 17
    told = record(0, tokens=tokens, response_length=length)
    save(tmp_path / "rollout_data" / "4.pt", {"rollout_id": 4, "samples": [told], "metadata": {}})
    values = [-0.5 * place for place in range(length)]
    # As the trainer cuts: chunks of the padded sequence, of which a rank takes the nth from the front and from the back.
    shifted = [None] * (len(tokens) - length - 1) + values
    chunk = -(-len(tokens) // (2 * ranks))
    chunks = [shifted[at : at + chunk] for at in range(0, 2 * ranks * chunk, chunk)]
    for rank in range(ranks):
        mine = [value for value in chunks[rank] + chunks[2 * ranks - rank - 1] if value is not None]
        for copy in range(copies):
            path = tmp_path / "train_data" / f"4_{rank * copies + copy}.pt"
            shard(path, sample_indices=[0], tokens=[tokens], log_probs=[mine], advantages=[[0.25] * len(mine)])
    (sample,) = opened(tmp_path)
    assert sample.tokens is not None
    assert (sample.tokens.trainer_logprobs, sample.advantage) == (values, 0.25)
