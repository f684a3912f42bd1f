"""Reading the texts of many samples for their words, here or in workers."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec
import numpy as np
from msgspec import Struct

from rollscope.arrays import Hashes, Ints
from rollscope.formats.base import Format, Texts
from rollscope.formats.registry import from_reference, reference
from rollscope.index.engines.base import Engine, Task
from rollscope.index.engines.scheduler import Job, Schedule
from rollscope.index.rows.row_places import RowPlaces, file_batches
from rollscope.index.rows.row_texts import FileRows, without_long
from rollscope.index.snapshot import Snapshot
from rollscope.query import limits
from rollscope.query.insights.contrast.ngrams import LONGEST, FoundPhrases, find_phrases, wanted_phrases
from rollscope.query.insights.contrast.words import Words, cut
from rollscope.query.search.scan import texts_of_rows
from rollscope.query.search.text_search import INLINE_BYTES
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store

FUNCTION = "rollscope.query.insights.contrast.texts:read_words"
#: Bytes of source that one task reads: enough to be worth sending, few enough that its words take little room.
TASK_BYTES = 4 << 20


class WordsTask(Struct, array_like=True):
    """Read these rows; with `wanted` (a matrix of words' hashes, as bytes) say which of them hold which phrase, else give all
    their words."""

    format: str
    address: bytes
    field: str
    wanted: bytes | None
    files: list[FileRows]
    #: Longer lines are not read: they would be held in memory whole.
    max_line: int | None


class WordsAnswer(Struct, array_like=True):
    """Columns as bytes: hashes and texts of words, or phrases and texts of what was found; and how many rows could be read."""

    first: bytes
    second: bytes
    read: int


class TextSource(Struct):
    """Where the samples of a run's snapshot are read."""

    snapshot: Snapshot
    format: Format
    store: Store
    engine: Engine


_tasks = msgspec.msgpack.Decoder(WordsTask)
_answers = msgspec.msgpack.Decoder(WordsAnswer)


def read_words(payload: bytes) -> bytes:
    """In a worker."""
    task = _tasks.decode(payload)
    return msgspec.msgpack.encode(_read(task, from_reference(task.format), open_store(os.fsdecode(task.address))))


def _read(task: WordsTask, format_: Format, store: Store) -> WordsAnswer:
    rows: list[int] = []
    texts: list[str] = []
    before = 0
    for file in task.files:
        kept, places, _ = without_long(file, task.max_line)
        for place, found in texts_of_rows(kept, format_, store):
            text = text_of(found, task.field)
            if text is not None:
                rows.append(before + places[place])
                texts.append(text)
        before += len(file.offsets)
    words = cut(texts)
    numbers = np.array(rows, dtype=np.int64)
    if task.wanted is None:
        return WordsAnswer(words.hashes.tobytes(), numbers[words.texts].tobytes(), len(rows))
    wanted = wanted_phrases(np.frombuffer(task.wanted, dtype=np.uint64).reshape(-1, LONGEST))
    phrases = find_phrases(words, wanted)
    return WordsAnswer(phrases.phrases.tobytes(), numbers[phrases.texts].tobytes(), len(rows))


def text_of(texts: Texts, field: str) -> str | None:
    """The text of this field, or all texts of the sample; None if it has none."""
    found = [text for name, text in texts if field in (name, "text")]
    return "\n".join(found) if found else None


def words_of(source: TextSource, places: RowPlaces, field: str) -> tuple[Words, int]:
    """(the words of the rows, by the rows' place among those asked for, how many of them could be read)."""
    hashes: list[Hashes] = []
    texts: list[Ints] = []
    read = 0
    for first, answer in _answers_of(source, places, field, None):
        hashes.append(np.frombuffer(answer.first, dtype=np.uint64))
        texts.append(np.frombuffer(answer.second, dtype=np.int64) + first)
        read += answer.read
    none = np.zeros(0, dtype=np.int64)
    words = Words(np.concatenate([none.astype(np.uint64), *hashes]), np.concatenate([none, *texts]), none, none)
    return words, read


def phrases_of(source: TextSource, places: RowPlaces, field: str, wanted: Hashes) -> tuple[FoundPhrases, int]:
    """(which of the rows hold which of these phrases, given as a matrix; how many could be read)."""
    phrases: list[Ints] = [np.zeros(0, dtype=np.int64)]
    texts: list[Ints] = [np.zeros(0, dtype=np.int64)]
    read = 0
    for first, answer in _answers_of(source, places, field, wanted.tobytes()):
        phrases.append(np.frombuffer(answer.first, dtype=np.int64))
        texts.append(np.frombuffer(answer.second, dtype=np.int64) + first)
        read += answer.read
    return FoundPhrases(np.concatenate(phrases), np.concatenate(texts), np.zeros(0, dtype=np.int64)), read


def _answers_of(
    source: TextSource, places: RowPlaces, field: str, wanted: bytes | None
) -> Iterator[tuple[int, WordsAnswer]]:
    if not len(places.files):
        return
    format_, address, max_line = (
        reference(source.format),
        os.fsencode(source.store.address),
        limits.current().line_bytes,
    )
    tasks = (
        (first, WordsTask(format_, address, field, wanted, files, max_line))
        for first, files in file_batches(source.snapshot, places, TASK_BYTES)
    )
    elsewhere = int(places.lengths.sum()) >= INLINE_BYTES and source.store.reachable
    jobs = (_job(source, first, task) for first, task in tasks)
    yield from Schedule(jobs, source.engine if elsewhere else None).results()


def _job(source: TextSource, first: int, task: WordsTask) -> Job[int, WordsAnswer]:
    return Job(
        first,
        task=lambda: Task(FUNCTION, msgspec.msgpack.encode(task)),
        decode=_answers.decode,
        here=lambda: _read(task, source.format, source.store),
    )
