"""What is planted in the demo, from which step on, and that it is said."""

from __future__ import annotations

from rollscope.record.demo.story import (
    GAMING_FROM,
    PHRASE,
    PLANTED,
    README,
    STUCK_FROM,
    STUCK_RATE,
    gaming,
    report_remark,
    stuck,
)


def test_nothing_is_planted_before_its_step_and_more_and_more_after() -> None:
    assert (gaming(GAMING_FROM - 1), stuck(STUCK_FROM - 1)) == (0, 0)
    later = [gaming(step) for step in range(GAMING_FROM, GAMING_FROM + 30)]
    assert later == sorted(later)
    assert later[0] > 0
    assert later[-1] == 0.75
    assert stuck(STUCK_FROM) == STUCK_RATE


def test_the_report_of_a_step_says_what_is_planted_in_it() -> None:
    assert report_remark(GAMING_FROM - 1) is None
    phrase, both = report_remark(GAMING_FROM), report_remark(STUCK_FROM)
    assert phrase is not None
    assert both is not None
    assert PHRASE in phrase
    assert "loop" not in phrase
    assert "loop" in both


def test_the_readme_and_the_config_say_both() -> None:
    assert [item["from_step"] for item in PLANTED] == [GAMING_FROM, STUCK_FROM]
    for text in (PHRASE, f"step {GAMING_FROM}", f"step {STUCK_FROM}", "**planted**"):
        assert text in README
