"""A run read as the index reads it, for tests of formats alone: scan every source, keep one row per key, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rollscope.formats.base import Format, Place, Source
from rollscope.model import Sample, Skipped
from rollscope.storage.open_store import open_store

Row = dict[str, Any]


class ReadRun:
    """All rows of a run as dicts. `split` and `step` are those of the row, else those of its file."""

    def __init__(self, form: Format, path: Path) -> None:
        self.form = form
        self.store = open_store(path)
        self.skipped: list[Skipped] = []
        self.rows: list[Row] = []
        seen: set[tuple[str, str]] = set()
        for source in sorted(form.sources(self.store), key=lambda source: source.rank):
            for row in self._scan(source):
                key = row.get("key")
                if key is not None:
                    if (row["split"], key) in seen:
                        continue
                    seen.add((row["split"], key))
                self.rows.append(row)

    def _scan(self, source: Source) -> list[Row]:
        scan = self.form.scan(self.store, source, 0, self._size(source))
        self.skipped += scan.skipped
        assert all(len(values) == scan.rows for values in scan.columns.values())
        assert scan.end == self._size(source)
        rows = [{name: values[i] for name, values in scan.columns.items()} for i in range(scan.rows)]
        for row in rows:
            row["split"] = row.get("split") or source.split
            row["step"] = row.get("step") if row.get("step") is not None else source.step
            row["source"] = source
        return rows

    def _size(self, source: Source) -> int:
        stat = self.store.stat(source.path)
        return stat.size if stat else 0

    def where(self, **values: Any) -> list[Row]:
        return [row for row in self.rows if all(row.get(name) == value for name, value in values.items())]

    def load(self, row: Row) -> Sample:
        return self.form.load(self.store, row["source"], self.place(row))

    def texts(self, row: Row) -> list[tuple[str, str]]:
        return self.form.texts(self.store, row["source"], self.place(row))

    @staticmethod
    def place(row: Row) -> Place:
        group = row.get("group")
        return Place(
            offset=row["offset"],
            length=row["length"],
            line=row.get("line") or 0,
            member=row.get("member") or "",
            split=row["split"],
            step=row["step"],
            group=None if group is None else str(group),
        )


def assert_row_matches_sample(row: Row, sample: Sample) -> None:
    """What the index says of a sample is what the sample says of itself."""
    for name in (
        *("reward", "final_reward", "advantage", "status", "stop_reason", "discard_reason", "env", "dataset"),
        *("sampling_step", "staleness", "prompt_tokens", "completion_tokens", "total_tokens"),
    ):
        assert same(row.get(name), getattr(sample, name)), name
    assert (row.get("tags") or []) == sample.tags
    if row.get("turns") is not None:
        assert row["turns"] == len(sample.turns)
    for kind in ("metrics", "rewards"):
        prefix = f"{kind}."
        indexed = {name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)}
        indexed = {name: value for name, value in indexed.items() if value is not None}
        loaded = getattr(sample, kind)
        assert indexed.keys() == loaded.keys()
        assert all(same(indexed[name], loaded[name]) for name in loaded)


def same(left: Any, right: Any) -> bool:
    """Equal, where NaN equals NaN."""
    return bool(left == right or (left != left and right != right))
