"""Findings as text for the terminal: one row each, and what is known of one."""

from __future__ import annotations

from rollscope.query.answers import Progress
from rollscope.query.insights.features import FeatureReport
from rollscope.query.insights.findings.marks.sample_findings import SampleFinding
from rollscope.query.insights.findings.model import Evidence, Finding, FindingsReport, Unknown
from rollscope.tui.text.document import Document
from rollscope.tui.text.findings import COLUMNS, finding_document, finding_pieces, findings_fact, waiting_document


def finding(split: str = "train", onset: tuple[int, int] | None = (12, 14), **evidence: str) -> Finding:
    seen = {"address": "train/20/2", "field": "response", "value": "and so on", **evidence}
    return Finding(
        run="r",
        split=split,
        kind="loop",
        title="Answers end in a\nloop",
        severity="high",
        samples=36,
        share=0.125,
        baseline=0.0,
        latest=0.2,
        first_step=12,
        onset=onset,
        rate=[],
        reward=0.75,
        reward_others=None,
        where="text.loop > 0",
        seen="the end repeats",
        why="the end repeats: 12.5 %",
        evidence=[Evidence(start=0, end=9, **seen)] * 5,
    )


def report(*findings: Finding) -> FindingsReport:
    unknown = [Unknown(split="train", kind="stale", reason="no sample records it")]
    return FindingsReport(
        run="r", findings=list(findings), samples=2144, kinds=["loop", "stale"], looked_for={}, unknown=unknown
    )


def text(document: Document) -> str:
    return "\n".join(
        line for block in document.blocks for line in (block.title, block.label + (block.text or "")) if line
    )


def test_a_row_has_its_numbers_below_their_headings() -> None:
    row = "".join(piece for piece, _ in finding_pieces(finding()))
    for heading, value in (("severity", "high"), ("began at", "12 to 14"), ("what", "Answers end in a loop")):
        assert row[COLUMNS.index(heading) :].startswith(value)
    for heading, value in (("share", "12.5%"), ("reward", "0.75")):
        assert row[: COLUMNS.index(heading) + len(heading)].endswith(value)
    assert finding_pieces(finding())[0][1] == "error", "the most serious are red"


def test_a_row_says_its_split_and_when_it_was_always_there() -> None:
    row = "".join(piece for piece, _ in finding_pieces(finding(split="eval/aime", onset=None)))
    assert "eval/aime: Answers" in row
    assert "the start" in row
    assert "  12         " in "".join(piece for piece, _ in finding_pieces(finding(onset=(12, 12))))


def test_one_finding_has_its_filter_and_its_first_evidence() -> None:
    shown = text(finding_document(finding(), report(finding())))
    assert "filter  text.loop > 0" in shown
    assert shown.count("train/20/2  and so on") == 3
    assert "looked at 2,144 samples for 2 kinds" in shown
    assert "stale in train: no sample records it" in shown
    assert "words for it" in text(finding_document(finding(seen="words for it"), report(finding())))


def test_where_nothing_is_found_it_is_said() -> None:
    assert "nothing found; looked at 2,144 samples" in text(finding_document(None, report()))


def test_what_it_waits_for_is_told() -> None:
    features = FeatureReport(features=[], samples_done=50, samples_total=200, running=True, problems=[])
    assert "reading the run: 30 samples" in text(waiting_document(features, Progress(done=False, samples=30)))
    assert "reading texts: 50 of 200 samples (25%)" in text(waiting_document(features, Progress(done=True)))
    assert text(waiting_document(None, Progress(done=True))).startswith("looking…")


def test_the_findings_of_a_sample_are_a_few_words() -> None:
    one = SampleFinding(
        split="train", kind="loop", title="A loop", severity="high", where="", share=0.1, onset=None, spans=[]
    )
    assert findings_fact([one, one]) == "high: A loop; high: A loop"
