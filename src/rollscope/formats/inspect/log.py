"""An open log: what it says of the evaluation, and its samples one by one."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw, Struct

from rollscope.formats.containers.zip import Zip, open_zip
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.model import as_integer
from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store

#: A `.json` log is one document and is held in memory: a larger one is refused.
MAX_JSON_BYTES = 1 << 30
_CHECKPOINT = re.compile(r"(?:checkpoint|global_step|step|iter(?:ation)?)[-_](\d+)", re.IGNORECASE)
_STEP_KEYS = ("step", "global_step", "checkpoint_step", "training_step", "checkpoint")
_SAMPLE = re.compile(r"samples/(.+_epoch_\d+)(?:\.json|/sample\.json)")
_ENDED = ("success", "error", "cancelled")
_HEADERS = ("header.json", "_journal/start.json")


class LogHeader(Struct):
    """What a log says of its evaluation."""

    id: str
    #: What it keeps where it is tried again (`inspect eval-retry`), which is logged anew; "" where it has none.
    retried: str
    created: str
    task: str
    model: str | None
    dataset: str | None
    step: int
    #: The score that is the reward and the scorer that gave it, where the log says so; else the first is.
    headline: tuple[str | None, str | None]
    spec: dict[str, Any]
    results: dict[str, Any]
    #: It says how the evaluation ended.
    has_ended: bool


class _Scalars(Struct):
    """A sample without its events, which are most of its bytes."""

    id: Any = None
    epoch: Any = None
    input: Any = None
    target: Any = None
    messages: Any = None
    output: Any = None
    scores: Any = None
    metadata: Any = None
    model_usage: Any = None
    total_time: Any = None
    working_time: Any = None
    error: Any = None
    limit: Any = None
    invalidation: Any = None
    attachments: Any = None


_decode_scalars = msgspec.json.Decoder(_Scalars).decode


class _Document(Struct):
    status: Raw = Raw()
    eval: Raw = Raw()
    results: Raw = Raw()
    metadata: Raw = Raw()
    samples: list[Raw] | None = None


def header_of(record: dict[str, Any], name: str) -> LogHeader:
    spec = record.get("eval")
    if not isinstance(spec, dict):
        raise ValueError("it is no log of Inspect: it says no eval")
    results = record.get("results")
    results = results if isinstance(results, dict) else {}
    # What came of the declaration, in a log that is finished; a task may also declare it and a running log repeat it.
    headline = results.get("headline") or spec.get("headline_metric")
    dataset = spec.get("dataset")
    model = spec.get("model")
    return LogHeader(
        id=str(spec.get("eval_id") or spec.get("task_id") or name)[:12],
        retried=str(spec.get("task_id") or "")[:12],
        created=str(spec.get("created") or ""),
        task=_task(spec.get("task_display_name") or spec.get("task") or name),
        model=str(model) if model else None,
        dataset=str(dataset["name"]) if isinstance(dataset, dict) and dataset.get("name") else None,
        step=_step(spec, record),
        headline=_headline(headline),
        spec=printable(spec),
        results=results,
        has_ended=record.get("status") in _ENDED,
    )


def _task(name: Any) -> str:
    """As a part of a split's name: tasks of packages are called `package/task`."""
    return str(name).strip("/").replace("/", "_") or "task"


def _headline(told: Any) -> tuple[str | None, str | None]:
    if isinstance(told, dict):
        score, scorer = (told.get(key) for key in ("score", "scorer"))
        return score if isinstance(score, str) else None, scorer if isinstance(scorer, str) else None
    return (told, None) if isinstance(told, str) else (None, None)


def _step(spec: dict[str, Any], record: dict[str, Any]) -> int:
    for told in (spec.get("metadata"), record.get("metadata"), spec.get("task_args")):
        for key in _STEP_KEYS:
            value = told.get(key) if isinstance(told, dict) else None
            if isinstance(value, (int, str)) and (step := as_integer(value)) is not None and step >= 0:
                return step
    found = _CHECKPOINT.findall(str(spec.get("model") or ""))
    return int(found[-1]) if found else 0


class Log:
    """A log of either kind. `members` are the names of its samples; in a `.json` they have none."""

    def __init__(self, store: Store, path: str) -> None:
        self._zip: Zip | None = None
        self._raw: list[Raw] = []
        self._whole: list[Any] = []
        if path.endswith(".eval"):
            self._zip = open_zip(store, path, unfinished=True)
            self.head = _zip_header(self._zip, path)
            self.members = [name for name in self._zip.names if _SAMPLE.fullmatch(name)]
        else:
            self.head = self._open_json(store, path)
            self.members = [""] * max(len(self._raw), len(self._whole))
        self._places = {name: number for number, name in enumerate(self.members)}

    def _open_json(self, store: Store, path: str) -> LogHeader:
        stat = store.stat(path)
        if stat is not None and stat.size > MAX_JSON_BYTES:
            raise ValueError(f"it has {stat.size:,} bytes, and is read whole; more than {MAX_JSON_BYTES:,} are not")
        data = store.read(path)
        try:
            document = msgspec.json.decode(data, type=_Document)
            self._raw = document.samples or []
            parts = {name: getattr(document, name) for name in ("status", "eval", "results", "metadata")}
            return header_of({name: msgspec.json.decode(raw) for name, raw in parts.items() if len(raw)}, path)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            record = _record(data)  # NaN for samples that were not scored
        samples = record.get("samples")
        self._whole = samples if isinstance(samples, list) else []
        return header_of(record, path)

    @property
    def is_cut(self) -> bool:
        """Its end is missing: samples that were written behind it are not known."""
        return self._zip is not None and self._zip.is_cut

    def place_of(self, member: str, number: int) -> int:
        place = self._places.get(member) if member else number
        if place is None or place >= len(self.members):
            raise ValueError(f"it has no {member or f'sample {number}'} any more")
        return place

    def length(self, number: int) -> int:
        if self._zip is not None:
            return self._zip.length(self.members[number])
        return len(self._raw[number]) if self._raw else 0

    def scalars(self, number: int) -> dict[str, Any]:
        """The sample without its events."""
        if self._whole:
            return self.record(number)
        data = self._zip.read(self.members[number]) if self._zip is not None else self._raw[number]
        try:
            found = msgspec.structs.asdict(_decode_scalars(data))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            found = _record(bytes(data))
        return self._with_messages(number, found)

    def record(self, number: int) -> dict[str, Any]:
        if self._whole:
            found = self._whole[number]
            if not isinstance(found, dict):
                raise ValueError("it is no sample")
            return printable(found)  # type: ignore[no-any-return]
        data = self._zip.read(self.members[number]) if self._zip is not None else bytes(self._raw[number])
        return self._with_messages(number, _record(data))

    def _with_messages(self, number: int, record: dict[str, Any]) -> dict[str, Any]:
        """A sample in chunks has its messages in members of their own."""
        name = self.members[number]
        if self._zip is None or not name.endswith("/sample.json") or record.get("messages"):
            return record
        folder = f"{name.removesuffix('sample.json')}messages/"
        parts = [part for part in self._zip.names if part.startswith(folder) and part.endswith(".json")]
        messages: list[Any] = []
        for part in sorted(parts, key=lambda part: (len(part), part)):
            found = msgspec.json.decode(self._zip.read(part))
            messages += found if isinstance(found, list) else []
        return {**record, "messages": messages}


def _record(data: bytes) -> dict[str, Any]:
    try:
        return read_record(data)
    except Unreadable as error:
        raise ValueError(str(error)) from error


def _zip_header(archive: Zip, path: str) -> LogHeader:
    """A log that is still running has no header: its journal began with the same."""
    for name in _HEADERS:
        if name in archive:
            return header_of(_record(archive.read(name)), path)
    raise ValueError("it has neither header.json nor _journal/start.json")


def _open_header(store: Store, path: str) -> LogHeader:
    return (
        _zip_header(open_zip(store, path, unfinished=True), path)
        if path.endswith(".eval")
        else LOGS.use(store, path, lambda log: log.head)
    )


LOGS: KeptOpen[Log] = KeptOpen(Log, limit=4, attempts=2)
#: One small record per log of a folder.
HEADS: KeptOpen[LogHeader] = KeptOpen(_open_header, limit=4096, attempts=1)
