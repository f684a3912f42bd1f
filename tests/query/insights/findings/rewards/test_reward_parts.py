"""What a reward is made of, as different trainers name it, and which value says whether an answer is right."""

from __future__ import annotations

from typing import Any

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.query.insights.findings.model import SplitData
from rollscope.query.insights.findings.rewards.reward_parts import as_written, parts_of_reward, verdict_column


def data(*columns: str) -> SplitData:
    values: dict[str, Any] = {name: [0.0, 1.0] for name in columns}
    return split_data([1, 1], **values)


@pytest.mark.parametrize(
    ("columns", "parts"),
    [
        (["rewards__format", "rewards__total", "metrics__reward/other"], {"rewards.format": "format"}),
        (["metrics__reward/format"], {"metrics.reward/format": "format"}),
        (["metrics__reward_components/format"], {"metrics.reward_components/format": "format"}),
        (["metrics__format_reward", "metrics__length"], {"metrics.format_reward": "format"}),
        (["metrics__reward_format"], {"metrics.reward_format": "format"}),
        (["metrics__reward_total"], {}),
    ],
)
def test_components_are_known_by_their_names(columns: list[str], parts: dict[str, str]) -> None:
    assert parts_of_reward(data(*columns)) == parts


def test_a_component_that_no_sample_has_is_none() -> None:
    assert parts_of_reward(split_data([1], rewards__format=[None])) == {}


def test_a_recorded_verdict_comes_before_a_component_of_that_name() -> None:
    both = data("metrics__correct", "metrics__reward/accuracy")
    assert verdict_column(both) == "metrics.correct"
    part = data("metrics__reward/correct")
    assert verdict_column(part) == "metrics.reward/correct"
    assert verdict_column(split_data([1], metrics__length=[1.0])) is None


def test_a_column_is_written_as_a_filter_names_it() -> None:
    assert as_written("rewards.format") == "rewards.format"
    assert as_written("metrics.a b") == 'metrics."a b"'
