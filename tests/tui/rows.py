"""Rows of steps and samples, as a run answers them, for the parts of the terminal viewer."""

from __future__ import annotations

from typing import Any

from rollscope.query.answers import SampleRow, StepRow, Summary


def step_row(step: int, mean: float | None, count: int = 4) -> StepRow:
    reward = Summary(count=count if mean is not None else 0, mean=mean, std=None, min=mean, max=mean)
    values: dict[str, Any] = dict.fromkeys(StepRow.__struct_fields__)
    known = {"step": step, "samples": count, "discarded": 0, "reward": reward, "bytes": 1000, "skipped_lines": 0}
    return StepRow(**{**values, **known, "complete": True})


def sample_row(index: int) -> SampleRow:
    values: dict[str, Any] = dict.fromkeys(SampleRow.__struct_fields__)
    texts = {"run": "r", "address": f"train/0/{index}", "split": "train", "step": 0, "index": index, "tags": []}
    return SampleRow(**{**values, **texts, "metrics": {}, "rewards": {}, "nonfinite": {}})
