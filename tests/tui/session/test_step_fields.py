"""Fields of a step: those of the open sample, those that others of the step had, and those of the index."""

from __future__ import annotations

from typing import Any

from rollscope.model import Sample
from rollscope.tui.session.state import BrowserState
from rollscope.tui.session.step_fields import StepFields


def sample(step: int, **fields: Any) -> Sample:
    return Sample(address=f"train/{step}/0", split="train", step=step, **fields)


def test_fields_of_samples_that_were_opened_stay_while_one_is_in_their_step() -> None:
    fields = StepFields()
    fields.sample_opened("run", sample(0, reward=1.0, metrics={"rare": 1.0}))
    second = sample(0, reward=0.0, env="math")
    fields.sample_opened("run", second)
    names = fields.names(BrowserState(sample=second, fields=["metrics.correct", "offset"]))
    assert {"reward", "env", "metrics.rare", "metrics.correct"} <= {*names}
    assert names.index("env") < names.index("metrics.rare") < names.index("metrics.correct")
    assert "offset" not in names, "where a row lies is no field of a sample"
    assert len(names) == len(set(names))


def test_another_step_and_another_run_begin_anew() -> None:
    fields = StepFields()
    fields.sample_opened("run", sample(0, metrics={"rare": 1.0}))
    fields.sample_opened("run", sample(1))
    assert "metrics.rare" not in fields.names(BrowserState())
    fields.sample_opened("run", sample(1, metrics={"rare": 1.0}))
    fields.sample_opened("other", sample(1))
    assert "metrics.rare" not in fields.names(BrowserState())
