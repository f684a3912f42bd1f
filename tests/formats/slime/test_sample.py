"""A sample of slime, as its record says it."""

from __future__ import annotations

from pathlib import Path

from tests.formats.opened import opened, texts
from tests.formats.test_slime import record, save


def test_a_prompt_of_messages_and_metadata(tmp_path: Path) -> None:
    prompt = [{"role": "user", "content": "2 + 2?"}]
    told = record(
        0,
        prompt=prompt,
        response="4<|im_end|>",
        metadata={"turns": 3, "data_source": "maths"},
        weight_versions=["7", "8"],
    )
    save(tmp_path / "rollout_data" / "9.pt", {"rollout_id": 9, "samples": [told]})
    (sample,) = opened(tmp_path)
    assert texts(sample) == [("user", "2 + 2?"), ("assistant", "4<|im_end|>")]
    assert (sample.metrics, sample.dataset) == ({"turns": 3.0, "weight_version": 7.0}, "maths")
    # Weights are numbered from 1 and steps from 0, and a resumed run begins again at 1.
    assert (sample.sampling_step, sample.staleness) == (None, None)


def test_tokens_of_tools_are_not_the_model_s(tmp_path: Path) -> None:
    said = {"tokens": [1, 2, 3, 4, 5], "response_length": 4}
    told = [
        record(0, **said, loss_mask=[1, 0, 0, 1]),
        # Tokens of older weights may be masked as well: they were sampled.
        record(1, **said, loss_mask=[0, 0, 1, 1], rollout_log_probs=[-0.5, 0.0, -0.1, -0.2]),
        record(2, **said, loss_mask=[0, 0, 0, 0]),
        record(3, **said, loss_mask=None),
    ]
    save(tmp_path / "rollout_data" / "4.pt", {"rollout_id": 4, "samples": told, "metadata": {}})
    assert [sample.completion_tokens for sample in opened(tmp_path)] == [2, 3, 4, 4]
