"""Trinity-RFT: the explorer's buffer, `buffer/*.db` (SQLite, a pickled experience a row) or `*.jsonl`."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from rollscope import render
from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Place, Scan, Source, Texts
from rollscope.formats.containers import pickle
from rollscope.formats.containers.sqlite import Sqlite, is_sqlite, use_database, wal_state
from rollscope.formats.conversations import conversation
from rollscope.formats.lines.lenient import Unreadable, printable
from rollscope.formats.lines.nested import NestedLines, count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.step_files import files_with
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Message, Sample, Skipped, TokenArrays
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_MARKS = frozenset({"eid", "reward", "response_text"})
_COLUMNS = ("task_id", "run_id", "msg_id", "model_version", "reward")
_BLOB = "experience_bytes"
#: Magic, version, bytes of the pickled part, bytes of the tensors.
_HEADER = struct.Struct("<4sBQQ")
_MAGIC = b"TRXP"
_TYPES = {"I64": "<i8", "I32": "<i4", "F32": "<f4", "F64": "<f8", "F16": "<f2", "BOOL": "?", "U8": "u1"}


class TrinityFormat(NestedLines):
    name = "trinity"
    grouping = "recorded"
    limits = (
        "The explorer's batch is taken for the step.",
        "A buffer in JSONL has no tokens, log-probabilities or advantages; the database has.",
    )

    def detect(self, store: Store) -> Claim | None:
        sources = list(self.sources(store))
        if databases := [source.path for source in sources if not source.appendable]:
            return Claim(confidence=0.95, reasons=(f"{databases[0]} holds Trinity's experiences",))
        if not sources:
            return None
        return Claim(confidence=0.95, reasons=(f"records with eid, reward and response_text in {sources[0].path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        folder = "buffer" if "buffer" in store.folders() else ""
        names = store.files(folder)
        paths = {name: f"{folder}/{name}" if folder else name for name in names}
        databases = [name for name in names if name.endswith(".db") and _is_buffer(store, paths[name])]
        for name in databases:
            yield Source(path=paths[name], split="train", appendable=False, note=wal_state(store, paths[name]))
        # Beside a database of the same name lies the same buffer again, without its tensors.
        lines = [
            paths[name]
            for name in names
            if name.endswith(".jsonl") and f"{name.removesuffix('.jsonl')}.db" not in databases
        ]
        for path in files_with(store, lines, _MARKS):
            yield Source(path=path, split="train")

    def source_now(self, store: Store, source: Source) -> Source:
        if source.appendable:
            return source
        return msgspec.structs.replace(source, note=wal_state(store, source.path))

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        if "eid" not in record:
            raise Unreadable("no experience: it has no eid")
        return [_sample(record, {})]

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        if source.appendable:
            return super().scan(store, source, start, end)
        try:
            numbers, found = use_database(store, source.path, _all)
        except DAMAGED as error:
            reason = f"this database cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=end)
        skipped = [
            Skipped(file=source.path, line=row, reason=str(sample))
            for row, sample in zip(numbers, found)
            if isinstance(sample, str)
        ]
        pairs = [(row, sample) for row, sample in zip(numbers, found) if not isinstance(sample, str)]
        columns: dict[str, Sequence[Any]] = dict(sample_columns([sample for _, sample in pairs]))
        columns["step"] = [sample.step for _, sample in pairs]
        columns["offset"] = [row for row, _ in pairs]
        columns["length"] = columns["line"] = [0] * len(pairs)
        return Scan(columns=columns, rows=len(pairs), skipped=skipped, end=end)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        if source.appendable:
            return super().load(store, source, place)
        try:
            found = use_database(store, source.path, partial(_one, row=place.offset))
        except (*DAMAGED, Unreadable) as error:
            raise NotFoundError(f"{source.path} cannot be read: {error}", hint="Refresh the run.") from error
        return found

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        return super().texts(store, source, place) if source.appendable else Format.texts(self, store, source, place)


def _is_buffer(store: Store, path: str) -> bool:
    try:
        return is_sqlite(store, path) and use_database(store, path, _table) is not None
    except DAMAGED:
        return False


def _table(database: Sqlite) -> str | None:
    """The table of experiences: its name is the buffer's, and its tensors lie in another with `_blob` behind it."""
    for name in database.tables:
        if database.has(name, *_COLUMNS) and database.has(f"{name}_blob", "id", _BLOB):
            return name
    return None


def _all(database: Sqlite) -> tuple[list[int], list[Sample | str]]:
    table = _table(database)
    rows = database.rows(f"{table}_blob", ["id", _BLOB], order="id") if table else iter(())
    numbers: list[int] = []
    found: list[Sample | str] = []
    for row, data in rows:
        numbers.append(int(row))
        try:
            found.append(_experience(bytes(data)))
        except (Unreadable, *DAMAGED) as error:
            found.append(f"the experience cannot be read: {error}")
    return numbers, found


def _one(database: Sqlite, row: int) -> Sample:
    found = list(database.rows(f"{_table(database)}_blob", [_BLOB], "id = ?", [row]))
    if not found:
        raise Unreadable(f"it has no row {row} any more")
    return _experience(bytes(found[0][0]))


def _experience(data: bytes) -> Sample:
    """`TRXP`, or a bare pickle in older versions. Only what the restricted unpickler admits is built."""
    tensors: dict[str, list[Any]] = {}
    if data.startswith(_MAGIC):
        _, _, length, _ = _HEADER.unpack_from(data)
        told = mapping(pickle.plain(pickle.loads(data[_HEADER.size : _HEADER.size + length])))
        record = mapping(next(iter(items(told.get("items"))), None))
        tensors = dict(_safetensors(data[_HEADER.size + length :]))
    else:
        record = mapping(pickle.plain(pickle.loads(data)))
    if not record:
        raise Unreadable("it holds no experience")
    sample = _sample(record, tensors)
    sample.record = printable(record)
    return sample


def _safetensors(data: bytes) -> Iterator[tuple[str, list[Any]]]:
    if len(data) < 8:
        return
    (length,) = struct.unpack_from("<Q", data)
    header = msgspec.json.decode(data[8 : 8 + length], type=dict[str, Any])
    for name, told in header.items():
        kind = _TYPES.get(str(mapping(told).get("dtype")))
        if kind is not None:
            start, end = told["data_offsets"]
            yield name.rpartition(":")[2], np.frombuffer(data[8 + length + start : 8 + length + end], kind).tolist()


def _sample(record: dict[str, Any], tensors: dict[str, list[Any]]) -> Sample:
    eid, info = mapping(record.get("eid")), mapping(record.get("info"))
    batch, task = eid.get("batch"), eid.get("task")
    version = count(info.get("model_version"))
    truncated = text(record.get("truncate_status"))
    asked = count(record.get("prompt_length"))
    answered = count(record.get("response_length")) or len(tensors.get("action_mask", ())) or None
    tokens = _tokens(tensors, asked or 0)
    advantages = {value for value in tokens.advantage if value is not None} if tokens else set()
    return Sample(
        step=int(str(batch)) if str(batch).isdecimal() else version or 0,
        group=f"{batch}/{task}" if task is not None else None,
        messages=_messages(record),
        reward=number(record.get("reward")),
        advantage=float(advantages.pop()) if len(advantages) == 1 else None,
        metrics=numbers_of(record.get("metrics")),
        sampling_step=version,
        prompt_tokens=asked,
        completion_tokens=answered,
        status="truncated" if truncated else None,
        stop_reason=truncated,
        tokens=tokens,
    )


def _messages(record: dict[str, Any]) -> list[Message]:
    if told := items(record.get("messages")):
        return conversation(told)
    return render.split_conversation(text(record.get("prompt_text")) or "", text(record.get("response_text")) or "")


def _tokens(tensors: dict[str, list[Any]], asked: int) -> TokenArrays | None:
    ids = tensors.get("tokens", [])[asked:]
    if not ids:
        return None
    same = {name: values for name, values in tensors.items() if len(values) == len(ids)}
    return TokenArrays(
        ids=ids,
        logprobs=same.get("logprobs", []),
        advantage=same.get("advantages", []),
        mask=[int(value) for value in same.get("action_mask", [])],
    )
