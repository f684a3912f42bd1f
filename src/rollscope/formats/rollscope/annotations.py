"""What the recorder learned of samples after it had written them, joined to them.

`{train|eval_<name>}_iteration_NNNNNN_annotations[.<writer>].jsonl` lies beside the samples of its iteration. A line names
its sample by who recorded it, in which attempt, group and place, and has only the fields that are new; of several about
one sample the later ones count. The state in which these files were indexed is part of their samples' source: lists and
opened samples are made from the same bytes of them, and an iteration is indexed again when they grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from rollscope.fields import Scalars
from rollscope.formats.base import Source
from rollscope.formats.lines.lenient import Unreadable, read_record
from rollscope.formats.rollscope.nonfinite import NOT_FINITE
from rollscope.model import as_number
from rollscope.storage.store import Store

#: (writer, attempt, group, index): which sample of its iteration.
SampleKey = tuple[str, int, int | str | None, int]
_MERGED = ("rewards", "metrics", "timings", "tokens")


class Annotation(Scalars, kw_only=True):
    """The scalars of one annotation; its token arrays are passed over."""

    writer: str = "main"
    attempt: int = 0
    rewards: dict[str, Any] = {}
    metrics: dict[str, Any] = {}
    nonfinite: dict[str, str] = {}

    @property
    def key(self) -> SampleKey:
        return self.writer, self.attempt, self.group, self.index


class _Place(Struct, frozen=True):
    path: str
    offset: int
    length: int


_decode = msgspec.json.Decoder(Annotation).decode


# -- the source that remembers which bytes count ----------------------------------------------------------------------


def note_of(writer: str, store: Store, paths: Iterable[str]) -> str:
    """A source's note: who wrote it, and the annotations of its iteration as they are now."""
    states = [(path, stat.size, stat.version) for path in paths if (stat := store.stat(path)) is not None]
    return writer if not states else msgspec.json.encode([writer, *states]).decode()


def writer_of(source: Source) -> str:
    return str(_parsed(source)[0])


def annotation_files(source: Source) -> list[str]:
    """The annotations that its samples were indexed with."""
    return [path for path, _, _ in _parsed(source)[1:]]


def _parsed(source: Source) -> list[Any]:
    if not source.note.startswith("["):
        return [source.note]
    found: list[Any] = msgspec.json.decode(source.note)
    return found


# -- reading ----------------------------------------------------------------------------------------------------------


def annotations_of(store: Store, source: Source) -> Mapping[SampleKey, list[Annotation]]:
    """By sample, in the order in which they were made."""
    return {key: [item for item, _ in found] for key, found in _all(_AnnotationFiles(store, source)).items()}


def annotation_records(store: Store, source: Source, key: SampleKey) -> list[dict[str, Any]]:
    """The annotations of one sample, whole."""
    records = []
    for _, place in _all(_AnnotationFiles(store, source)).get(key, ()):
        try:
            records.append(read_record(store.read(place.path, place.offset, place.length)))
        except (OSError, Unreadable):
            continue
    return records


class _AnnotationFiles:
    """A key of the cache: the same bytes of the same files."""

    def __init__(self, store: Store, source: Source) -> None:
        self.store = store
        self.states: Sequence[tuple[str, int, str]] = _parsed(source)[1:]
        self._identity = (store.name, msgspec.json.encode(self.states))

    def __hash__(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _AnnotationFiles) and self._identity == other._identity


@lru_cache(maxsize=16)
def _all(files: _AnnotationFiles) -> dict[SampleKey, list[tuple[Annotation, _Place]]]:
    found: dict[SampleKey, list[tuple[Annotation, _Place]]] = {}
    for path, size, _ in files.states:
        try:
            data = files.store.read(path, 0, size)
        except OSError:
            continue
        offset = 0
        # A line without its newline is being written: it counts when it is whole.
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            try:
                annotation = _decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                pass
            else:
                found.setdefault(annotation.key, []).append((annotation, _Place(path, offset, len(line))))
            offset += len(line)
    return found


# -- joining ----------------------------------------------------------------------------------------------------------


def add_to_columns(columns: dict[str, list[Any]], row: int, annotation: Annotation, scalars: Sequence[str]) -> None:
    """Put an annotation into the columns of a scan. ``scalars`` are those that it may set."""

    def put(name: str, value: Any) -> None:
        if name not in columns:
            columns[name] = [None] * len(next(iter(columns.values())))
        columns[name][row] = value

    for name in scalars:
        if (value := getattr(annotation, name)) is not None:
            put(name, value)
    for kind in ("metrics", "rewards"):
        for name, value in getattr(annotation, kind).items():
            if (number := as_number(value)) is not None:
                put(f"{kind}.{name}", number)
    for path, word in annotation.nonfinite.items():
        kind, _, name = path.partition("/")
        if kind in ("metrics", "rewards"):
            put(f"{kind}.{name}", NOT_FINITE.get(word))
        elif path in scalars:
            put(path, NOT_FINITE.get(word))


def joined(record: dict[str, Any], annotations: Sequence[dict[str, Any]], scalars: Sequence[str]) -> dict[str, Any]:
    """A sample's record with its annotations in it."""
    out = dict(record)
    nonfinite = dict(out.get("nonfinite") or {})
    for annotation in annotations:
        for name in scalars:
            if (value := annotation.get(name)) is not None:
                out[name] = value
                nonfinite.pop(name, None)
        for name in _MERGED:
            if isinstance(values := annotation.get(name), dict):
                old = out.get(name)
                out[name] = {**old, **values} if isinstance(old, dict) else values
                for key in values:
                    nonfinite.pop(f"{name}/{key}", None)
        nonfinite |= annotation.get("nonfinite") or {}
    return {**out, "nonfinite": nonfinite}
