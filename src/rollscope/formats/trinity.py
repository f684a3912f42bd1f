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
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.lenient import Unreadable, printable
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.step_files import files_with
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Message, Sample, Skipped, TokenArrays
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

#: A reward and texts are written where there are any.
_MARKS = frozenset({"eid", "prompt_length"})
#: The pickled experience: the second in versions before 0.3.
_BLOBS = ("experience_bytes", "serialized_exp")
#: Magic, version, bytes of the pickled part, bytes of the tensors.
_HEADER = struct.Struct("<4sBQQ")
_MAGIC = b"TRXP"
#: Those that are shown: values per token of the answer, and the tokens of all.
_TENSORS = ("tokens", "logprobs", "advantages", "teacher_logprobs", "action_mask")
_TYPES = {"I64": "<i8", "I32": "<i4", "F32": "<f4", "F64": "<f8", "F16": "<f2", "BF16": "<u2", "BOOL": "?", "U8": "u1"}


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
        return Claim(confidence=0.95, reasons=(f"records with eid and prompt_length in {sources[0].path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        folder = "buffer" if "buffer" in store.folders() else ""
        names = store.files(folder)
        paths = {name: f"{folder}/{name}" if folder else name for name in names}
        databases = [name for name in names if name.endswith(".db") and _is_buffer(store, paths[name])]
        for name in databases:
            yield Source(path=paths[name], appendable=False, note=wal_state(store, paths[name]))
        # Beside a database of the same name lies the same buffer again, without its tensors. Lines may be named `.json`.
        lines = [
            paths[name]
            for name in names
            if name.endswith((".jsonl", ".json")) and f"{name.rpartition('.')[0]}.db" not in databases
        ]
        for path in files_with(store, lines, _MARKS):
            yield Source(path=path)

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
            columns, unread = use_database(store, source.path, _rows)
        except DAMAGED as error:
            reason = f"this database cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=end)
        skipped = [Skipped(file=source.path, line=row, reason=why) for row, why in unread]
        return Scan(columns=dict(columns), rows=len(columns["offset"]), skipped=skipped, end=end)

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
    """The table of experiences: its name is the buffer's, and its tensors lie in another with `_blob` behind it, or (before
    0.5) in a column of its own. A database may have the trainer's buffer too: what the explorer put out comes first."""
    found = [name for name in database.tables if database.has(name, "reward", "consumed") and _blobs(database, name)]
    return min(found, key=lambda name: name != "pipeline_input", default=None)


def _blobs(database: Sqlite, table: str) -> tuple[str, str] | None:
    """The table and the column of the pickled experiences."""
    places = ((name, column) for name in (f"{table}_blob", table) for column in _BLOBS)
    return next((place for place in places if database.has(place[0], "id", place[1])), None)


def _rows(database: Sqlite) -> tuple[dict[str, list[Any]], list[tuple[int, str]]]:
    """The columns of all experiences, read one by one; and of those that cannot be read the row and why."""
    table = _table(database)
    blobs = _blobs(database, table) if table else None
    numbers: list[int] = []
    places: list[tuple[str, int]] = []
    unread: list[tuple[int, str]] = []

    def samples(table: str, blobs: tuple[str, str]) -> Iterator[Sample]:
        # What a row says counts: it may have been written again since.
        told = {row: rest for row, *rest in database.rows(table, ["id", *_told_apart(database, table)])}
        for row, data in database.rows(blobs[0], ["id", blobs[1]], order="id"):
            try:
                sample = _experience(bytes(data), *told.get(row, ()))
            except (Unreadable, *DAMAGED) as error:
                unread.append((int(row), f"the experience cannot be read: {error}"))
                continue
            numbers.append(int(row))
            places.append((sample.split, sample.step))
            yield sample

    columns = sample_columns(samples(table, blobs) if table and blobs else ())
    columns |= {"split": [split for split, _ in places], "step": [step for _, step in places]}
    columns |= {"offset": numbers, "length": [0] * len(numbers), "line": [0] * len(numbers)}
    return columns, unread


def _one(database: Sqlite, row: int) -> Sample:
    table = _table(database) or ""
    blobs, column = _blobs(database, table) or ("", "")
    found = list(database.rows(blobs, [column], "id = ?", [row]))
    if not found:
        raise Unreadable(f"it has no row {row} any more")
    told = next(database.rows(table, _told_apart(database, table), "id = ?", [row]), ())
    return _experience(bytes(found[0][0]), *told)


def _told_apart(database: Sqlite, table: str) -> list[str]:
    """What a row says beside its experience: before 0.4 not of which version it is."""
    return ["reward", *(["model_version"] if database.has(table, "model_version") else [])]


def _experience(data: bytes, reward: Any = None, version: Any = None) -> Sample:
    """`TRXP`, or the pickled object itself in older versions. Only what the restricted unpickler admits is built."""
    tensors: dict[str, list[Any]] = {}
    if data.startswith(_MAGIC):
        _, _, length, _ = _HEADER.unpack_from(data)
        told = mapping(pickle.plain(pickle.loads(data[_HEADER.size : _HEADER.size + length])))
        record = mapping(next(iter(items(told.get("items"))), None))
        tensors = dict(_safetensors(data[_HEADER.size + length :]))
    else:
        record = mapping(pickle.plain(pickle.loads(data)))
        tensors = {name: record.pop(name) for name in _TENSORS if isinstance(record.get(name), list)}
    if not record:
        raise Unreadable("it holds no experience")
    sample = _sample(record, tensors)
    sample.reward = sample.reward if reward is None else number(reward)
    sample.sampling_step = sample.sampling_step if version is None else count(version)
    sample.record = printable(record)
    return sample


def _safetensors(data: bytes) -> Iterator[tuple[str, list[Any]]]:
    if len(data) < 8:
        return
    (length,) = struct.unpack_from("<Q", data)
    header = msgspec.json.decode(data[8 : 8 + length], type=dict[str, Any])
    for name, told in header.items():
        kind = _TYPES.get(str(mapping(told).get("dtype")))
        if kind is not None and name.rpartition(":")[2] in _TENSORS and ":multi_modal_inputs:" not in name:
            start, end = told["data_offsets"]
            values = np.frombuffer(data[8 + length + start : 8 + length + end], kind)
            if told["dtype"] == "BF16":  # the upper half of a float
                values = (values.astype("<u4") << 16).view("<f4")
            yield name.rpartition(":")[2], values.tolist()


def _sample(record: dict[str, Any], tensors: dict[str, list[Any]]) -> Sample:
    eid, info = mapping(record.get("eid")), mapping(record.get("info"))
    batch, task = eid.get("batch"), eid.get("task")
    # An evaluation's batch is named by its step and its task set: `12/gsm8k`.
    step, _, evaluated = str(batch).partition("/")
    version = count(info.get("model_version"))
    truncated = text(record.get("truncate_status"))
    asked = count(record.get("prompt_length"))
    tokens = _tokens(tensors, asked or 0)
    # What tools said between two answers is no action. Lines have only the length of both.
    answered = sum(tokens.mask) if tokens and tokens.mask else count(record.get("response_length"))
    advantages = {value for value in tokens.advantage if value is not None} if tokens else set()
    return Sample(
        split=f"eval/{evaluated}" if evaluated else "train",
        step=int(step) if step.isdecimal() else version or 0,
        # Before 0.3 an experience had the name of its group, and neither batch nor task.
        group=f"{batch}/{task}" if task is not None else text(record.get("group_id")),
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
        reference_logprobs=same.get("teacher_logprobs", []),
        mask=[int(value) for value in same.get("action_mask", [])],
    )
