"""All detectors over a run: which of what they say is worth telling, how serious it is, and where it can be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from rollscope import model
from rollscope.errors import RollscopeError
from rollscope.features.base import FeatureSpan
from rollscope.index import compute
from rollscope.index.features.task import texts_given
from rollscope.query.insights.findings.marks.marked_rows import MarkedRows, marked_rows, marked_split
from rollscope.query.insights.findings.model import (
    SEVERITIES,
    CannotKnow,
    Evidence,
    Finding,
    FindingsReport,
    Found,
    Mask,
    Severity,
    SplitData,
    Unknown,
)
from rollscope.query.insights.findings.over_steps.rates import first_seen, onset
from rollscope.query.insights.findings.row_groups import come_together

if TYPE_CHECKING:
    from rollscope.query.insights.findings.run_findings import RunFindings

GROUP = "rollscope.detectors"
#: Fewer of all samples than this are an oddity, not a finding.
MIN_SHARE = 0.001
#: From these shares on it is more serious, the lower one where it is paid.
SERIOUS, SERIOUS_PAID = 0.05, 0.02
#: Paid: the reward of the samples meant is higher by this part of the range.
PAID = 0.05
MAX_EVIDENCE, MAX_VALUE = 5, 200

#: The first line of its docstring says what it looks for: who reads that nothing was found is told so.
Detector = Callable[[SplitData], Iterator[Found]]


class Detectors(Struct):
    by_name: dict[str, Detector]
    broken: list[str]


@cache
def detectors() -> Detectors:
    """Those of the entry-point group `rollscope.detectors`, by the kind each looks for; the built-in ones too."""
    found: dict[str, Detector] = {}
    broken = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found[point.name] = point.load()
        except Exception as error:  # noqa: BLE001  # a plug-in's fault must not take the others down
            broken.append(f"detector {point.name!r} could not be loaded: {error}")
    return Detectors(found, broken)


def look(
    run: RunFindings, data: SplitData, kind: str | None, marked: list[MarkedRows] | None = None
) -> tuple[list[Finding], list[Unknown], dict[str, str]]:
    """(findings, what cannot be known, kinds looked for and what these are) of one split. Into `marked` go the rows that
    findings mean."""
    rows = marked_split(data) if marked is not None else None
    findings: list[Finding] = []
    unknown: list[Unknown] = []
    looked: dict[str, str] = {}
    known = detectors()
    given: dict[str, Detector] = {**known.by_name, "phrase": run._phrase_detector(data)}
    for name, detector in given.items():
        if kind is not None and name != kind.partition(":")[0]:
            continue
        looked[name] = _what_it_looks_for(detector)
        try:
            for found in detector(data):
                item = assess(run, data, found)
                if item is None or kind not in (None, name, item.kind):
                    continue
                findings.append(item)
                if marked is not None and rows is not None:
                    marked.append(marked_rows(item, found, rows))
        except CannotKnow as reason:
            unknown.append(Unknown(split=data.split, kind=name, reason=str(reason)))
        except RollscopeError:
            raise
        except Exception as error:  # noqa: BLE001  # a plug-in's fault is reported; the other kinds are still looked for
            unknown.append(
                Unknown(split=data.split, kind=name, reason=f"the detector failed: {type(error).__name__}: {error}")
            )
    return findings, unknown, looked


def _what_it_looks_for(detector: Detector) -> str:
    return (detector.__doc__ or "").strip().partition("\n")[0].removesuffix(".")


def assess(run: RunFindings, data: SplitData, found: Found) -> Finding | None:
    mask = found.mask & found.known
    count, judged = int(mask.sum()), int(found.known.sum())
    if count < found.min_samples or not judged or count / judged < MIN_SHARE:
        return None
    steps = data.step_numbers
    hits = np.bincount(data.step_codes[mask], minlength=len(steps)).astype(float)
    trials = np.bincount(data.step_codes[found.known], minlength=len(steps)).astype(float)
    share = count / judged
    first = data.first & found.known
    baseline = float(mask[first].mean()) if first.any() and not first[found.known].all() else None
    last = data.last & found.known
    latest = float(mask[last].mean()) if baseline is not None and last.any() else None
    together = max(found.together, come_together(data, mask, found.known, trials))
    dated = (steps, hits / together, trials / together)
    began = found.onset or onset(*dated)
    now = _share_since(data, mask, found.known, began) if began else share
    if found.rise and not (began and now - (baseline or 0.0) >= found.rise) and share < found.always:
        return None
    # What there is less of than at first is on its way out.
    falling = began is None and baseline is not None and share < baseline
    began = began or first_seen(*dated)
    reward, others = _rewards(data, mask, found.known)
    rate = np.divide(hits, trials, out=np.zeros_like(hits), where=trials > 0)
    return Finding(
        run=run.name,
        split=data.split,
        kind=found.kind,
        title=found.title,
        severity="low"
        if falling and found.severity is None
        else _severity(data, found, count, now, now - (baseline or 0.0) if began else 0.0),
        samples=count,
        share=share,
        baseline=baseline,
        latest=latest,
        first_step=int(data.steps[mask].min()),
        onset=began,
        rate=[(int(step), float(value)) for step, value, n in zip(steps, rate, trials) if n],
        reward=reward,
        reward_others=others,
        where=found.where,
        seen=found.why,
        why=_why(found, count, judged, baseline, began, reward, others),
        evidence=_evidence(run, data, found, mask, began),
    )


def _share_since(data: SplitData, mask: Mask, known: Mask, began: tuple[int, int]) -> float:
    # From the first step at which it may have begun: of a wide interval the last one may be the last of the run.
    since = known & (data.steps >= began[0])
    return float(mask[since].mean()) if since.any() else 0.0


def _rewards(data: SplitData, mask: Mask, known: Mask) -> tuple[float | None, float | None]:
    rewards = data.numbers("reward")
    usable = np.isfinite(rewards)
    meant, rest = rewards[mask & usable], rewards[known & ~mask & usable]
    return (float(meant.mean()) if len(meant) else None), (float(rest.mean()) if len(rest) else None)


def _severity(data: SplitData, found: Found, count: int, share: float, risen: float) -> Severity:
    if share < found.serious_share and risen < found.serious_rise:
        return "low"
    if found.severity is not None:
        return found.severity if count >= 5 else "low"
    return max(_by_share(data, found, share), found.at_most, key=SEVERITIES.index)


def _by_share(data: SplitData, found: Found, share: float) -> Severity:
    reach = data.reward_range(None)
    more = data.difference(data.numbers("reward"), found.mask, found.known)
    paid = more is not None and reach is not None and more >= PAID * (reach[1] - reach[0])
    if paid and share >= SERIOUS_PAID:
        return "high"
    return "medium" if share >= SERIOUS or (paid and share >= SERIOUS_PAID / 2) else "low"


def _why(
    found: Found,
    count: int,
    judged: int,
    baseline: float | None,
    began: tuple[int, int] | None,
    reward: float | None,
    others: float | None,
) -> str:
    words = [f"{found.why}: {count:,} of {judged:,} samples ({count / judged:.1%})"]
    if baseline is not None:
        words.append(f"{baseline:.1%} in the first steps")
    if began is not None:
        words.append(
            f"since step {began[0]}" if began[0] == began[1] else f"starting between steps {began[0]} and {began[1]}"
        )
    if reward is not None and others is not None:
        words.append(f"mean reward {reward:.3g} (other samples: {others:.3g})")
    return ", ".join(words)


def _evidence(
    run: RunFindings, data: SplitData, found: Found, mask: Mask, began: tuple[int, int] | None
) -> list[Evidence]:
    """A few samples since it began, the newest first: of each of as many stretches of steps one of those that are paid
    best; and where in them it is to be seen."""
    places = np.flatnonzero(mask & (data.steps >= began[0])) if began else np.flatnonzero(mask)
    places = places if len(places) else np.flatnonzero(mask)
    places = places[np.argsort(data.steps[places], kind="stable")]
    rewards = np.nan_to_num(data.numbers("reward")[places], nan=-np.inf)
    bounds = np.linspace(0, len(places), min(MAX_EVIDENCE, len(places)) + 1).astype(np.int64)
    order = np.array([places[low + int(np.argmax(rewards[low:high]))] for low, high in pairwise(bounds)])[::-1]
    index = data.table["index"]
    evidence = []
    for place in order.tolist():
        address = model.address(data.split, int(data.steps[place]), index[place].as_py())
        evidence += _evidence_in(run, address, found)
    return evidence[:MAX_EVIDENCE]


def _evidence_in(run: RunFindings, address: str, found: Found) -> list[Evidence]:
    try:
        texts = texts_given(run._reader.all_texts(address))
    except RollscopeError:
        return []
    spans: Sequence[FeatureSpan] = found.spans(texts)[:1] if found.spans is not None else []
    if not spans:
        spans = [FeatureSpan(0, min(len(texts.response_text), MAX_VALUE), "")]
    return [
        Evidence(
            address=address,
            field=span.field,
            start=span.start,
            end=span.end,
            value=_printable(texts.response_text[span.start : span.end]),
            seen=_printable(span.value) if span.value != texts.response_text[span.start : span.end] else "",
        )
        for span in spans
    ]


def _printable(text: str) -> str:
    """Lone surrogates cannot be sent."""
    return text[:MAX_VALUE].encode("utf-8", "replace").decode()


def report(name: str, samples: int, parts: list[tuple[list[Finding], list[Unknown], dict[str, str]]]) -> FindingsReport:
    looked = {kind: what for _, _, kinds in parts for kind, what in kinds.items()}
    findings = [finding for found, _, _ in parts for finding in found]
    findings.sort(key=lambda item: (SEVERITIES.index(item.severity), -item.share))
    return FindingsReport(
        run=name,
        findings=findings,
        samples=samples,
        kinds=list(looked),
        looked_for=looked,
        unknown=[item for _, unknown, _ in parts for item in unknown],
    )


def kept_rows(table: object) -> Mask:
    kept: Mask = compute.plain(compute.is_null(table["discard_reason"]))  # type: ignore[index]  # an Arrow table
    return kept
