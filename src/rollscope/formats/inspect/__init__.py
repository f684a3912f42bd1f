"""Inspect AI's logs: `.eval` (a zip with one member per sample) and `.json`, a folder of which, with those in it, is one run.

An evaluation has no training step. Where the model's name or the log's metadata says a checkpoint's step it is that,
else 0. Logs of one task are one split; where several lie at one step, a sample's group says which log it is of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, ClassVar

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Grouping, MetricRow, Place, Scan, Source
from rollscope.formats.inspect.log import HEADS, LOGS, Log, LogHeader
from rollscope.formats.inspect.sample import build_sample
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Sample, Skipped, as_number
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import SKIP_FOLDERS, Store

_JSON_HEAD = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,.{0,4000}?"eval"\s*:\s*\{', re.DOTALL)
_HEAD_BYTES = 8 << 10
#: JSON files of other kinds that are looked into before a folder is none of Inspect's.
_MAX_JSON = 200
#: Folders of logs in one another.
_MAX_DEPTH = 4


class InspectFormat(Format):
    name: ClassVar[str] = "inspect"
    grouping: ClassVar[Grouping] = "recorded"
    limits: ClassVar[tuple[str, ...]] = (
        "An evaluation has no training step: it is shown as step 0 unless its model or metadata names a checkpoint's.",
        "Of several scorers the headline's is the reward, else the first; the others are parts of it.",
        "C counts as 1, P as 0.5, I and N as 0.",
        "Tokens of the prompt are counted over all calls of a sample and so are not shown.",
        "Nested events (subtasks, tools' own calls) are in the record, not in the conversation.",
    )

    def detect(self, store: Store) -> Claim | None:
        paths = _log_files(store)
        unreadable = ""
        for path in paths[:8]:
            try:
                HEADS.use(store, path, lambda head: head)
            except DAMAGED as error:
                unreadable = unreadable or f"{path} is named as Inspect's logs, but {error}"
                continue
            return Claim(confidence=0.95, reasons=(f"{path} is a log of Inspect",))
        return Claim(confidence=0.5, reasons=(unreadable,)) if unreadable else None

    def sources(self, store: Store) -> Iterable[Source]:
        heads = list(_headers(store))
        tries: dict[str, list[str]] = {}
        for _, path, name in sorted(
            (head.created, path, head.retried or path) for path, head in heads if head is not None
        ):
            tries.setdefault(name, []).append(path)
        # Of an evaluation that was tried again the newest log comes first: it repeats the samples that it kept.
        ranks = {path: -place for paths in tries.values() for place, path in enumerate(paths)}
        names = {
            path: head.retried if len(tries.get(head.retried, ())) > 1 else head.id for path, head in heads if head
        }
        logs = Counter((task, step) for task, step, _ in {(h.task, h.step, names[path]) for path, h in heads if h})
        for path, head in heads:
            if head is None:
                yield Source(path=path, split="eval/all", step=0, appendable=False)
                continue
            # The note is what groups are prefixed with, so that two logs' samples of one id stay apart.
            note = names[path] if logs[head.task, head.step] > 1 else ""
            split, rank = f"eval/{head.task}", ranks[path]
            yield Source(path=path, split=split, step=head.step, appendable=False, note=note, rank=rank)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        try:
            samples, keys, places, skipped = LOGS.use(store, source.path, partial(_scan, source=source))
        except DAMAGED as error:
            reason = f"this log cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        columns: dict[str, list[Any]] = dict(sample_columns(samples)) if samples else {}
        columns |= {"member": [member for member, _, _ in places], "offset": [number for _, number, _ in places]}
        columns["key"] = keys
        columns["length"] = [length for _, _, length in places]
        return Scan(columns=dict(columns), rows=len(samples), skipped=skipped, end=size)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            sample = LOGS.use(store, source.path, partial(_load, source=source, place=place))
        except (*DAMAGED, Unreadable) as error:
            raise NotFoundError(
                f"{source.path} cannot be read: {error}", hint="It may be being rewritten; try again."
            ) from error
        sample.split, sample.step = place.split, place.step
        return sample

    def metric_files(self, store: Store) -> list[str]:
        return _log_files(store)

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        """What each log says of all its samples."""
        for _, head in _headers(store):
            scores = head.results.get("scores") if head is not None else None
            for score in scores if isinstance(scores, list) else ():
                told = score.get("metrics") if isinstance(score, dict) else None
                values = {
                    f"eval/{head.task}/{score.get('name')}/{name}": value
                    for name, item in (told.items() if isinstance(told, dict) else ())
                    if head is not None
                    and isinstance(item, dict)
                    and (value := as_number(item.get("value"))) is not None
                }
                if head is not None and values:
                    yield MetricRow(step=head.step, time=None, values=values)

    def finished(self, store: Store) -> bool | None:
        heads = [head for _, head in _headers(store)]
        return True if heads and all(head is not None and head.has_ended for head in heads) else None

    def config(self, store: Store) -> Any:
        found = {path: head.spec for path, head in _headers(store) if head is not None}
        return next(iter(found.values())) if len(found) == 1 else found or None


def _log_files(store: Store) -> list[str]:
    """By name, which begins with the time; beside logs of this folder also those of the folders in it, as Inspect's own
    viewer lists them."""
    here = _logs_in(store, "")
    return sorted(here) + _logs_below(store, "", _MAX_DEPTH) if here else []


def _logs_below(store: Store, folder: str, depth: int) -> list[str]:
    found: list[str] = []
    for name in store.folders(folder) if depth else ():
        inner = f"{folder}/{name}" if folder else name
        if name not in SKIP_FOLDERS and not name.startswith("."):
            found += [*sorted(_logs_in(store, inner)), *_logs_below(store, inner, depth - 1)]
    return found


def _logs_in(store: Store, folder: str) -> list[str]:
    """Any JSON may be a log: its first members tell."""
    files = [f"{folder}/{name}" if folder else name for name in store.files(folder)]
    found = [path for path in files if path.endswith(".eval")]
    for path in [path for path in files if path.endswith(".json")][:_MAX_JSON]:
        try:
            if _JSON_HEAD.match(store.read(path, 0, _HEAD_BYTES)):
                found.append(path)
        except OSError:
            continue
    return found


def _headers(store: Store) -> Iterator[tuple[str, LogHeader | None]]:
    for path in _log_files(store):
        try:
            yield path, HEADS.use(store, path, lambda head: head)
        except DAMAGED:
            yield path, None


def _scan(log: Log, source: Source) -> tuple[list[Sample], list[str | None], list[tuple[str, int, int]], list[Skipped]]:
    samples: list[Sample] = []
    keys: list[str | None] = []
    places: list[tuple[str, int, int]] = []
    skipped: list[Skipped] = []
    for number, member in enumerate(log.members):
        try:
            record = log.scalars(number)
            samples.append(_grouped(build_sample(record, log.head), source))
        except (*DAMAGED, Unreadable) as error:
            skipped.append(Skipped(file=source.path, line=0, reason=f"{member or f'sample {number}'}: {error}"))
            continue
        name = log.head.retried
        keys.append(f"{name}/{record.get('id')}/{record.get('epoch')}" if name else None)
        places.append((member, number, log.length(number)))
    if log.is_cut:
        reason = f"the end of this log is missing: the {len(log.members)} samples before it are shown"
        skipped.append(Skipped(file=source.path, line=0, reason=reason))
    return samples, keys, places, skipped


def _load(log: Log, source: Source, place: Place) -> Sample:
    number = log.place_of(place.member, place.offset)
    record = log.record(number)
    sample = _grouped(build_sample(record, log.head), source)
    sample.record = record
    sample.source = (
        {"file": source.path, "member": place.member} if place.member else {"file": source.path, "row": number}
    )
    return sample


def _grouped(sample: Sample, source: Source) -> Sample:
    if source.note:
        sample.group = f"{source.note}/{sample.group}"
    return sample
