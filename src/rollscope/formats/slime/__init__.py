"""slime and miles: what `--dump-details` or `--save-debug-rollout-data` saves with torch, one `.pt` file a rollout.

`rollout_data/{rollout_id}.pt` has the samples, `eval_{rollout_id}.pt` those of an evaluation. `train_data/` has what the
trainer made of them. miles also writes `dashboard_columns/rollout_{id}.parquet` and `trajectory/{id}.jsonl`.
The files are pickles: they are read without torch and without running anything (see `containers.pickle`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

import msgspec

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Place, Scan, Source
from rollscope.formats.containers.pickle import plain
from rollscope.formats.containers.zip import ZIPS
from rollscope.formats.slime import miles_files
from rollscope.formats.slime.dump import DUMPS, Dump, is_rollout, samples_of
from rollscope.formats.slime.sample import build_sample, values
from rollscope.formats.slime.trained import FOLDER as TRAINED
from rollscope.formats.slime.trained import trained_files, trained_samples
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

#: The path is the user's, `{rollout_id}` in it is the number, with `eval_` before it for an evaluation.
_FILE = re.compile(r".*?(eval_)?(\d+)\.pt")
_ROLLOUTS = "rollout_data"


class SlimeFormat(Format):
    name: ClassVar[str] = "slime"
    limits: ClassVar[tuple[str, ...]] = (
        "Advantages and the trainer's log-probabilities are there only with train_data/ (--dump-details).",
        "The weights' versions count how often they were sent, not steps: there is no staleness.",
        "Advantages are per token: a sample shows one only where all trained tokens have the same.",
        "Values that context parallelism split over ranks are put together where their lengths leave no doubt; else missing.",
        "Evaluations of several datasets lie in one file, and nothing says which sample is of which.",
        "A reward that is a dict has a total where train_data/ says which value it is, or it names one (total, score, reward).",
        "miles' dashboard_columns/ alone has token ids and no text, reward or group.",
    )

    def detect(self, store: Store) -> Claim | None:
        for source in list(self.sources(store))[:4]:
            try:
                if source.path.endswith(".parquet"):
                    if miles_files.is_columns(store, source.path):
                        return Claim(
                            confidence=0.9, reasons=(f"{source.path} has the token columns that miles writes",)
                        )
                elif ZIPS.use(store, source.path, is_rollout):
                    return Claim(
                        confidence=0.95, reasons=(f"{source.path} holds rollout_id and samples, as slime saves them",)
                    )
            except DAMAGED as error:
                if "/" in source.path:
                    return Claim(confidence=0.5, reasons=(f"{source.path} is named as slime's, but {error}",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        folder = _ROLLOUTS if _ROLLOUTS in store.folders() else ""
        found = [
            (int(match[2]), bool(match[1]), f"{folder}/{name}".lstrip("/"))
            for name in store.files(folder)
            if (match := _FILE.fullmatch(name))
        ]
        if not found:
            # Columns are a rollout's twin: they count where it is not there.
            folder = miles_files.COLUMNS if miles_files.COLUMNS in store.folders() else ""
            found = list(miles_files.column_files(store, folder))
        for step, is_eval, path in sorted(found):
            source = Source(path=path, split="eval/all" if is_eval else "train", step=step, appendable=False)
            yield self.source_now(store, source)

    def source_now(self, store: Store, source: Source) -> Source:
        if "/" not in source.path or source.step is None or source.path.endswith(".parquet"):
            return source
        states = [_state(store, path) for path in _joined(store, source)]
        return msgspec.structs.replace(source, note=" ".join(states))

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        skipped: list[Skipped] = []
        found: list[dict[str, Any]] = []
        try:
            if source.path.endswith(".parquet"):
                return miles_files.scan_columns(store, source.path)
            records = DUMPS.use(store, source.path, _records)
        except DAMAGED as error:
            reason = f"this file cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        told = [record if isinstance(record, dict) else {} for record in records]
        trained = trained_samples(store, source.step or 0, told, range(len(told))) if _is_trained(source) else []
        for number, record in enumerate(records):
            if isinstance(record, dict):
                row = values(record, trained[number] if trained else {})
                found.append({**row, "offset": number, "length": row["response_bytes"]})
            else:
                skipped.append(Skipped(file=source.path, line=number + 1, reason=f"sample {number}: {record}"))
        names = {name for row in found for name in row}
        columns = {name: [row.get(name) for row in found] for name in sorted(names)}
        return Scan(columns=dict(columns), rows=len(found), skipped=skipped, end=size)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            if source.path.endswith(".parquet"):
                sample = miles_files.column_sample(store, source.path, place.offset)
            else:
                sample = self._sample(store, source, place.offset)
        except DAMAGED as error:
            raise NotFoundError(
                f"{source.path} cannot be read: {error}", hint="It may be being rewritten; try again."
            ) from error
        sample.split, sample.step = place.split, place.step
        sample.source = {"file": source.path, "row": place.offset}
        return sample

    def _sample(self, store: Store, source: Source, number: int) -> Sample:
        record, indices = DUMPS.use(store, source.path, partial(_one, number=number))
        step, is_eval, index = source.step or 0, source.split != "train", record.get("index")
        if "/" not in source.path:
            return build_sample(record, {}, {}, [])
        trained: dict[str, Any] = {}
        if _is_trained(source):
            # Only the indices of the others matter, and whether one of them is this one's.
            told = [record if place == number else {"index": other} for place, other in enumerate(indices)]
            (trained,) = trained_samples(store, step, told, [number])
        occurrence = indices[:number].count(index)
        columns = miles_files.token_columns(store, miles_files.columns_file(step, is_eval), index, occurrence)
        messages = miles_files.conversation_of(store, miles_files.conversations_file(step, is_eval), index, occurrence)
        return build_sample(record, trained, columns, messages)

    def claims(self, store: Store, path: str) -> bool:
        return path.startswith((f"{TRAINED}/", f"{miles_files.COLUMNS}/", f"{miles_files.CONVERSATIONS}/"))


def _records(dump: Dump) -> list[Any]:
    """Each sample as a record; in the place of one that cannot be read, why."""
    found: list[Any] = []
    for item in samples_of(dump):
        try:
            record = plain(item)
            found.append(record if isinstance(record, dict) else "it is no record")
        except DAMAGED as error:
            found.append(str(error))
    return found


def _one(dump: Dump, number: int) -> tuple[dict[str, Any], list[Any]]:
    """The record, and the indices of all of them."""
    samples = samples_of(dump)
    record = plain(samples[number]) if number < len(samples) else None
    if not isinstance(record, dict):
        raise ValueError(f"it has {len(samples)} samples now, and no sample {number}")
    return record, [item.get("index") if isinstance(item, dict) else None for item in samples]


def _is_trained(source: Source) -> bool:
    return source.split == "train" and "/" in source.path


def _joined(store: Store, source: Source) -> list[str]:
    """The files beside a rollout's that belong to its samples."""
    step, is_eval = source.step or 0, source.split != "train"
    paths = [] if is_eval else trained_files(store, step)
    paths += [miles_files.columns_file(step, is_eval), miles_files.conversations_file(step, is_eval)]
    return [path for path in paths if store.exists(path)]


def _state(store: Store, path: str) -> str:
    stat = store.stat(path)
    return f"{stat.size}:{stat.version}" if stat is not None else ""
