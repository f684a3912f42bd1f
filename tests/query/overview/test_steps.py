"""The steps of a split."""

from __future__ import annotations

import pytest
from tests.runs import relax_record

from rollscope.errors import NotFoundError
from rollscope.query.run import Run


def test_steps_have_their_rewards(run: Run) -> None:
    rows = run.steps("train").steps
    rewards = [relax_record(1, index)["reward"] for index in range(12)]
    assert rows[1].reward.mean == pytest.approx(sum(rewards) / 12)
    assert (rows[1].reward.min, rows[1].reward.max) == (min(rewards), max(rewards))
    assert [(row.samples, row.groups, row.discarded) for row in rows] == [(12, 3, 0)] * 3


def test_an_unknown_split_names_those_there_are(run: Run) -> None:
    with pytest.raises(NotFoundError, match="no split 'eval/x'") as caught:
        run.steps("eval/x")
    assert "train" in caught.value.hint
