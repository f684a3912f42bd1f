"""What findings say of single samples and steps: marks in lists, characters in the open sample, evidence with its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from rollscope import model, render
from rollscope.errors import NotFoundError, RollscopeError
from rollscope.query.insights.findings.marks.marked_rows import (
    FindingMarks,
    FindingName,
    MarkedRows,
    RewardStep,
    marks_of_steps,
    rewards_over_steps,
)
from rollscope.query.insights.findings.marks.span_places import PartPlace, PlacedText
from rollscope.query.insights.findings.model import Evidence
from rollscope.query.insights.findings.run_findings import RunFindings
from rollscope.query.samples.reader import place_of
from rollscope.query.samples.rows import finite

if TYPE_CHECKING:
    from rollscope.features.base import FeatureSpan, SampleTexts

#: Of one finding, so many places in one sample.
MAX_SPANS = 20
#: Characters shown before and after evidence, and of the evidence itself.
AROUND, SHOWN = 120, 400


class SeenSpan(Struct, kw_only=True):
    """Characters [start, end) of a text of the sample, what was seen, and where the page shows them."""

    field: str
    start: int
    end: int
    value: str
    parts: Annotated[list[PartPlace], Meta(description="The same characters, by message and part.")]
    raw: Annotated[tuple[int, int] | None, Meta(description="The same characters of the raw text.")]


class SampleFinding(FindingName, kw_only=True):
    """A finding that means this sample, and where in it that is seen."""

    share: float
    onset: tuple[int, int] | None
    spans: Annotated[list[SeenSpan], Meta(description="Empty where it is about numbers, not about characters.")]


class SampleFindings(Struct, kw_only=True):
    """All findings that mean one sample."""

    address: str
    ready: Annotated[bool, Meta(description="False while features are missing: then nothing is said yet.")]
    coming: Annotated[
        bool, Meta(description="Missing features are computed in the background; else once findings are asked for.")
    ]
    findings: list[SampleFinding]


class SeenEvidence(Evidence, kw_only=True):
    """Evidence with the words around it."""

    before: str
    text: Annotated[str, Meta(description="The characters themselves, the first few hundred.")]
    after: str
    env: str | None
    reward: float | None
    advantage: float | None


class FindingDetail(Struct, kw_only=True):
    """One finding from near: what is paid with it and without, step by step, and its evidence in its words."""

    finding: FindingName
    rewards: list[RewardStep]
    evidence: list[SeenEvidence]


class SampleFindingsOfRun(RunFindings):
    """The part of a run that knows what findings mean a sample."""

    def finding_marks(self, split: str, steps: list[int]) -> FindingMarks:
        """Which samples of these steps findings mean. Never waits for features: while they are computed, it is not ready."""
        snapshot = self._fresh(None, None, wait=False)
        progress = self._features.progress(snapshot)
        ready = progress.samples_done >= progress.samples_total
        marked = self._marked_rows() if ready else []
        return FindingMarks(
            ready=ready,
            samples_done=progress.samples_done,
            samples_total=progress.samples_total,
            findings=[item.name for item in marked],
            steps=marks_of_steps(marked, split, steps),
        )

    def sample_findings(self, address: str) -> SampleFindings:
        """The findings that mean this sample, with the characters. Like marks, it does not wait for features."""
        split, step, index = place_of(address)
        snapshot = self._fresh(split, step, wait=True)
        progress = self._features.progress(snapshot)
        ready = progress.samples_done >= progress.samples_total
        found = [
            item
            for item in (self._marked_rows() if ready else [])
            if item.rows.split == split and item.means(step, index)
        ]
        sample = self._reader.sample(address) if found else None
        return SampleFindings(
            address=address.strip("/"),
            ready=ready,
            coming=self.background_features,
            findings=self._seen_in(sample, address, found) if sample is not None else [],
        )

    def _seen_in(self, sample: model.Sample, address: str, found: list[MarkedRows]) -> list[SampleFinding]:
        from rollscope.index.features.task import texts_given

        found_texts = self._reader.all_texts(address)
        texts, given = dict(found_texts), texts_given(found_texts)
        raw = render.plain(sample.messages)
        placed: dict[str, PlacedText] = {}
        answers = []
        for item in found:
            spans = []
            for span in (item.spans(given) if item.spans is not None else [])[:MAX_SPANS]:
                if span.end <= span.start or span.field not in ("response", "prompt"):
                    continue
                if span.field not in placed:
                    placed[span.field] = PlacedText(
                        texts.get(span.field, ""), sample.messages, raw, response=span.field == "response"
                    )
                where = placed[span.field].places(span.start, span.end)
                spans.append(
                    SeenSpan(
                        field=span.field,
                        start=span.start,
                        end=span.end,
                        value=_value(span, given),
                        parts=where.parts,
                        raw=where.raw,
                    )
                )
            name = item.name
            answers.append(
                SampleFinding(
                    split=name.split,
                    kind=name.kind,
                    title=name.title,
                    severity=name.severity,
                    where=name.where,
                    share=item.finding.share,
                    onset=item.finding.onset,
                    spans=spans,
                )
            )
        return answers

    def finding_detail(self, split: str, kind: str, where: str) -> FindingDetail:
        """One finding of the report, from near."""
        for item in self._marked_rows():
            name = item.name
            if (name.split, name.kind, name.where) == (split, kind, where):
                evidence = [seen for each in item.finding.evidence if (seen := self._with_words(each)) is not None]
                return FindingDetail(finding=name, rewards=rewards_over_steps(item), evidence=evidence)
        raise NotFoundError(
            f"there is no finding {kind} of {split} with this filter now", hint="ask for findings again"
        )

    def _with_words(self, seen: Evidence) -> SeenEvidence | None:
        try:
            text = self._reader.texts(seen.address).get(seen.field, "")
            sample = self._reader.sample(seen.address)
        except RollscopeError:  # its file has changed meanwhile
            return None
        low, high = max(0, seen.start - AROUND), min(len(text), seen.end + AROUND)
        # A long span ends where what is shown of it ends: the words after it would stand far away.
        cut = seen.end - seen.start > SHOWN
        return SeenEvidence(
            address=seen.address,
            field=seen.field,
            start=seen.start,
            end=seen.end,
            value=seen.value,
            before=_printable(text[low : seen.start]),
            text=_printable(text[seen.start : min(seen.end, seen.start + SHOWN)]),
            after="" if cut else _printable(text[seen.end : high]),
            env=sample.env,
            reward=finite("reward", sample.reward, {}),
            advantage=finite("advantage", sample.advantage, {}),
        )


def _value(span: FeatureSpan, texts: SampleTexts) -> str:
    return _printable((span.value or texts.response_text[span.start : span.end])[:SHOWN])


def _printable(text: str) -> str:
    """Lone surrogates cannot be sent."""
    return text.encode("utf-8", "replace").decode()
