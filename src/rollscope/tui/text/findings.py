"""What is worth reading, as text: a row for each finding, and what is known of one."""

from __future__ import annotations

from collections.abc import Sequence

from rollscope.query.answers import Progress
from rollscope.query.insights.features import FeatureReport
from rollscope.query.insights.findings.marks.sample_findings import SampleFinding
from rollscope.query.insights.findings.model import Finding, FindingsReport, Severity
from rollscope.tui.palette import number
from rollscope.tui.text.document import Document, TextBlock, one_line
from rollscope.tui.text.fields import joined

LOOKS: dict[Severity, str] = {"high": "error", "medium": "warning", "low": "note"}
#: Above the rows, in the columns of `finding_pieces`.
COLUMNS = f"{'severity':<9}{'share':>6}  {'began at':<11}{'reward':>8}{'others':>8}  what"
#: Characters of evidence that are shown.
SEEN_CHARS = 80


def finding_pieces(finding: Finding) -> list[tuple[str, str]]:
    """One row of the list."""
    split = "" if finding.split == "train" else f"{finding.split}: "
    return [
        (f"{finding.severity:<9}", LOOKS[finding.severity]),
        (f"{finding.share:>6.1%}", "strong"),
        (f"  {_since(finding.onset):<11}", "text"),
        (f"{number(finding.reward):>8}", "text"),
        (f"{number(finding.reward_others):>8}", "note"),
        (f"  {one_line(split + finding.title)}", "text"),
    ]


def finding_document(finding: Finding | None, report: FindingsReport) -> Document:
    """Why this one is in the list and where it is seen; then what was looked at, and what cannot be known."""
    blocks = []
    if finding is not None:
        blocks.append(TextBlock(title=one_line(finding.title), title_look="heading", text=one_line(finding.why)))
        blocks.append(TextBlock(look="field.value", text=one_line(finding.where), label="filter  ", indent=" " * 8))
        for seen in finding.evidence[:3]:
            words = one_line(seen.seen or seen.value)[:SEEN_CHARS]
            blocks.append(TextBlock(look="note", text=f"{one_line(seen.address)}  {words}", gap=False))
        blocks[-1].gap = True
    looked = f"looked at {report.samples:,} samples for {len(report.kinds)} kinds"
    blocks.append(TextBlock(text=looked if report.findings else f"nothing found; {looked}"))
    blocks += _unknown(report)
    return Document(blocks)


def waiting_document(features: FeatureReport | None, indexing: Progress) -> Document:
    """How far that is which findings wait for."""
    facts = ["looking"]
    if not indexing.done:
        facts = [f"reading the run: {indexing.samples:,} samples"]
    elif features is not None and features.samples_done < features.samples_total:
        share = features.samples_done / features.samples_total
        facts = [f"reading texts: {features.samples_done:,} of {features.samples_total:,} samples ({share:.0%})"]
    return Document(
        [TextBlock(look="note", text=f"{joined(facts)}… esc closes this; looking goes on, and I shows the result.")]
    )


def findings_fact(findings: Sequence[SampleFinding]) -> str:
    """The findings that mean a sample, in a few words."""
    return one_line("; ".join(f"{finding.severity}: {finding.title}" for finding in findings))


def _since(onset: tuple[int, int] | None) -> str:
    if onset is None:
        return "the start"
    return str(onset[0]) if onset[0] == onset[1] else f"{onset[0]} to {onset[1]}"


def _unknown(report: FindingsReport) -> list[TextBlock]:
    """Kinds that could not be looked for."""
    text = "\n".join(map(one_line, report.unknown_lines()))
    if not text:
        return []
    return [
        TextBlock(title="Could not be checked", title_look="heading", look="note", text=text, label="  ", indent="  ")
    ]
