"""The report of docs/insights.md in small: one run each of troubles that are told by different means."""

from __future__ import annotations

import pytest
from bench.insight_report.measured import clean, measure
from bench.insight_report.troubles import TROUBLES
from bench.insight_report.troubles.trouble import Trouble

CHOSEN = (
    "`loop`",
    "`language`: within Latin letters",
    "`rewarded_wrong`",
    "`tool_errors`: in messages",
    "`zero_variance`: all right",
)
#: (what, run) that were once missed: few long duplicates, a component that rises from step 3 on.
ONCE_MISSED = (("`duplicate`", 1), ("`component`", 2))


@pytest.mark.parametrize("trouble", [item for item in TROUBLES if item.label in CHOSEN], ids=lambda item: item.label)
def test_a_planted_trouble_is_found(trouble: Trouble) -> None:
    outcome = measure(trouble, seed=3)
    assert outcome.precision >= 0.95, outcome
    assert outcome.recall >= 0.9, outcome


@pytest.mark.parametrize(("label", "seed"), ONCE_MISSED)
def test_what_is_rare_or_begins_early_is_found(label: str, seed: int) -> None:
    outcome = measure(next(item for item in TROUBLES if item.label == label), seed)
    assert outcome.precision >= 0.8, outcome
    assert outcome.recall >= 0.9, outcome


def test_a_clean_run_has_nothing_serious() -> None:
    outcome = clean(3)
    assert outcome.serious == []
    assert sum(outcome.found.values()) <= outcome.samples / 100, outcome


def test_every_kind_can_be_planted() -> None:
    from rollscope.query.insights.findings.find import detectors

    planted = {item.kind.partition(":")[0] for item in TROUBLES}
    assert planted >= {name for name in detectors().by_name if not name.startswith("test_")}
