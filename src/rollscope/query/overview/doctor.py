"""What `rollscope doctor` says about a run: why this format, which lines were skipped, which files no format claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.formats.base import Format
from rollscope.formats.registry import Detection
from rollscope.index.manifest.entries import is_container
from rollscope.index.snapshot import Snapshot
from rollscope.query import answers
from rollscope.query.overview.files import MAX_FILES, list_files
from rollscope.query.overview.run_info import split_infos, warnings

if TYPE_CHECKING:
    from rollscope.query.run import Run


def doctor(run: Run, format_: Format, snapshot: Snapshot, detection: Detection) -> answers.DoctorReport:
    store = run.store.fresh()
    unclaimed = [
        item.path
        for item in list_files(format_, store, snapshot)
        if item.role == "other" and not format_.claims(store, item.path)
    ]
    skipped = snapshot.skipped()
    return answers.DoctorReport(
        run=run.name,
        path=run.path,
        format=run.format,
        confidence=detection.claim.confidence,
        reasons=list(detection.claim.reasons),
        others=[f"{name} ({claim.confidence:g}): {'; '.join(claim.reasons)}" for name, claim in detection.others],
        splits=split_infos(snapshot),
        limits=list(format_.limits_of(store)),
        skipped=skipped,
        skipped_total=len(skipped),
        unclaimed=unclaimed[:MAX_FILES],
        unclaimed_total=len(unclaimed),
        warnings=[
            *run.warnings(),
            *(text.partition(":")[0] for text in warnings(snapshot)),
            *detection.broken,
            *_unfinished_lines(snapshot),
        ],
    )


def _unfinished_lines(snapshot: Snapshot) -> list[str]:
    """Files that end within a line: their writer is at it, or was stopped."""
    return [
        f"{entry.source.path} ends in a line of {entry.size - entry.end:,} bytes that is not finished: its samples are shown "
        "when it is"
        for entry in snapshot.manifest.files
        if entry.complete and not is_container(entry.source) and entry.end < entry.size
    ]
