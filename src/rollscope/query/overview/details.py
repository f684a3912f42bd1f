"""All that the Run page shows of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.formats.base import Format
from rollscope.index.snapshot import Snapshot
from rollscope.query import answers
from rollscope.query.overview.files import MAX_FILES, list_files
from rollscope.query.overview.run_info import run_info
from rollscope.query.samples import ranges

if TYPE_CHECKING:
    from rollscope.query.run import Run

MAX_SKIPPED = 2_000


def run_details(run: Run, format_: Format, snapshot: Snapshot, progress: answers.Progress) -> answers.RunDetails:
    store = run.store.fresh()
    files = list_files(format_, store, snapshot)
    skipped = snapshot.skipped()
    return answers.RunDetails(
        info=run_info(run, snapshot, progress),
        config=format_.config(store),
        config_identity=list(format_.config_identity),
        ranges=ranges.with_observed(format_.ranges(store), snapshot),
        checkpoints=format_.checkpoints(store),
        files=files[:MAX_FILES],
        files_total=len(files),
        skipped=skipped[:MAX_SKIPPED],
        skipped_total=len(skipped),
        code_diff=format_.code_diff(store),
        reports=format_.reports(store),
        escaped_reports=format_.escaped_reports,
        limits=list(format_.limits_of(store)),
        fields=list(snapshot.fields),
        envs=sorted({env for item in snapshot.steps for env in item.envs}),
    )
