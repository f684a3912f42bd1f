"""Detectors of answers that were cut off."""

from __future__ import annotations

from collections.abc import Iterator

from rollscope.query.insights.findings.model import CannotKnow, Found, SplitData
from rollscope.query.insights.findings.rewards.reward_bands import top_paid
from rollscope.query.insights.findings.spans import end_of_response

#: A finding if the share of cut-off answers rises by this much, or reaches this much.
RISE, ALWAYS = 0.005, 0.01
#: Serious if the share reaches this much (miles warns at 25 %), or rises by this much.
SERIOUS_SHARE, SERIOUS_RISE = 0.25, 0.10


def truncated(data: SplitData) -> Iterator[Found]:
    """Answers are cut off."""
    if not data.has("status"):
        raise CannotKnow("no sample has a status")
    mask, known = data.equals("status", "truncated"), data.known("status")
    yield Found(
        kind="truncated",
        title="Answers are cut off",
        where='status = "truncated"',
        mask=mask,
        known=known,
        why="a limit stopped the generation",
        spans=lambda texts: [end_of_response(texts, "where it was cut off")],
        rise=RISE,
        always=ALWAYS,
        serious_share=SERIOUS_SHARE,
        serious_rise=SERIOUS_RISE,
    )


def truncated_rewarded(data: SplitData) -> Iterator[Found]:
    """Cut-off answers with a high reward."""
    if not data.has("status"):
        raise CannotKnow("no sample has a status")
    where, paid = top_paid(data)
    yield Found(
        kind="truncated_rewarded",
        title="Cut-off answers are rewarded",
        where=f'status = "truncated" and {where}',
        mask=data.equals("status", "truncated") & paid,
        known=data.known("status"),
        why="the answer was cut off, and its reward is in the top quarter of its environment's range",
        spans=lambda texts: [end_of_response(texts, "where it was cut off")],
        severity="medium",
    )
