"""The work of one feature task: rows in, their feature columns out. Runs in a worker or in place."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct

from rollscope.errors import RollscopeError
from rollscope.features.base import Feature, GroupFeature, SampleTexts, prepare
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.registry import Registry, registry
from rollscope.formats.base import Format, Texts, sample_texts
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.registry import from_reference
from rollscope.index import compute
from rollscope.index.engines.base import Task
from rollscope.index.features.columns import column_name, column_type, text_array
from rollscope.index.rows.row_texts import FileRows, are_lines, lines_of_rows, place_of_row, texts_of_rows, without_long
from rollscope.model import TokenArrays
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store

FUNCTION = "rollscope.index.features.task:feature_task"
#: How much below others a worker of the background stands in the queue for the processor.
NICENESS = 15
#: A file with fewer rows than this is not checked for tokens, except the first few files of a task.
FEW_ROWS, FIRST_FILES = 8, 4
#: Samples that are looked at together, and their characters.
BATCH_TEXTS, BATCH_CHARS = 1024, 1_000_000


class FeatureTask(Struct, array_like=True):
    format: str
    #: The store's address.
    address: bytes
    #: The user's own patterns, as text.
    patterns: str
    files: list[FileRows]
    #: No caller is waiting for it.
    background: bool = False
    #: Of longer lines nothing is computed: they are not held in memory whole.
    max_line: int | None = None


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
    with _no_collecting():
        return _compute_features(task, format_, store)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Thousands of samples live for a moment, without cycles among them: the collector would look at all there is again and
    again, a third of the time for short texts."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _compute_features(task: FeatureTask, format_: Format, store: Store) -> pa.Table:
    known = registry(task.patterns)
    count = sum(len(rows.offsets) for rows in task.files)
    failed: dict[str, str] = {}
    computed = [feature for feature in known.features.values() if not _borrows(feature)]
    places: list[int] = []
    pieces: list[list[pa.Array]] = [[] for _ in computed]
    for batch in _batches(_read(task, known, format_, store)):
        samples = [texts for _, texts in batch]
        places += [position for position, _ in batch]
        scan = prepare(samples)
        together = None if scan is None else TextBatch(samples, scan)
        tokens = any(texts.tokens is not None for texts in samples)
        for feature, arrays in zip(computed, pieces):
            if feature.tokens and not tokens:
                arrays.append(pa.nulls(len(samples), column_type(feature)))
            else:
                arrays.append(text_array(feature, _values_of(feature, samples, together, failed)))
    columns = {
        column_name(feature): pa.chunked_array(arrays, column_type(feature))
        for feature, arrays in zip(computed, pieces)
    }
    return _of_all_rows(pa.table(columns), places, count).replace_schema_metadata(
        {"failed": msgspec.json.encode(failed)}
    )


def _of_all_rows(read: pa.Table, places: list[int], count: int) -> pa.Table:
    """With nulls for the rows that could not be read."""
    if len(places) == count:  # nearly always
        return read
    rows, known = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    rows[places], known[places] = np.arange(len(places)), True
    return compute.take(read.combine_chunks(), compute.numbers_known(rows, known))


def _values_of(
    feature: Feature, samples: list[SampleTexts], together: TextBatch | None, failed: dict[str, str]
) -> Values:
    if feature.compute_batch is not None and together is not None:
        with suppress(Exception):  # it happens again below, where only the text that it is about has no value then
            return feature.compute_batch(together)
    found: list[Any] = []
    for texts in samples:
        try:
            found.append(feature.compute(texts))
        except Exception as error:  # noqa: BLE001  # a plug-in's fault is reported, the others' values are kept
            failed.setdefault(feature.name, f"{type(error).__name__}: {error}")
            found.append(None)
    return found


def _batches(read: Iterator[tuple[int, SampleTexts]]) -> Iterator[list[tuple[int, SampleTexts]]]:
    """Samples that are looked at together: few enough that a run of very long texts needs no more memory."""
    batch: list[tuple[int, SampleTexts]] = []
    size = 0
    for item in read:
        batch.append(item)
        size += len(item[1].response_text)
        if len(batch) == BATCH_TEXTS or size > BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _borrows(feature: Feature) -> bool:
    return isinstance(feature, GroupFeature) and bool(feature.sketch)


def _read(task: FeatureTask, known: Registry, format_: Format, store: Store) -> Iterator[tuple[int, SampleTexts]]:
    wants_tokens = any(feature.tokens for feature in known.features.values())
    has_tokens = False
    before = 0
    for number, asked in enumerate(task.files):
        rows, places, _ = without_long(asked, task.max_line)
        try:
            if wants_tokens and rows.offsets:
                asks = has_tokens or number < FIRST_FILES or len(asked.offsets) >= FEW_ROWS
                has_tokens = asks and _tokens_of(rows, 0, format_, store) is not None
            for place, texts in _texts_of_rows(rows, format_, store):
                if has_tokens:
                    texts.tokens = _tokens_of(rows, place, format_, store)
                yield before + places[place], texts
        except OSError:
            pass  # the file has just gone; the next look at the run says so
        before += len(asked.offsets)


def _texts_of_rows(rows: FileRows, format_: Format, store: Store) -> Iterator[tuple[int, SampleTexts]]:
    """Each with its place among these. Of most formats each line in one go; what is no plain text there is looked at as
    anywhere."""
    read = format_.text_reader() if are_lines(rows, format_) else None
    if read is None:
        for position, found in texts_of_rows(rows, format_, store):
            yield position, texts_given(found)
        return
    with suppress(Unreadable):  # a sealed file that was damaged since it was indexed
        for position, line in lines_of_rows(rows, store):
            try:
                row = read(line)
                prompt, response, golden = row.prompt, row.response, row.golden
                if type(prompt) is str and type(response) is str and (golden is None or type(golden) is str):
                    yield position, SampleTexts(prompt or None, response, (golden,) if golden else ())
                    continue
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                pass
            with suppress(Unreadable):
                yield (
                    position,
                    texts_given(format_.line_texts(bytes(line), rows.source, place_of_row(rows, position))),
                )


def texts_given(texts: Texts) -> SampleTexts:
    """What a feature is given of a sample; also for those who want to see where it saw something."""
    prompt = response = None
    golden = []
    for name, text in texts:
        if name == "prompt":
            prompt = text
        elif name == "response":
            response = text
        elif name == "golden":
            golden.append(text)
    return SampleTexts(prompt, response, golden)


def _tokens_of(rows: FileRows, position: int, format_: Format, store: Store) -> TokenArrays | None:
    try:
        return format_.load(store, rows.source, place_of_row(rows, position)).tokens
    except (RollscopeError, Unreadable, ValueError):
        return None


__all__ = ["FeatureTask", "compute_features", "decode_features", "engine_task", "sample_texts", "texts_given"]
