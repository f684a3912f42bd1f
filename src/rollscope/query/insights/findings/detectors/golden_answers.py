"""Detectors of rewards that contradict the golden answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.features.answers import answer_span
from rollscope.query.insights.findings.model import CannotKnow, Found, Mask, SplitData, env_filter, plain
from rollscope.query.insights.findings.rewards.reward_bands import top_paid
from rollscope.query.insights.findings.rewards.reward_parts import as_written, verdict_column
from rollscope.query.insights.findings.spans import end_of_response, one_span

#: Rewards follow the golden answers of an environment if they agree in at least this share of its samples, and in at least
#: this many samples.
AGREEMENT, MIN_JUDGED = 0.5, 4


def _where_golden_counts(data: SplitData, judged: Mask, wanted: Mask) -> Mask:
    """Rows of the environments in which most of the judged samples are as wanted, in the whole run, in its first steps or in
    its first third (the trouble may affect most samples later). Elsewhere the golden answer says nothing about the reward."""
    rows = np.zeros(len(data), dtype=bool)
    third = data.step_codes < max(1, len(data.step_numbers) // 3)
    for _, here in data.envs():
        for some in (here & judged, here & judged & data.first, here & judged & third):
            if some.sum() >= MIN_JUDGED and (wanted[some].mean()) >= AGREEMENT:
                rows |= here
    if not rows.any():
        raise CannotKnow("rewards do not follow the golden answers in any environment")
    return rows


def _env_clause(data: SplitData, rows: Mask) -> str:
    """A clause that selects the environments of these rows; empty if that is all of them."""
    envs = data.envs()
    names = [env for env, here in envs if (here & rows).any()]
    if len(names) == len(envs):
        return ""
    clauses = [env_filter(env, True) for env in names]
    return f" and ({' or '.join(clauses)})" if len(clauses) > 1 else f" and {clauses[0]}"


def rewarded_wrong(data: SplitData) -> Iterator[Found]:
    """High reward without the golden answer."""
    data.need("text.golden")
    where, paid = top_paid(data)
    known = data.known("text.golden")
    absent = data.equals("text.golden", "absent")
    counts = _where_golden_counts(data, known & paid, ~absent)
    yield Found(
        kind="rewarded_wrong",
        title="High reward without the golden answer",
        where=f'text.golden = "absent" and {where}{_env_clause(data, counts)}',
        mask=absent & paid & counts,
        known=known & counts,
        why="the reward is in the top quarter of its range, and the response does not contain the golden answer",
        spans=lambda texts: [answer_span(texts) or end_of_response(texts, "no answer")],
        severity="high",
    )


def _judged_right(data: SplitData) -> tuple[str, Mask]:
    """(clause that leaves them out, rows) of answers that the trainer itself took for right: their reward is low for something
    else, such as their form."""
    verdict = verdict_column(data)
    values = data.numbers(verdict) if verdict else np.zeros(0)
    if verdict is None or not np.nanmax(values) > np.nanmin(values):
        return "", np.zeros(len(data), dtype=bool)
    middle = (float(np.nanmax(values)) + float(np.nanmin(values))) / 2
    return f" and not {as_written(verdict)} > {plain(middle)}", values > middle


def unrewarded_right(data: SplitData) -> Iterator[Found]:
    """Low reward though the final answer matches the golden one."""
    data.need("text.golden")
    where, unpaid = top_paid(data, top=False)
    known = data.known("text.golden")
    equal = data.equals("text.golden", "equal")
    clause, judged_right = _judged_right(data)
    unpaid = unpaid & ~judged_right
    counts = _where_golden_counts(data, equal & np.isfinite(data.numbers("reward")), ~unpaid)
    yield Found(
        kind="unrewarded_right",
        title="Low reward though the final answer matches the golden one",
        where=f'text.golden = "equal" and {where}{clause}{_env_clause(data, counts)}',
        mask=equal & unpaid & counts,
        known=known & counts,
        why="the final answer equals the golden one, and the reward is in the lowest two fifths of its range",
        spans=one_span(answer_span),
        severity="medium",
    )
