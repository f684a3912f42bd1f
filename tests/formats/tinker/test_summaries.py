"""Numbers of rollout summaries: means over steps, totals, stop reasons, the age of weights."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.formats.data_tinker import (
    step,
    summary,
    write_iteration,
)
from tests.formats.rows_and_samples import only_run, opened
from tests.formats.test_tinker import one


def test_metrics_are_means_over_the_steps_that_emitted_them(tmp_path: Path) -> None:
    steps = [
        step(0, metrics={"seconds": 1.0, "once": True}),
        step(1, metrics={"seconds": 2.0, "both": 5}),
        step(2, metrics={"word": "text"}),
    ]
    sample = one(tmp_path, summary(0, 0, steps, metrics={"both": 7.0}))
    assert sample.metrics == {"seconds": 1.5, "once": 1.0, "both": 7.0}
    assert [turn.metrics for turn in sample.turns] == [{"seconds": 1.0, "once": 1.0}, {"seconds": 2.0, "both": 5.0}, {}]


def test_bare_nan_and_infinity_are_kept(tmp_path: Path) -> None:
    record = summary(0, 0, [step(reward=math.nan, metrics={"kl": math.inf}, logs={"x": math.nan})])
    sample = one(tmp_path, record)
    assert sample.reward is not None
    assert math.isnan(sample.reward)
    assert sample.metrics == {"kl": math.inf}
    assert sample.record["total_reward"] == "NaN"
    assert sample.turns[0].logs == {"x": "NaN"}


@pytest.mark.parametrize(
    ("lengths", "total"),
    [([(20, 5)], 25), ([(20, 5), (30, 5)], 35), ([(20, 5), (10, 5)], None), ([], None)],
    ids=["one turn", "growing", "a context that was cut", "no turn"],
)
def test_the_total_is_known_only_where_observations_hold_what_went_before(
    tmp_path: Path, lengths: list[tuple[int, int]], total: int | None
) -> None:
    sample = one(tmp_path, summary(0, 0, [step(i, ob=ob, ac=ac) for i, (ob, ac) in enumerate(lengths)]))
    assert sample.total_tokens == total
    assert sample.prompt_tokens == (20 if lengths else None)
    assert sample.completion_tokens == (5 * len(lengths) if lengths else None)


@pytest.mark.parametrize(
    ("reason", "status"),
    [("completed", "completed"), ("max_tokens", "truncated"), ("rollout_timeout", "aborted"), ("own_word", None)],
)
def test_the_stop_reason_is_in_the_last_steps_metrics(tmp_path: Path, reason: str, status: str | None) -> None:
    steps = [step(0, metrics={"stop/max_turns": 0.0}), step(1, metrics={f"stop/{reason}": 1.0})]
    sample = one(tmp_path, summary(0, 0, steps))
    assert (sample.stop_reason, sample.status) == (reason, status)


def test_how_the_last_answer_ended_is_the_stop_reason_where_no_metric_says_it(tmp_path: Path) -> None:
    cut = [{**step(0), "stop_reason": "stop"}, {**step(1), "stop_reason": "length"}]
    ended = [{**step(0, metrics={"stop/max_turns": 1.0}), "stop_reason": "stop"}]
    write_iteration(tmp_path, [summary(0, 0, cut), summary(0, 1, ended)])
    found = opened(only_run(tmp_path))
    assert [(row.stop_reason, row.status) for row, _ in found] == [("length", "truncated"), ("max_turns", "truncated")]
    assert [turn.stop_reason for turn in found[0][1].turns] == ["stop", "length"]


def test_staleness_is_the_age_of_the_weights(tmp_path: Path) -> None:
    assert one(tmp_path, summary(0, 0, [step()], iteration=7, sampled=5)).staleness == 2
