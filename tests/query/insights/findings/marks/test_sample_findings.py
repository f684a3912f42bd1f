"""What findings say of single samples: the very characters, and evidence with its words."""

from __future__ import annotations

from pathlib import Path

import pytest

import rollscope
from rollscope.query.run import Run


def test_a_sample_s_findings_name_the_very_characters_in_part_and_raw_text(flattered: Run) -> None:
    flattered.findings_report()
    answer = flattered.sample_findings("train/8/4")
    span = next(item for item in answer.findings if item.kind == "phrase").spans[0]
    sample = flattered.sample("train/8/4")
    shown = "".join(
        sample.messages[place.message].parts[place.part].text[place.start : place.end] for place in span.parts
    )
    assert span.raw is not None
    assert shown == flattered.raw("train/8/4")[span.raw[0] : span.raw[1]] == span.value
    assert "careful examiners" in shown
    assert not [item for item in flattered.sample_findings("train/2/4").findings if item.kind == "phrase"]


def test_a_finding_that_is_gone_is_said_to_be_gone(flattered: Run) -> None:
    with pytest.raises(rollscope.errors.NotFoundError, match="no finding loop"):
        flattered.finding_detail("train", "loop", "text.loop > 7")


def test_a_sample_says_whether_its_findings_come_by_themselves(flattered: Run, tmp_path: Path) -> None:
    def known(**features: bool) -> tuple[bool, bool]:
        run = rollscope.open(flattered.path, index_dir=str(tmp_path))
        run.background_features = features["background"]
        answer = run.sample_findings("train/8/4")
        return answer.ready, answer.coming

    assert known(background=True) == (False, True)
    assert known(background=False) == (False, False)
