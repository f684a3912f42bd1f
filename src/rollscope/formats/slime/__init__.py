"""slime and miles: what `--dump-details` or `--save-debug-rollout-data` saves with torch, one `.pt` file a rollout.

`rollout_data/{rollout_id}.pt` has the samples, `eval_{rollout_id}.pt` those of an evaluation. `train_data/{rollout_id}.pt`
has what the trainer made of them, joined by their position. miles also writes `dashboard_columns/rollout_{id}.parquet`.
The files are pickles: they are read without torch and without running anything (see `containers.pickle`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Place, Scan, Source
from rollscope.formats.containers.parquet import Table
from rollscope.formats.containers.pickle import load_torch, plain
from rollscope.formats.containers.zip import ZIPS, Zip, open_zip
from rollscope.formats.slime.sample import build_sample, values
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

#: The path is the user's, `{rollout_id}` in it is the number, with `eval_` before it for an evaluation.
_FILE = re.compile(r".*?(eval_)?(\d+)\.pt")
_ROLLOUTS, _TRAINED, _DASHBOARD = "rollout_data", "train_data", "dashboard_columns"
#: Of a pickle that may be gigabytes of weights: what it is shows at its beginning.
_HEAD = 64 << 10


class SlimeFormat(Format):
    name: ClassVar[str] = "slime"
    limits: ClassVar[tuple[str, ...]] = (
        "Advantages and the trainer's log-probabilities are there only with train_data/ (--dump-details).",
        "Advantages are per token: a sample shows one only where all trained tokens have the same.",
        "Evaluations of several datasets lie in one file, and nothing says which sample is of which.",
        "A reward that is a dict has a total only where it names one (total, score or reward).",
    )

    def detect(self, store: Store) -> Claim | None:
        for source in list(self.sources(store))[:4]:
            try:
                if ZIPS.use(store, source.path, _is_rollout):
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
            (int(match[2]), bool(match[1]), match[0])
            for name in store.files(folder)
            if (match := _FILE.fullmatch(name))
        ]
        for step, is_eval, name in sorted(found):
            split = "eval/all" if is_eval else "train"
            path = f"{folder}/{name}".lstrip("/")
            source = Source(path=path, split=split, step=step, appendable=False)
            yield self.source_now(store, source)

    def source_now(self, store: Store, source: Source) -> Source:
        if "/" not in source.path or source.step is None:
            return source
        is_eval = source.split != "train"
        beside = [_state(store, other) for other in (_trained_file(source.step), _dashboard_file(source.step, is_eval))]
        note = "" if not any(beside) or (is_eval and not beside[1]) else " ".join(beside)
        return msgspec.structs.replace(source, note=note)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        skipped: list[Skipped] = []
        found: list[dict[str, Any]] = []
        try:
            samples = DUMPS.use(store, source.path, _samples)
            trained = _trained(store, source)
        except DAMAGED as error:
            reason = f"this file cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        for number, item in enumerate(samples):
            try:
                record = DUMPS.use(store, source.path, lambda _, item=item: plain(item))  # type: ignore[misc]
                if not isinstance(record, dict):
                    raise ValueError("it is no record")
                row = values(record, trained.get(number, {}))
            except DAMAGED as error:
                skipped.append(Skipped(file=source.path, line=number + 1, reason=f"sample {number}: {error}"))
                continue
            found.append({**row, "offset": number, "length": row["response_bytes"]})
        names = {name for row in found for name in row}
        columns = {name: [row.get(name) for row in found] for name in sorted(names)}
        return Scan(columns=dict(columns), rows=len(found), skipped=skipped, end=size)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            record = DUMPS.use(store, source.path, partial(_one, number=place.offset))
            sample = build_sample(
                record, _trained(store, source).get(place.offset, {}), _dashboard(store, source, record)
            )
        except DAMAGED as error:
            raise NotFoundError(
                f"{source.path} cannot be read: {error}", hint="It may be being rewritten; try again."
            ) from error
        sample.split, sample.step = place.split, place.step
        sample.source = {"file": source.path, "row": place.offset}
        return sample

    def claims(self, store: Store, path: str) -> bool:
        return path.startswith((f"{_TRAINED}/", f"{_DASHBOARD}/"))


class Dump(Struct):
    """What torch saved, and the archive in which its tensors lie."""

    value: Any
    archive: Zip


def _open(store: Store, path: str) -> Dump:
    archive = open_zip(store, path)
    return Dump(load_torch(archive), archive)


#: Unpickled files: a rollout's and what was trained of it.
DUMPS: KeptOpen[Dump] = KeptOpen(_open, limit=2, attempts=2)


def _is_rollout(archive: Zip) -> bool:
    name = next((name for name in archive.names if name.rpartition("/")[2] == "data.pkl"), None)
    if name is None:
        return False
    head = archive.read_stored(name, 0, _HEAD)
    return b"samples" in head and (b"rollout_id" in head or b"response_length" in head)


def _samples(dump: Dump) -> list[Any]:
    samples = dump.value.get("samples") if isinstance(dump.value, dict) else None
    if not isinstance(samples, (list, tuple)):
        raise ValueError("it has no samples")
    # A rollout function may return groups.
    return [item for entry in samples for item in (entry if isinstance(entry, (list, tuple)) else [entry])]


def _one(dump: Dump, number: int) -> dict[str, Any]:
    samples = _samples(dump)
    record = plain(samples[number]) if number < len(samples) else None
    if not isinstance(record, dict):
        raise ValueError(f"it has {len(samples)} samples now, and no sample {number}")
    return record


def _trained_file(step: int) -> str:
    return f"{_TRAINED}/{step}.pt"


def _dashboard_file(step: int, is_eval: bool) -> str:
    return f"{_DASHBOARD}/rollout_{'eval_' if is_eval else ''}{step}.parquet"


def _state(store: Store, path: str) -> str:
    stat = store.stat(path) if store.exists(path) else None
    return f"{stat.size}:{stat.version}" if stat is not None else ""


def _trained(store: Store, source: Source) -> dict[int, dict[str, Any]]:
    """What the trainer made of each sample, by its position in the rollout."""
    path = _trained_file(source.step or 0)
    if source.split != "train" or not source.note or not store.exists(path):
        return {}
    try:
        return _TRAINED_ROWS.use(store, path, lambda rows: rows)
    except DAMAGED:
        return {}


def _open_trained(store: Store, path: str) -> dict[int, dict[str, Any]]:
    samples = DUMPS.use(store, path, lambda dump: [plain(item) for item in _samples(dump)])
    told = [item for item in samples if isinstance(item, dict)]
    return {item["rollout_position"]: item for item in told if isinstance(item.get("rollout_position"), int)}


_TRAINED_ROWS: KeptOpen[dict[int, dict[str, Any]]] = KeptOpen(_open_trained, limit=2, attempts=2)


def _dashboard(store: Store, source: Source, record: dict[str, Any]) -> dict[str, Any]:
    """miles' row per token of this sample, by its index."""
    path = _dashboard_file(source.step or 0, source.split != "train")
    index = record.get("index")
    if not source.note or not store.exists(path) or not isinstance(index, int):
        return {}
    try:
        return _TABLES.use(store, path, partial(_dashboard_row, index=index))
    except DAMAGED:
        return {}


def _dashboard_row(table: Table, index: int) -> dict[str, Any]:
    rows = table.find("sample_index", index) if "sample_index" in table.names else []
    return table.rows(rows)[0] if len(rows) == 1 else {}


_TABLES: KeptOpen[Table] = KeptOpen(lambda store, path: Table(store.open(path)), limit=4, attempts=2)
