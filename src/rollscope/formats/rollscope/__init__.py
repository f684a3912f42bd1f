"""Rollscope's own runs: what `rollscope.record` writes into `log_path`.

The samples are in `{train|eval_<name>}_iteration_NNNNNN_rollouts[.<writer>].jsonl`, sealed ones in `….jsonl.zst`; several
writers' files are one step, and of a step that was run again after a resume the newest attempt counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import Raw, Struct

from rollscope import render
from rollscope.fields import STORED, Scalars
from rollscope.formats.base import Claim, Place, Scan, Source, Texts, message_starts, sample_texts
from rollscope.formats.lines.jsonl import JsonlFormat, prompt_hash
from rollscope.formats.lines.lenient import Unreadable, decode_line, printable
from rollscope.formats.lines.preview import HEAD_BYTES, record_beginning
from rollscope.formats.lines.sealed import is_sealed, read_line
from rollscope.formats.rollscope.annotations import (
    SampleKey,
    add_to_columns,
    annotation_files,
    annotation_records,
    annotations_of,
    joined,
    note_of,
    writer_of,
)
from rollscope.formats.rollscope.nonfinite import NOT_FINITE, restore
from rollscope.formats.run_files import RunFiles
from rollscope.model import Message, Part, Range, Sample, as_number
from rollscope.render.conversation import message_parts
from rollscope.storage.store import Store

#: Six characters, as the recorder pads them: an evaluation before training may be of step -1.
_STEP = r"(\d{6,}|-\d{5,})"
ROLLOUTS = re.compile(
    rf"(?P<stem>(train|(?P<eval>eval)(_(?P<name>.+))?)_iteration_(?P<step>{_STEP}))_rollouts"
    r"(\.(?P<writer>[^/.]+))?\.jsonl(\.zst)?"
)
_ANNOTATIONS = re.compile(rf"(?P<stem>(train|eval(_.+)?)_iteration_{_STEP})_annotations(\.[^/]+)?\.jsonl")
_OWN_FILES = re.compile(
    r"\.rollscope\.lock|README\.md|metrics(\.[^/]+)?\.jsonl|config\.json|checkpoints(\.[^/]+)?\.jsonl|code\.diff|"
    rf"(train|eval_.+)_iteration_{_STEP}(\.html|_logtree(\.[^/]+)?\.json|_(rollout_summaries|annotations)(\.[^/]+)?\.jsonl|(\.[^/]+)?\.html)"
)
#: Said by a line as they stand; the others are read one by one.
_SCALARS = tuple(
    field.name for field in STORED if field.name not in ("index", "reward", "tags", "turns", "response_bytes")
)
#: Those of them that may be learned later.
_LEARNED = tuple(
    name for name in (*_SCALARS, "reward")
    if name not in ("split", "step", "group", "attempt", "env", "dataset", "prompt_id")
)  # fmt: skip
#: A message of the response says its turn within so many bytes of either end.
_TURN, _ENDS = re.compile(rb'"turn"\s*:\s*\d'), 200
#: Which sample a row is, between the scan and its join with annotations.
_KEY = "key of the annotations"
_NUMBERS = ("rewards", "metrics", "timings")
#: What a line says of its sample, by the type it must have. Where it lies and its number are not the line's to say.
_FIELDS: dict[str, Any] = {
    item.name: item.type
    for item in msgspec.structs.fields(Sample)
    if item.name not in ("address", "index", "source", "record", "unmatched", "nonfinite")
}


class RolloutRow(Scalars, kw_only=True):
    """The scalars of one line. Messages stay raw: only the prompt's bytes are hashed."""

    split: str | None = None  # type: ignore[assignment]  # a line that does not say is filed under its file's
    step: int | None = None  # type: ignore[assignment]
    rewards: dict[str, Any] = {}
    metrics: dict[str, Any] = {}
    num_turns: int | None = None
    writer: str = "main"
    nonfinite: dict[str, str] = {}
    messages: list[Raw] = []


class _Texts(Struct):
    messages: list[Message] = []
    golden_answers: dict[str, str] = {}


class RollscopeFormat(RunFiles, JsonlFormat):
    name = "rollscope"
    grouping = "recorded"
    config_identity = ("rollscope.run_id", "rollscope.attempt", "rollscope.started_at", "rollscope.ended_at")
    Row = RolloutRow
    extras = False
    # A message's text is that of its parts, joined: what is looked for may begin in one and end in the next.
    piece = rb'"text"\s*:\s*"'

    def detect(self, store: Store) -> Claim | None:
        found = next((name for name in store.files() if ROLLOUTS.fullmatch(name)), None)
        if found is None:
            return None
        return Claim(confidence=1.0, reasons=(f"{found} is written by Rollscope's recorder",))

    def sources(self, store: Store) -> Iterable[Source]:
        found = []
        names = store.files()
        annotations: dict[str, list[str]] = {}
        for name in names:
            if match := _ANNOTATIONS.fullmatch(name):
                annotations.setdefault(match["stem"], []).append(name)
        present = set(names)
        for name in names:
            if match := ROLLOUTS.fullmatch(name):
                packed = is_sealed(name)
                if packed and name.removesuffix(".zst") in present:
                    continue  # the moment between sealing and removing the plain file: both hold the same
                split = f"eval/{match['name']}" if match["name"] else match["eval"] or "train"
                note = note_of(match["writer"] or "", store, annotations.get(match["stem"], ()))
                found.append(Source(path=name, split=split, step=int(match["step"]), packed=packed, note=note))
        return sorted(found, key=lambda source: (source.split != "train", source.split, source.step, writer_of(source)))

    def is_about_samples(self, path: str) -> bool:
        return ROLLOUTS.fullmatch(path) is not None or _ANNOTATIONS.fullmatch(path) is not None

    def source_path(self, path: str) -> str:
        return path.replace("_annotations.", "_rollouts.") if _ANNOTATIONS.fullmatch(path) else path

    def next_source(self, store: Store, path: str, last: Source) -> Source | None:
        match = ROLLOUTS.fullmatch(path)
        if match is None or is_sealed(path) or last.step is None or int(match["step"]) <= last.step:
            return None
        split = f"eval/{match['name']}" if match["name"] else match["eval"] or "train"
        return (
            self.source_now(store, Source(path=path, split=split, step=int(match["step"])))
            if split == last.split
            else None
        )

    def source_now(self, store: Store, source: Source) -> Source:
        # Who recorded the samples annotates them, as a rule; annotations by a new writer are found by the next listing.
        match = ROLLOUTS.fullmatch(source.path)
        if match is None:
            return source
        writer = match["writer"]
        usual = [f"{match['stem']}_annotations{ending}.jsonl" for ending in ("", f".{writer}" if writer else "")]
        note = note_of(writer or "", store, sorted({*usual, *annotation_files(source)}))
        return msgspec.structs.replace(source, note=note)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        scan = super().scan(store, source, start, end)
        columns: dict[str, list[Any]] = {name: list(values) for name, values in scan.columns.items()}
        keys = columns.pop(_KEY, [])
        if annotated := annotations_of(store, source):
            for row, key in enumerate(keys):
                for annotation in annotated.get(key, ()):
                    add_to_columns(columns, row, annotation, _LEARNED)
        scan.columns = dict(columns)
        return scan

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        columns: defaultdict[str, list[Any]] = defaultdict(lambda: [None] * len(rows))
        columns.update({name: [getattr(row, name) for row in rows] for name in _SCALARS})
        columns["reward"] = [row.reward for row in rows]
        columns["turns"] = [row.num_turns for row in rows]
        columns[_KEY] = [(row.writer, row.attempt or 0, row.group, row.index) for row in rows]
        columns["tags"] = [row.tags for row in rows]
        asked = [_prompt_messages(row.messages) for row in rows]
        columns["prompt_hash"] = [_prompt_hash(row, first) for row, first in zip(rows, asked)]
        columns["response_bytes"] = [sum(map(len, row.messages[first:])) for row, first in zip(rows, asked)]
        for position, row in enumerate(rows):
            for kind in ("metrics", "rewards"):
                for key, value in getattr(row, kind).items():
                    if value is not None:
                        columns[f"{kind}.{key}"][position] = as_number(value)
            for path, word in row.nonfinite.items():
                name = path.replace("/", ".", 1) if path.startswith(("metrics/", "rewards/")) else path
                if name in columns or name.startswith(("metrics.", "rewards.")):
                    columns[name][position] = NOT_FINITE.get(word)
        return dict(columns)

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = Sample()
        for name, kind in _FIELDS.items():
            value = record.get(name)
            if value is None:
                continue
            try:
                setattr(sample, name, _converted(name, value, kind))
            except msgspec.ValidationError as error:
                sample.notes.append(f"`{name}` is not what Rollscope writes and is left out: {error}.")
        for message in sample.messages:
            message.parts = _split(message)
        restore(sample, record.get("nonfinite"))
        return sample

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        record, strict = decode_line(read_line(store, source, place))
        annotations = annotation_records(store, source, _key(record))
        sample = self.sample(joined(record, annotations, _LEARNED) if annotations else record, source, place)
        sample.record = record if strict else printable(record)
        if annotations:
            sample.record = {**sample.record, "annotations": [printable(item) for item in annotations]}
        if writer := writer_of(source):
            sample.source["writer"] = writer
        return sample

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        try:
            texts = msgspec.json.decode(line, type=_Texts)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            try:
                return super().line_texts(line, source, place)
            except (Unreadable, msgspec.ValidationError):
                return []
        return sample_texts(Sample(messages=texts.messages, golden_answers=texts.golden_answers))

    def starts(self, store: Store, source: Source, place: Place, chars: int) -> Texts:
        if place.length > HEAD_BYTES:
            return message_starts(_first_messages(record_beginning(store, source, place).get("messages")), chars)
        try:
            texts = msgspec.json.decode(read_line(store, source, place), type=_Texts)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return super().starts(store, source, place, chars)
        return message_starts(texts.messages, chars)

    def ranges(self, store: Store) -> dict[str, dict[str, Range]]:
        declared = self._recorded(store).get("ranges")
        if not isinstance(declared, dict):
            return {}
        return {env: _ranges(values) for env, values in declared.items() if isinstance(values, dict)}

    def finished(self, store: Store) -> bool | None:
        """The recorder says so when it is closed; one that goes on with the run takes it back."""
        return True if "ended_at" in self._recorded(store) else None

    def claims(self, store: Store, path: str) -> bool:
        return _OWN_FILES.fullmatch(path) is not None

    def _recorded(self, store: Store) -> dict[str, Any]:
        """What the recorder says of the run, beside the user's config."""
        config = self.config(store)
        own = config.get("rollscope") if isinstance(config, dict) else None
        return own if isinstance(own, dict) else {}


def _key(record: dict[str, Any]) -> SampleKey:
    group, index = record.get("group"), record.get("index")
    attempt = record.get("attempt")
    return (
        str(record.get("writer", "main")),
        attempt if isinstance(attempt, int) else 0,
        group if isinstance(group, (int, str)) else None,
        index if isinstance(index, int) else 0,
    )


def _split(message: Message) -> list[Part]:
    """Recorded text may still hold a model's own marks: think blocks, tool calls, answers. A prompt that explains them
    has none."""
    split = partial(message_parts, message.role, mask=render.DEFAULT_MASK)
    return [piece for part in message.parts for piece in (split(part.text) if part.type == "text" else [part])]


def _converted(name: str, value: Any, kind: Any) -> Any:
    if name in _NUMBERS and isinstance(value, dict):
        return {key: number for key, item in value.items() if (number := as_number(item)) is not None}
    if name == "golden_answers" and isinstance(value, dict):
        return {key: str(item) for key, item in value.items()}
    return msgspec.convert(value, kind, strict=False)


def _first_messages(found: Any) -> list[Message]:
    """The messages at the beginning of a long line. `turn` is among a message's last keys: where the last message was
    cut before it, its role tells whether it is a response."""
    items = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    if items and items[-1].get("role") == "assistant":
        items[-1] = {"turn": 0, **items[-1]}
    try:
        return msgspec.convert(items, list[Message], strict=False)
    except msgspec.ValidationError:
        return []


def _ranges(values: dict[str, Any]) -> dict[str, Range]:
    named = {"reward": values.get("reward")}
    metrics = values.get("metrics")
    if isinstance(metrics, dict):
        named.update({f"metrics.{name}": value for name, value in metrics.items()})
    ranges = {}
    for name, value in named.items():
        try:
            ranges[name] = msgspec.convert(value, Range, strict=False)
        except msgspec.ValidationError:
            continue
    return ranges


def _prompt_hash(row: RolloutRow, asked: int) -> int | None:
    if row.prompt_id is not None:
        return prompt_hash(row.prompt_id.encode() + b"  ")
    return prompt_hash(b"".join(map(bytes, row.messages[:asked])))


def _prompt_messages(messages: Sequence[Raw]) -> int:
    """How many messages stand before the first that has a turn. It is among a message's last keys as the recorder writes
    them, and among the first where somebody else did; the bytes between are text."""
    for place, message in enumerate(messages):
        data = memoryview(message)
        if _TURN.search(data[-_ENDS:]) or (len(data) > _ENDS and _TURN.search(data[:_ENDS])):
            return place
    return len(messages)
