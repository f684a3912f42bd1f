"""Numbers of the recorded tokens: how sure the sampler was, and how far the trainer disagrees."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from rollscope.features.base import Feature, SampleTexts

#: A token is certain above this log-probability: 99 %.
CERTAIN = -0.01005


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and isfinite(value)]
    return sum(known) / len(known) if known else None


def entropy(texts: SampleTexts) -> float | None:
    return None if texts.tokens is None else _mean(texts.tokens.entropy)


def logprob(texts: SampleTexts) -> float | None:
    return None if texts.tokens is None else _mean(texts.tokens.logprobs)


def _ratios(texts: SampleTexts) -> list[float | None]:
    tokens = texts.tokens
    if tokens is None or not tokens.trainer_logprobs or len(tokens.trainer_logprobs) != len(tokens.logprobs):
        return []
    mask = tokens.mask if len(tokens.mask) == len(tokens.logprobs) else [1] * len(tokens.logprobs)
    return [
        abs(theirs - ours) if kept and ours is not None and theirs is not None else None
        for ours, theirs, kept in zip(tokens.logprobs, tokens.trainer_logprobs, mask)
    ]


def ratio(texts: SampleTexts) -> float | None:
    return _mean(_ratios(texts))


def ratio_max(texts: SampleTexts) -> float | None:
    known = [value for value in _ratios(texts) if value is not None and isfinite(value)]
    return max(known) if known else None


def confident_run(texts: SampleTexts) -> int | None:
    if texts.tokens is None or not texts.tokens.logprobs:
        return None
    best = run = 0
    for value in texts.tokens.logprobs:
        run = run + 1 if value is not None and value > CERTAIN else 0
        best = max(best, run)
    return best


FEATURES = tuple(
    Feature(name=name, type=kind, title=title, about=about, compute=compute, tokens=True)  # type: ignore[arg-type]
    for name, kind, title, about, compute in (
        ("token.entropy", "number", "Entropy", "Mean entropy of its tokens in nats, where recorded.", entropy),
        (
            "token.logprob",
            "number",
            "Log-probability",
            "Mean log-probability that the sampler gave its tokens.",
            logprob,
        ),
        (
            "token.ratio",
            "number",
            "Disagreement",
            "Mean |trainer − sampler| log-probability of the tokens that are not masked.",
            ratio,
        ),
        ("token.ratio_max", "number", "Greatest disagreement", "The greatest of them.", ratio_max),
        (
            "token.confident_run",
            "integer",
            "Confident run",
            "Longest run of tokens that the sampler was 99 % sure of.",
            confident_run,
        ),
    )
)
