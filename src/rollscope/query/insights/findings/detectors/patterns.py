"""Detector of texts that match a pattern of the table in `features/patterns`."""

from __future__ import annotations

from collections.abc import Iterator

from rollscope.features.patterns import flag_span
from rollscope.features.patterns.table import TextPattern
from rollscope.query.insights.findings.model import Found, Spans, SplitData
from rollscope.query.insights.findings.spans import one_span
from rollscope.query.language.writing import quoted


def flags(data: SplitData) -> Iterator[Found]:
    """Known patterns: disabled tests, text addressed to the judge …"""
    data.need("text.flags")
    known = data.known("text.flags")
    for name, mask in sorted(data.listed("text.flags").items()):
        item = data.patterns.get(name)
        if item is None:
            continue
        yield Found(
            kind=f"pattern:{name}",
            title=item.reason or name,
            where=f"text.flags contains {quoted(name)}",
            mask=mask,
            known=known,
            why=item.reason or f"the pattern {name} matches",
            spans=_flag_spans(item),
            severity=item.severity,
        )


def _flag_spans(item: TextPattern) -> Spans:
    return one_span(lambda texts: flag_span(texts, item))
