"""ART: `trajectories/<split>/{step}.parquet` below a model's folder; before 0.5 `.jsonl`, a group a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rollscope.formats.base import Claim, Format, MetricRow, Place, Scan, Source
from rollscope.formats.containers.parquet import Table
from rollscope.formats.conversations import conversation
from rollscope.formats.folders import folder_named
from rollscope.formats.lines.lenient import Unreadable, printable
from rollscope.formats.lines.nested import NestedLines, count, decoded, items, mapping, number, numbers_of, text
from rollscope.formats.run_files import read_lines
from rollscope.formats.sample_rows import sample_columns
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

_FILE = re.compile(r"(\d+)\.(parquet|jsonl)")
_GOLDEN = ("answer", "golden", "ground_truth", "target", "solution")
_ROWS = 256

_tables: KeptOpen[Table] = KeptOpen(lambda store, path: Table(store.open(path)), limit=4)


class ArtFormat(NestedLines):
    name = "art"
    grouping = "recorded"
    line_is_group = True
    limits = (
        "ART writes no advantages; its parquet files drop log-probabilities, and trajectories that failed.",
        "Older .yaml files are not read: `art migrate` converts them.",
    )

    def detect(self, store: Store) -> Claim | None:
        found = next(iter(self.sources(store)), None)
        if found is None or not self._is_ours(store, found):
            return None
        return Claim(confidence=0.95, reasons=(f"{found.path} holds ART's trajectories",))

    def _is_ours(self, store: Store, source: Source) -> bool:
        if not source.appendable:
            try:
                names = _tables.use(store, source.path, lambda table: set(table.schema.names))
            except DAMAGED:
                return False
            return names >= {"group_index", "reward", "messages"}
        return any(b'"trajectories"' in line for line in store.first_lines(source.path))

    def sources(self, store: Store) -> Iterable[Source]:
        prefix = folder_named(store, "trajectories")
        for folder in store.folders(prefix.rstrip("/")) if prefix is not None else ():
            split = "train" if folder == "train" else f"eval/{folder}"
            found = [
                (int(match[1]), name) for name in store.files(f"{prefix}{folder}") if (match := _FILE.fullmatch(name))
            ]
            for step, name in sorted(found):
                path = f"{prefix}{folder}/{name}"
                yield Source(path=path, split=split, step=step, appendable=name.endswith(".jsonl"))

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        if source.appendable:
            return super().scan(store, source, start, end)

        def rows(table: Table) -> list[Sample]:
            return [_sample(row) for batch in _batches(table) for row in batch]

        try:
            found = _tables.use(store, source.path, rows)
        except DAMAGED as error:
            reason = f"cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=end)
        columns: dict[str, Sequence[Any]] = dict(sample_columns(found))
        columns["offset"] = list(range(len(found)))
        columns["length"] = columns["line"] = [0] * len(found)
        return Scan(columns=columns, rows=len(found), end=end)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        if source.appendable:
            return super().load(store, source, place)
        (row,) = _tables.use(store, source.path, lambda table: table.rows([place.offset]))
        sample = _sample(row)
        sample.record = printable(row)
        return sample

    def texts(self, store: Store, source: Source, place: Place) -> list[tuple[str, str]]:
        return super().texts(store, source, place) if source.appendable else Format.texts(self, store, source, place)

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        found = items(record.get("trajectories"))
        if not found:
            raise Unreadable("no trajectories in it")
        return [_sample(mapping(trajectory)) for trajectory in found]

    def metric_files(self, store: Store) -> list[str]:
        return ["history.jsonl"] if store.exists("history.jsonl") else []

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for path in self.metric_files(store):
            for record in read_lines(store, path):
                step = count(record.get("step", record.get("training_step")))
                values = {
                    key: value for key, value in numbers_of(record).items() if key not in ("step", "training_step")
                }
                if step is not None:
                    yield MetricRow(step=step, time=None, values=values)

    def claims(self, store: Store, path: str) -> bool:
        return path == "state.json"


def _batches(table: Table) -> Iterator[list[dict[str, Any]]]:
    start = 0
    total = table.num_rows
    while start < total:
        yield table.rows(range(start, min(start + _ROWS, total)))
        start += _ROWS


def _sample(row: dict[str, Any]) -> Sample:
    metadata = mapping(decoded(row.get("metadata")))
    told = items(row.get("messages_and_choices")) or items(row.get("messages"))
    stops = [text(message.get("finish_reason")) for message in map(mapping, told) if "finish_reason" in message]
    stop = stops[-1] if stops else None
    return Sample(
        group=count(row.get("group_index")),
        messages=conversation([_message(mapping(message)) for message in told]),
        reward=number(row.get("reward")),
        metrics=numbers_of(decoded(row.get("metrics"))),
        golden_answers={key: str(metadata[key]) for key in _GOLDEN if metadata.get(key) not in (None, "")},
        stop_reason=stop,
        status=status_of(stop),
        notes=[str(line) for line in items(row.get("logs"))],
    )


def _message(told: dict[str, Any]) -> dict[str, Any]:
    """A message, or a choice of a completion that holds one."""
    message = mapping(told["message"]) if isinstance(told.get("message"), dict) else told
    known = {key: value for key, value in message.items() if value is not None}
    if isinstance(known.get("tool_calls"), str):
        known["tool_calls"] = decoded(known["tool_calls"])
    return known
