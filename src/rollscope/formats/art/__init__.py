"""ART: `trajectories/<split>/{step}.parquet` below a model's folder; before 0.5 `.jsonl`, a group a line.

Newer parquet files hold the whole trajectory as JSON beside the columns, also where the columns have no messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from rollscope.formats.art.exchanges import recorded_conversation
from rollscope.formats.base import Claim, Format, MetricRow, Place, Scan, Source
from rollscope.formats.containers.parquet import Table
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.folders import folder_named
from rollscope.formats.json_values import count, decoded, items, mapping, number, numbers_of, text
from rollscope.formats.lines.lenient import Unreadable, printable
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.run_files import read_lines
from rollscope.formats.sample_rows import sample_columns
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Sample, Skipped, TokenArrays
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

_FILE = re.compile(r"(\d+)\.(parquet|jsonl)")
_GOLDEN = ("answer", "golden", "ground_truth", "target", "solution")
_ROWS = 256
#: A server that was asked for ids names tokens by them.
_ID = "token_id:"
#: Files that are asked whose they are.
_LOOKED_AT = 8

_tables: KeptOpen[Table] = KeptOpen(lambda store, path: Table(store.open(path)), limit=4)


class ArtFormat(NestedLines):
    name = "art"
    grouping = "recorded"
    line_is_group = True
    limits = (
        "ART writes no advantages; its parquet files drop trajectories that failed, and older ones log-probabilities.",
        "Files of before 0.4 (.yaml) are not read.",
    )

    def detect(self, store: Store) -> Claim | None:
        # The first may be empty, or still being written.
        looked_at = islice(self.sources(store), _LOOKED_AT)
        found = next((source for source in looked_at if self._is_ours(store, source)), None)
        return Claim(confidence=0.95, reasons=(f"{found.path} holds ART's trajectories",)) if found else None

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
            if folder.startswith("."):
                continue  # files that are not whole yet
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

        try:
            places, columns = _tables.use(store, source.path, _rows)
        except DAMAGED as error:
            reason = f"cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=end)
        columns["offset"] = places
        columns["length"] = columns["line"] = [0] * len(places)
        return Scan(columns=dict(columns), rows=len(places), end=end)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        if source.appendable:
            return super().load(store, source, place)
        (row,) = _tables.use(store, source.path, lambda table: table.rows([place.offset]))
        sample = _sample(row)
        sample.record = printable(row)
        sample.source = {"file": source.path, "row": place.offset}
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


def _rows(table: Table) -> tuple[list[int], dict[str, list[Any]]]:
    """The numbers of the rows that are trajectories, and their columns."""
    places: list[int] = []

    def samples() -> Iterator[Sample]:
        for place, row in enumerate(row for batch in _batches(table) for row in batch):
            if not _is_empty_group(row):
                places.append(place)
                yield _sample(row)

    return places, sample_columns(samples())


def _batches(table: Table) -> Iterator[list[dict[str, Any]]]:
    start = 0
    total = table.num_rows
    while start < total:
        yield table.rows(range(start, min(start + _ROWS, total)))
        start += _ROWS


def _is_empty_group(row: dict[str, Any]) -> bool:
    """A group without trajectories is a row too, which has nothing but the group's own columns."""
    return all(row.get(name) is None for name in ("reward", "messages", "trajectory_json"))


def _sample(row: dict[str, Any]) -> Sample:
    whole = mapping(decoded(row.get("trajectory_json")))
    metadata = {**mapping(decoded(row.get("group_metadata"))), **mapping(decoded(row.get("metadata")))}
    told = items(row.get("messages_and_choices")) or items(whole.get("messages_and_choices"))
    told = told or recorded_conversation(whole.get("exchanges")) or items(row.get("messages"))
    stops = [text(message.get("finish_reason")) for message in map(mapping, told) if "finish_reason" in message]
    stop = stops[-1] if stops else None
    chat = [_message(mapping(message)) for message in told]
    # Examples in the prompt are an assistant's too; what this policy said is marked.
    first = next((place for place, message in enumerate(chat) if message.get("trainable")), None)
    notes = [str(line) for line in items(row.get("logs"))]
    if more := len(items(whole.get("additional_histories") or decoded(row.get("additional_histories")))):
        notes.append(f"It has {more} more histories (additional_histories), which are in the record.")
    return Sample(
        group=count(row.get("group_index")),
        messages=conversation(chat, answered_from=first),
        reward=number(row.get("reward")),
        metrics=numbers_of(decoded(row.get("metrics"))),
        golden_answers={key: str(metadata[key]) for key in _GOLDEN if metadata.get(key) not in (None, "")},
        stop_reason=stop,
        status=status_of(stop),
        tokens=_tokens([mapping(message) for message in told if "finish_reason" in mapping(message)]),
        notes=notes,
    )


def _tokens(choices: list[dict[str, Any]]) -> TokenArrays | None:
    """Where every answer has them: the tokens of all, one answer behind the other."""
    lists = [items(mapping(choice.get("logprobs")).get("content")) for choice in choices]
    told = [mapping(item) for content in lists for item in content]
    if not told or not all(lists):
        return None
    strings = [str(item.get("token")) for item in told]
    ids = [int(string.removeprefix(_ID)) for string in strings if re.fullmatch(rf"{_ID}\d+", string)]
    logprobs = [number(item.get("logprob")) for item in told]
    named = len(ids) == len(strings)
    return TokenArrays(ids=ids if named else [], strings=[] if named else strings, logprobs=logprobs)


def _message(told: dict[str, Any]) -> dict[str, Any]:
    """A message, or a choice of a completion that holds one."""
    choice = isinstance(told.get("message"), dict)
    message = {**mapping(told["message"]), "trainable": True} if choice else told
    known = {key: value for key, value in message.items() if value not in (None, [])}
    if isinstance(known.get("tool_calls"), str):
        known["tool_calls"] = decoded(known["tool_calls"])
    return known
