"""Harbor's jobs (terminal-bench 2 and others) and ATIF trajectories: a folder of trials is a run, a trial is a sample.

A trial's `result.json` has what it earned, `agent/trajectory.json` what was said and done; trials of several steps keep
both under `steps/<name>/`. A folder of bare ATIF files, or of JSONL with one trajectory a line, opens too: such a file
knows no reward.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import msgspec

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Place, Scan, Source
from rollscope.formats.harbor.atif import is_atif
from rollscope.formats.harbor.trial import MAX_BYTES, build_sample, line_sample, read_trial, trial_files
from rollscope.formats.lines.lenient import Unreadable, read_record
from rollscope.formats.lines.step_files import record_keys
from rollscope.formats.run_files import read_config
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_RESULT, _CONFIG, _TRAJECTORY = "result.json", "config.json", "agent/trajectory.json"
#: The note of a file with one trajectory a line.
_LINES = "lines"
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
            if (path := _main_file(store, place)) is not None and (reason := _reason(store, path)):
                return Claim(confidence=0.95, reasons=(reason,))
        for name in _json_files(store)[:_LOOKED_AT]:
            if _is_trajectory(store, name):
                lines = " per line" if name.endswith(".jsonl") else ""
                return Claim(confidence=0.85, reasons=(f"{name} is an ATIF trajectory{lines}",))
        return None

    def _trials(self, store: Store) -> Iterator[str]:
        """The places of trials, each with a slash at its end; "" where the folder itself is one."""
        if (store.exists(_RESULT) and {"agent", "verifier", "steps"} & set(store.folders())) or _has_begun(store, ""):
            yield ""
            return
        for folder in store.folders():
            if store.exists(f"{folder}/{_RESULT}") or _has_begun(store, f"{folder}/"):
                yield f"{folder}/"

    def sources(self, store: Store) -> Iterable[Source]:
        places = list(self._trials(store))
        for place in places:
            path = _main_file(store, place) or f"{place}{_TRAJECTORY}"
            states = [(name, store.stat(name)) for name in trial_files(store, place) if name != path]
            told = [f"{name} {stat.size} {stat.version}" for name, stat in states if stat is not None]
            yield Source(path=path, step=0, appendable=False, note=msgspec.json.encode([place, *told]).decode())
        if not places:
            for name in _json_files(store):
                if _is_trajectory(store, name):
                    note = _LINES if name.endswith(".jsonl") else ""
                    yield Source(path=name, split="eval/all", step=0, appendable=False, note=note)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        if source.note == _LINES:
            return _scan_lines(store, source, size)
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
            if source.note == _LINES:
                sample = line_sample(store.read(source.path, place.offset, place.length), source.path)
            else:
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

    def finished(self, store: Store) -> bool | None:
        """A job's result, and that of a trial, says when it ended."""
        try:
            return True if store.exists(_RESULT) and read_record(store.read(_RESULT)).get("finished_at") else None
        except (OSError, Unreadable):
            return None

    def config(self, store: Store) -> Any:
        return read_config(store)

    def claims(self, store: Store, path: str) -> bool:
        first, _, rest = path.partition("/")
        return bool(rest) or first in (_RESULT, "config.json", "job.log", "lock.json", "trial.log", "exception.txt")


def _scan_lines(store: Store, source: Source, size: int) -> Scan:
    """A trajectory a line; a last line that is not whole waits."""
    samples, places, skipped = [], [], []
    offset = 0
    with store.open(source.path) as file:
        for number, line in enumerate(file, start=1):
            try:
                if line.strip():
                    samples.append(line_sample(line, source.path))
                    places.append((offset, len(line), number))
            except ValueError as error:
                if line.endswith(b"\n"):
                    skipped.append(Skipped(file=source.path, line=number, reason=str(error)))
            offset += len(line)
    columns: dict[str, list[Any]] = dict(sample_columns(samples)) if samples else {}
    columns |= {name: [place[at] for place in places] for at, name in enumerate(("offset", "length", "line"))}
    return Scan(columns=dict(columns), rows=len(samples), skipped=skipped, end=size)


def _has_begun(store: Store, place: str) -> bool:
    """A trial that runs: its trajectory, or its log beside its configuration. A job has another log."""
    return store.exists(f"{place}{_TRAJECTORY}") or (
        store.exists(f"{place}trial.log") and store.exists(f"{place}{_CONFIG}")
    )


def _main_file(store: Store, place: str) -> str | None:
    """What says which trial it is: its result, before there is one its configuration, else its trajectory."""
    paths = [f"{place}{name}" for name in (_RESULT, _CONFIG, _TRAJECTORY) if store.exists(f"{place}{name}")]
    return next((path for path in paths if not path.endswith(_CONFIG) or _reason(store, path)), None)


def _json_files(store: Store) -> list[str]:
    return [name for name in store.files() if name.endswith((".json", ".jsonl"))]


def _reason(store: Store, path: str) -> str | None:
    if _is_trajectory(store, path):
        return f"{path} is an ATIF trajectory"
    try:
        head = store.read(path, 0, MAX_BYTES)
    except OSError:
        return None
    if path.endswith(_CONFIG):
        keys, what = (b'"trial_name"', b'"trials_dir"', b'"task"'), "configuration"
    else:
        keys, what = (b'"trial_name"', b'"task_name"', b'"agent_info"'), "result"
    return f"{path} is the {what} of a trial of Harbor" if all(key in head for key in keys) else None


def _is_trajectory(store: Store, path: str) -> bool:
    try:
        head = store.read(path, 0, _HEAD)
    except OSError:
        return False
    # Lines of others may hold a trajectory among other things.
    return is_atif(head) and (not path.endswith(".jsonl") or "schema_version" in record_keys(head.partition(b"\n")[0]))
