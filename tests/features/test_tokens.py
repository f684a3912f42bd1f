"""Numbers of recorded tokens: what is missing or masked does not count, and nothing is made up where nothing was recorded."""

from __future__ import annotations

from math import log, nan

import pytest

from rollscope.features.base import SampleTexts
from rollscope.features.tokens import confident_run, entropy, logprob, ratio, ratio_max
from rollscope.model import TokenArrays


def texts(**arrays: list[float | None]) -> SampleTexts:
    return SampleTexts("q", "a", tokens=TokenArrays(**arrays))  # type: ignore[arg-type]


def test_means_are_over_the_values_that_are_known() -> None:
    sample = texts(logprobs=[-1.0, None, -3.0], entropy=[0.5, nan, 1.5])
    assert (logprob(sample), entropy(sample)) == (-2.0, 1.0)


def test_tokens_that_are_masked_do_not_count_as_disagreement() -> None:
    sample = texts(logprobs=[-1.0, -1.0, -1.0], trainer_logprobs=[-1.5, -1.25, -9.0], mask=[1, 1, 0])
    assert (ratio(sample), ratio_max(sample)) == (0.375, 0.5)


def test_values_of_different_lengths_are_not_compared() -> None:
    assert ratio(texts(logprobs=[-1.0, -1.0], trainer_logprobs=[-1.0])) is None
    assert ratio_max(texts(logprobs=[-1.0])) is None


@pytest.mark.parametrize(
    ("shares", "run"), [([0.995, 0.999, 0.5, 0.999], 2), ([0.98, 0.5], 0), ([0.999, None, 0.999], 1)]
)
def test_a_confident_run_ends_at_a_token_below_99_percent_or_without_a_value(
    shares: list[float | None], run: int
) -> None:
    assert confident_run(texts(logprobs=[share and log(share) for share in shares])) == run


def test_a_sample_without_tokens_has_no_values() -> None:
    sample = SampleTexts("q", "a")
    assert [compute(sample) for compute in (entropy, logprob, ratio, ratio_max, confident_run)] == [None] * 5
