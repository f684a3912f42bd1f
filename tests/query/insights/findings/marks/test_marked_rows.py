"""Marks in lists and curves of reward are those of the finding's own filter."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.marks.conftest import SAID

from rollscope.query.run import Run


def test_marks_of_a_step_are_the_samples_of_the_finding_s_filter(flattered: Run) -> None:
    report = flattered.findings_report()
    marks = flattered.finding_marks("train", [*range(12), 2**31, 10**30])
    assert marks.ready
    assert [item.where for item in marks.findings] == [item.where for item in report.findings]
    marked = {(step.step, sample): found for step in marks.steps for sample, found in zip(step.samples, step.findings)}
    for number, finding in enumerate(report.findings):
        meant = {(row.step, row.index) for row in flattered.samples(split=finding.split, where=finding.where)}
        assert {place for place, found in marked.items() if number in found} == meant


def test_rewards_with_and_without_a_finding_are_means_of_its_samples_and_the_others(flattered: Run) -> None:
    finding = next(item for item in flattered.findings_report().findings if item.kind == "phrase")
    detail = flattered.finding_detail(finding.split, finding.kind, finding.where)
    assert len(detail.rewards) == 12
    before, after = detail.rewards[5], detail.rewards[6]
    assert (before.samples, before.judged, before.reward) == (0, 16, None)
    assert (after.samples, after.judged, after.reward) == (4, 16, 1.0)
    assert after.reward_others == pytest.approx((0.1 + 0.2 + 0.3) / 3)
    assert all(
        seen.text == seen.before + seen.text + seen.after or SAID.strip() in seen.text for seen in detail.evidence
    )
