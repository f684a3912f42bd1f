"""The files of a run, and what each is for."""

from __future__ import annotations

import os

from rollscope.formats.base import Format
from rollscope.index.snapshot import Snapshot
from rollscope.query import answers
from rollscope.storage.store import Store

MAX_FILES = 2_000


def list_files(format_: Format, store: Store, snapshot: Snapshot) -> list[answers.FileInfo]:
    known = {entry.source.path: entry.source for entry in snapshot.manifest.files}
    metrics = set(format_.metric_files(store))
    reports = set(format_.reports(store))
    found = []
    for path in store.walk():
        stat = store.stat(path)
        source = known.get(path)
        found.append(
            answers.FileInfo(
                path=path,
                bytes=stat.size if stat else 0,
                modified=stat.mtime_ns / 1e9 if stat else 0.0,
                role=_role(path, source is not None, path in metrics, path in reports),
                split=source.split if source else None,
                step=source.step if source else None,
            )
        )
    return found


def _role(path: str, is_source: bool, is_metrics: bool, is_report: bool) -> str:
    name = os.path.basename(path)
    if is_source:
        return "rollouts"
    if is_metrics:
        return "metrics"
    if is_report or name.endswith(".html"):
        return "report"
    if name.startswith("config."):
        return "config"
    if name.startswith("checkpoints"):
        return "checkpoints"
    return "diff" if name.endswith(".diff") else "other"
