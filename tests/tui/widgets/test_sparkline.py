"""The line of rewards over steps."""

from __future__ import annotations

from tests.tui.rows import step_row

from rollscope.tui.widgets.sparkline import bin_means


def test_a_bin_is_the_mean_of_its_samples_not_of_its_steps() -> None:
    assert bin_means([[step_row(0, 1.0, count=3), step_row(1, 0.0, count=1)], [step_row(2, None)]]) == [0.75, None]
