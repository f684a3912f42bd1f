"""What the trainer exported per token is joined by the token ids, and by nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fixtures import write_jsonl
from tests.formats.opened import opened


def episode(number: int, ids: list[int]) -> dict[str, Any]:
    nodes = [
        {"message": {"role": "user", "content": "q"}, "token_ids": ids[:2], "mask": [False, False]},
        {"parent": 0, "sampled": True, "message": {"role": "assistant", "content": "a"}, "token_ids": ids[2:],
         "mask": [False, True, True], "logprobs": [-0.5, -0.25]},
    ]  # fmt: skip
    trace = {"id": f"t{number}", "nodes": nodes, "rewards": {"ok": {"score": 1.0, "weight": 1.0}}, "ok": True}
    return {"id": f"e{number}", "env": {"id": "env"}, "task": {"data": {}}, "ok": True, "traces": [trace]}


def row(ids: list[int]) -> dict[str, Any]:
    values = [float(place) for place in range(len(ids))]
    return {
        "schema_version": 1,
        "token_ids": ids,
        "trainer_logprobs": values,
        "entropy": values,
        "advantages": [0.5] * len(ids),
    }


def test_a_sequence_is_joined_where_it_is_the_only_one(tmp_path: Path) -> None:
    ids = [[number, 1, 2, 3, 4] for number in range(3)]
    episodes = [episode(number, sequence) for number, sequence in enumerate(ids)]
    write_jsonl(tmp_path / "rollouts" / "step_4" / "train" / "all" / "traces.jsonl", episodes)
    write_jsonl(tmp_path / "token_exports" / "step_4" / "rank_0.jsonl", [row(ids[0]), row(ids[1])])
    write_jsonl(tmp_path / "token_exports" / "step_4" / "rank_1.jsonl", [row(ids[1]), row([9, 9])])
    found = [sample.tokens for sample in opened(tmp_path)]
    assert found[0] is not None
    assert (found[0].trainer_logprobs, found[0].entropy) == ([None, 3.0, 4.0], [None, 3.0, 4.0])
    assert (found[0].logprobs, found[0].advantage) == ([None, -0.5, -0.25], [None, 0.5, 0.5])
    # The second is in two rows, the third in none.
    assert [tokens.trainer_logprobs for tokens in found[1:] if tokens is not None] == [[], []]
