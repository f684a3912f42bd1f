"""The files around the samples that Rollscope's own runs and the Tinker Cookbook's share: metrics, config, checkpoints."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from rollscope.formats.base import Format, MetricRow
from rollscope.formats.lines.lenient import Unreadable, decode_line, printable, read_record
from rollscope.model import Checkpoint, as_integer, as_number
from rollscope.storage.store import Store

_METRICS = re.compile(r"metrics(\.[^/]+)?\.jsonl")
_CHECKPOINTS = re.compile(r"checkpoints(\.[^/]+)?\.jsonl")
_NOT_METRICS = frozenset({"step", "timestamp", "time", "_timestamp", "attempt", "writer", "nonfinite"})
#: Words that writers put for what JSON has none.
NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
#: A diff of more than this is cut, and says so.
MAX_DIFF_BYTES = 8 << 20


def read_lines(store: Store, path: str) -> Iterator[dict[str, Any]]:
    """The records of a small JSONL file; lines that hold none are passed over (a torn last line is normal)."""
    try:
        with store.open(path) as file:
            for line in file:
                if line.strip():
                    try:
                        yield decode_line(line)[0]
                    except Unreadable:
                        continue
    except OSError:
        return


def metric_files(store: Store) -> list[str]:
    """metrics.jsonl, and other writers' metrics.<writer>.jsonl."""
    return [name for name in store.files() if _METRICS.fullmatch(name)]


def read_metrics(store: Store) -> Iterator[MetricRow]:
    """The rows of all metric files; text values are left out."""
    for name in metric_files(store):
        last: int | None = None
        for position, row in enumerate(read_lines(store, name)):
            step = as_integer(row.get("step", row.get("progress/batch")))
            last = last if step is None else step
            # A row without a whole number, or keyed by time, counts for the step in progress; where no row says any, rows
            # are steps.
            begun = 0 if "step" in row else position
            values = {
                key: number
                for key, value in row.items()
                if key not in _NOT_METRICS and not isinstance(value, str) and (number := as_number(value)) is not None
            }
            for key, word in (row.get("nonfinite") or {}).items() if isinstance(row.get("nonfinite"), dict) else ():
                values[key] = NOT_FINITE.get(str(word), math.nan)
            time = as_number(row.get("timestamp", row.get("time", row.get("_timestamp"))))
            yield MetricRow(step=begun if last is None else last, time=time, values=values)


def read_config(store: Store, path: str = "config.json") -> Any:
    if not store.exists(path):
        return None
    try:
        return printable(read_record(store.read(path)))
    except (OSError, Unreadable):
        return None


def read_checkpoints(store: Store) -> list[Checkpoint]:
    found = []
    for name in store.files():
        if _CHECKPOINTS.fullmatch(name):
            found += [_checkpoint(record) for record in read_lines(store, name)]
    return found


def _checkpoint(record: dict[str, Any]) -> Checkpoint:
    paths = {key: value for key, value in record.items() if key.endswith("path") and isinstance(value, str)}
    nested = record.get("paths")
    if isinstance(nested, dict):
        paths.update({str(key): str(value) for key, value in nested.items()})
    state = {key: value for key, value in record.items() if key not in (*paths, "name", "paths")}
    return Checkpoint(
        name=str(record.get("name", "")),
        step=as_integer(record.get("step", record.get("batch"))),
        paths=paths,
        state=printable(state),
    )


def read_diff(store: Store) -> str | None:
    if not store.exists("code.diff"):
        return None
    try:
        data = store.read("code.diff", 0, MAX_DIFF_BYTES + 1)
    except OSError:
        return None
    text = data[:MAX_DIFF_BYTES].decode("utf-8", errors="replace")
    return text + (f"\n… cut after {MAX_DIFF_BYTES >> 20} MB\n" if len(data) > MAX_DIFF_BYTES else "")


def read_reports(store: Store) -> list[str]:
    own = [name for name in store.files() if name.endswith("_logtree.json")]
    folders = [name for name in store.folders() if re.fullmatch(r"iteration_\d+", name)]
    return own + [
        f"{folder}/{name}" for folder in folders for name in store.files(folder) if name.endswith("_logtree.json")
    ]


class RunFiles(Format):
    """Mixed into formats whose runs have these files."""

    def metric_files(self, store: Store) -> list[str]:
        return metric_files(store)

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        return read_metrics(store)

    def config(self, store: Store) -> Any:
        return read_config(store)

    def checkpoints(self, store: Store) -> list[Checkpoint]:
        return read_checkpoints(store)

    def code_diff(self, store: Store) -> str | None:
        return read_diff(store)

    def reports(self, store: Store) -> list[str]:
        return read_reports(store)
