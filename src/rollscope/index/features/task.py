"""The work of one feature task: rows in, their feature columns out. Runs in a worker or in place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec
import pyarrow as pa
from msgspec import Struct

from rollscope.errors import RollscopeError
from rollscope.features.base import Feature, GroupFeature, SampleTexts, prepare
from rollscope.features.registry import Registry, registry
from rollscope.formats.base import Format, Texts, sample_texts
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.registry import from_reference
from rollscope.index.engines.base import Task
from rollscope.index.row_texts import FileRows, place_of_row, texts_of_rows
from rollscope.model import TokenArrays
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store

FUNCTION = "rollscope.index.features.task:feature_task"
#: How much below others a worker of the background stands in the queue for the processor.
NICENESS = 15
#: In a file of fewer rows than this, nobody looks whether it has tokens, but in the first few of a task.
FEW_ROWS, FIRST_FILES = 8, 4
#: Samples that are looked at together, and their characters: what numpy makes of them stays in the processor's cache.
BATCH_TEXTS, BATCH_CHARS = 32, 300_000

TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "strings": pa.list_(pa.string()),
}
#: The sketch of a group feature, kept so that a group that grows is compared without reading its texts again.
SKETCH = "__sketch."


class FeatureTask(Struct, array_like=True):
    format: str
    #: The store's address.
    address: bytes
    #: The user's own patterns, as text.
    patterns: str
    files: list[FileRows]
    #: Nobody waits for it.
    background: bool = False


_tasks = msgspec.msgpack.Decoder(FeatureTask)


def engine_task(task: FeatureTask) -> Task:
    return Task(FUNCTION, msgspec.msgpack.encode(task))


def feature_task(payload: bytes) -> bytes:
    task = _tasks.decode(payload)
    if task.background:
        _stand_back()
    table = compute_features(task, from_reference(task.format), open_store(os.fsdecode(task.address)))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def decode_features(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()


_stood_back = False


def _stand_back() -> None:
    """A process of the background's own engine: it never serves anybody else."""
    global _stood_back  # noqa: PLW0603  # once a process
    if not _stood_back and hasattr(os, "nice"):
        os.nice(NICENESS)
    _stood_back = True


def compute_features(task: FeatureTask, format_: Format, store: Store) -> pa.Table:
    """One row for each of the task's, in order; a row whose text cannot be read has nothing but nulls."""
    known = registry(task.patterns)
    count = sum(len(rows.offsets) for rows in task.files)
    values: dict[str, list[Any]] = {feature.name: [None] * count for feature in known.features.values()}
    failed: dict[str, str] = {}
    computed = {name: feature for name, feature in known.features.items() if not _borrows(feature)}
    for batch in _batches(_read(task, known, format_, store)):
        prepare([texts for _, texts in batch])
        for name, feature in computed.items():
            column, compute = values[name], feature.compute
            for position, texts in batch:
                try:
                    column[position] = compute(texts)
                except Exception as error:  # noqa: BLE001  # a plug-in's fault is told, the others' values are kept
                    failed.setdefault(name, f"{type(error).__name__}: {error}")
    columns = {_column(feature): _array(feature, values[name]) for name, feature in computed.items()}
    return pa.table(columns).replace_schema_metadata({"failed": msgspec.json.encode(failed)})


def _batches(read: Iterator[tuple[int, SampleTexts]]) -> Iterator[list[tuple[int, SampleTexts]]]:
    """Samples that are looked at together: few enough that a run of very long texts needs no more memory."""
    batch: list[tuple[int, SampleTexts]] = []
    size = 0
    for item in read:
        batch.append(item)
        size += len(item[1].said)
        if len(batch) == BATCH_TEXTS or size > BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _borrows(feature: Feature) -> bool:
    return isinstance(feature, GroupFeature) and bool(feature.sketch)


def _column(feature: Feature) -> str:
    return SKETCH + feature.name if isinstance(feature, GroupFeature) else feature.name


def _array(feature: Feature, values: list[Any]) -> pa.Array:
    if isinstance(feature, GroupFeature):
        return pa.array(values, pa.binary())
    return feature_array(feature, values)


def feature_array(feature: Feature, values: list[Any]) -> pa.Array:
    kind = TYPES[feature.type]
    try:
        return pa.array(values, kind)
    except (UnicodeEncodeError, pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([_coerced(value, feature) for value in values], kind)


def _coerced(value: Any, feature: Feature) -> Any:
    """Text that is no UTF-8 as it can be shown; what is of another type is missing."""
    if isinstance(value, str) and feature.type == "string":
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, (list, tuple)) and feature.type == "strings":
        return [str(item).encode("utf-8", "backslashreplace").decode() for item in value]
    try:
        return pa.scalar(value, TYPES[feature.type]).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _read(task: FeatureTask, known: Registry, format_: Format, store: Store) -> Iterator[tuple[int, SampleTexts]]:
    wants_tokens = any(feature.tokens for feature in known.features.values())
    before = 0
    for number, rows in enumerate(task.files):
        try:
            if wants_tokens and (number < FIRST_FILES or len(rows.offsets) >= FEW_ROWS):
                has_tokens = _tokens_of(rows, 0, format_, store) is not None
            elif wants_tokens and number >= FIRST_FILES:
                has_tokens = has_tokens and _tokens_of(rows, 0, format_, store) is not None
            else:
                has_tokens = False
            for position, texts in texts_of_rows(rows, format_, store):
                tokens = _tokens_of(rows, position, format_, store) if has_tokens else None
                yield before + position, _given(texts, tokens)
        except OSError:
            pass  # the file has just gone; the next look at the run says so
        before += len(rows.offsets)


def _given(texts: Texts, tokens: TokenArrays | None) -> SampleTexts:
    prompt = response = None
    golden = []
    for name, text in texts:
        if name == "prompt":
            prompt = text
        elif name == "response":
            response = text
        elif name == "golden":
            golden.append(text)
    return SampleTexts(prompt, response, golden, tokens)


def _tokens_of(rows: FileRows, position: int, format_: Format, store: Store) -> TokenArrays | None:
    try:
        return format_.load(store, rows.source, place_of_row(rows, position)).tokens
    except (RollscopeError, Unreadable, ValueError):
        return None


def texts_given(texts: Texts) -> SampleTexts:
    """What a feature is given of a sample, for those who want to see where it saw something."""
    return _given(texts, None)


__all__ = ["FeatureTask", "compute_features", "decode_features", "engine_task", "sample_texts", "texts_given"]
