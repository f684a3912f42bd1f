"""Harbor's jobs (terminal-bench 2 and others) and ATIF trajectories: a folder of trials is a run, a trial is a sample.

A trial's `result.json` has what it earned, `agent/trajectory.json` what was said and done; trials of several steps keep
both under `steps/<name>/`. A folder of bare ATIF files opens too: such a file knows no reward.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import msgspec

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Place, Scan, Source
from rollscope.formats.harbor.atif import is_atif
from rollscope.formats.harbor.trial import MAX_BYTES, build_sample, read_trial, trial_files
from rollscope.formats.run_files import read_config
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_RESULT, _TRAJECTORY = "result.json", "agent/trajectory.json"
#: Folders and files looked into before a folder is none of Harbor's.
_LOOKED_AT = 12
_HEAD = 64 << 10


class HarborFormat(Format):
    name: ClassVar[str] = "harbor"
    limits: ClassVar[tuple[str, ...]] = (
        "A job has no training step: it is shown as step 0.",
        "Samples of one task are one group.",
        "Input tokens are counted over all calls of a trial and so are shown as a metric, not as the prompt's.",
        "A bare ATIF file has no reward and no task: files with an equal prompt are shown as one group.",
        "Of a verifier's output the first 64 KB are shown.",
    )

    def detect(self, store: Store) -> Claim | None:
        for place in list(self._trials(store))[:_LOOKED_AT]:
            path = next((path for path in (f"{place}{_RESULT}", f"{place}{_TRAJECTORY}") if store.exists(path)), None)
            if path is not None and (reason := _reason(store, path)):
                return Claim(confidence=0.95, reasons=(reason,))
        for name in _json_files(store)[:_LOOKED_AT]:
            if _is_trajectory(store, name):
                return Claim(confidence=0.85, reasons=(f"{name} is an ATIF trajectory",))
        return None

    def _trials(self, store: Store) -> Iterator[str]:
        """The places of trials, each with a slash at its end; "" where the folder itself is one."""
        if store.exists(_RESULT) and (
            "agent" in store.folders() or "verifier" in store.folders() or "steps" in store.folders()
        ):
            yield ""
            return
        for folder in store.folders():
            if store.exists(f"{folder}/{_RESULT}") or store.exists(f"{folder}/{_TRAJECTORY}"):
                yield f"{folder}/"

    def sources(self, store: Store) -> Iterable[Source]:
        places = list(self._trials(store))
        for place in places:
            path = f"{place}{_RESULT}" if store.exists(f"{place}{_RESULT}") else f"{place}{_TRAJECTORY}"
            states = [(name, store.stat(name)) for name in trial_files(store, place) if name != path]
            told = [f"{name} {stat.size} {stat.version}" for name, stat in states if stat is not None]
            yield Source(path=path, step=0, appendable=False, note=msgspec.json.encode([place, *told]).decode())
        if not places:
            for name in _json_files(store):
                if _is_trajectory(store, name):
                    yield Source(path=name, split="eval/all", step=0, appendable=False)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        try:
            sample = self._sample(store, source)
        except DAMAGED as error:
            reason = f"this trial cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        columns: dict[str, list[Any]] = {**sample_columns([sample]), "offset": [0], "length": [size]}
        if source.split is None:
            columns["split"] = [sample.split]
        return Scan(columns=dict(columns), rows=1, end=size)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            sample = self._sample(store, source)
        except DAMAGED as error:
            raise NotFoundError(
                f"{source.path} cannot be read: {error}", hint="It may be being written; try again."
            ) from error
        sample.split, sample.step = place.split, place.step
        return sample

    def _sample(self, store: Store, source: Source) -> Sample:
        place = msgspec.json.decode(source.note)[0] if source.note else None
        return build_sample(read_trial(store, place, source.path))

    def config(self, store: Store) -> Any:
        return read_config(store)

    def claims(self, store: Store, path: str) -> bool:
        first, _, rest = path.partition("/")
        return bool(rest) or first in (_RESULT, "config.json", "job.log", "lock.json", "trial.log", "exception.txt")


def _json_files(store: Store) -> list[str]:
    return [name for name in store.files() if name.endswith(".json")]


def _reason(store: Store, path: str) -> str | None:
    if _is_trajectory(store, path):
        return f"{path} is an ATIF trajectory"
    try:
        head = store.read(path, 0, MAX_BYTES)
    except OSError:
        return None
    keys = (b'"trial_name"', b'"task_name"', b'"agent_info"')
    return f"{path} is the result of a trial of Harbor" if all(key in head for key in keys) else None


def _is_trajectory(store: Store, path: str) -> bool:
    try:
        return is_atif(store.read(path, 0, _HEAD))
    except OSError:
        return False
