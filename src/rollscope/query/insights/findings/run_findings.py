"""The part of a run that says what is worth reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from rollscope.errors import UsageError
from rollscope.index import compute
from rollscope.index.rows.row_places import RowPlaces, file_batches
from rollscope.index.rows.row_texts import texts_of_rows, without_long
from rollscope.index.rows.run_order import is_large, of_split
from rollscope.index.snapshot import Snapshot
from rollscope.query import limits
from rollscope.query.insights.findings.marks.marked_rows import MarkedRows
from rollscope.query.insights.findings.model import Finding, FindingsReport, Found, Mask, SplitData
from rollscope.query.lists.lists import Lists

if TYPE_CHECKING:
    from rollscope.arrays import Rows
    from rollscope.query.insights.findings.find import Detector

#: In more text than this a phrase is counted in a draw of the samples, and the rest follows from that.
COUNTED_BYTES = 256 << 20
COUNTED_SAMPLES = 2_000


class FindingList(list[Finding]):
    """Findings, most serious first. `report` has what was looked at, and what cannot be known."""

    report: FindingsReport

    def __init__(self, report: FindingsReport) -> None:
        super().__init__(report.findings)
        self.report = report


class RunFindings(Lists):
    """Findings of one run."""

    _findings: tuple[Snapshot, dict[tuple[str | None, str | None], FindingsReport]] | None = None
    #: Of the whole report: which rows its findings mean, in its order.
    _marked: Sequence[MarkedRows] = ()

    def findings(self, *, split: str | None = None, kind: str | None = None, wait: bool = True) -> FindingList:
        """What is worth reading, most serious first. `kind`: only that one, such as "loop" or "pattern:refusal"."""
        return FindingList(self.findings_report(split=split, kind=kind, wait=wait))

    def findings_report(
        self,
        *,
        split: str | None = None,
        kind: str | None = None,
        wait: bool = True,
        tell: Callable[[int, int], None] | None = None,
    ) -> FindingsReport:
        """The same with what was looked at. Features that are missing are computed first; `tell` is called with how many
        samples of that are done, of how many."""
        snapshot = self._fresh(None, None, wait)
        if split is not None:
            self._known_split(snapshot, split)
        if kind is not None:
            self._check_kind(kind)
        kept = self._findings
        if kept is None or kept[0] is not snapshot:
            kept = self._findings = (snapshot, {})
        key = (split, kind)
        if key not in kept[1]:
            kept[1][key] = self._look(snapshot, split, kind, tell)
        return kept[1][key]

    def _check_kind(self, kind: str) -> None:
        from rollscope.features.patterns import patterns

        family, _, name = kind.partition(":")
        if family not in self.finding_kinds():
            known = self.finding_kinds()
        elif family == "pattern" and name and name not in patterns(self._features.patterns):
            known = [f"pattern:{pattern}" for pattern in patterns(self._features.patterns)]
        else:
            return
        raise UsageError(f"there is no kind {kind!r} of findings", hint=f"there is {', '.join(known)}")

    def _marked_rows(self) -> Sequence[MarkedRows]:
        """Which rows each finding of the whole report means, in the report's order."""
        self.findings_report(wait=False)
        return self._marked

    # Detectors are imported by those who ask for findings: other commands need not wait for them.

    def finding_kinds(self) -> list[str]:
        """Every kind that is looked for, those of plug-ins too."""
        from rollscope.query.insights.findings.find import detectors

        return sorted([*detectors().by_name, "phrase"])

    def _look(
        self, snapshot: Snapshot, split: str | None, kind: str | None, tell: Callable[[int, int], None] | None
    ) -> FindingsReport:
        from rollscope.features.patterns import patterns
        from rollscope.query.insights.findings.find import kept_rows, look, report

        table = self.rows_with_features(snapshot, tell) if snapshot.all_rows.num_rows else snapshot.all_rows
        if is_large(table):
            pa.default_memory_pool().release_unused()  # what the features were put together with: hundreds of megabytes
        kept = kept_rows(table) if table.num_rows else None
        if kept is not None and not kept.all():  # of a million rows nearly two seconds
            table = compute.keep(table, kept)
        ranges = self._ranges()
        known = patterns(self._features.patterns)
        parts = []
        marked: list[MarkedRows] | None = [] if split is None and kind is None else None
        samples = 0
        for name in [split] if split is not None else list(snapshot.splits):
            rows = of_split(table, name) if table.num_rows else table
            if rows.num_rows:
                samples += rows.num_rows
                parts.append(look(self, SplitData(name, rows, ranges, known), kind, marked))
        made = report(self.name, samples, parts)
        if marked is not None:
            place = {id(finding): number for number, finding in enumerate(made.findings)}
            self._marked = sorted(marked, key=lambda item: place[id(item.finding)])
        return made

    def _phrase_detector(self, data: SplitData) -> Detector:
        from rollscope.query.insights.findings.detectors.phrases import phrase

        def read(rows: Rows) -> list[str | None]:
            return self._responses(data.table, rows)

        def count(phrase: str) -> tuple[Mask, Mask]:
            rows = np.arange(len(data))
            sizes = data.numbers("length") if "length" in data.table.column_names else np.zeros(len(data))
            if np.nansum(sizes) > COUNTED_BYTES:
                rows = np.linspace(0, len(data) - 1, COUNTED_SAMPLES).astype(np.int64)
            mask, known = np.zeros(len(data), dtype=bool), np.zeros(len(data), dtype=bool)
            for row, text in zip(rows.tolist(), self._responses(data.table, rows)):
                known[row] = text is not None
                mask[row] = text is not None and phrase in text
            return mask, known

        def detect(given: SplitData) -> Iterator[Found]:
            return phrase(given, read, count)

        detect.__doc__ = phrase.__doc__
        return detect

    def _responses(self, table: pa.Table, rows: Rows) -> list[str | None]:
        """The responses of these rows, which are sorted; None where one cannot be read."""
        found: list[str | None] = [None] * len(rows)
        if len(rows) == 0:
            return found
        store = self.store.fresh()
        for first, files in file_batches(self._index.snapshot, RowPlaces(table, rows)):
            before = first
            for part in files:
                kept, places, _ = without_long(part, limits.current().line_bytes)
                for place, texts in texts_of_rows(kept, self._format, store):
                    found[before + places[place]] = dict(texts).get("response")
                before += len(part.offsets)
        return found
