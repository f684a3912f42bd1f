"""Any other JSONL, CSV, parquet or Arrow file (a `datasets` on disk): keys are matched by name or as the user says (`mapping`),
and what was guessed is said.

Also a plain folder of `{step}.jsonl` whose records no other format knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, ClassVar

import msgspec
import xxhash

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Place, Scan, Source, Texts, message_starts
from rollscope.formats.containers.any_table import TABLES, one_record, scalar_records
from rollscope.formats.fallback.files import candidates, evaluation_of, is_container, is_table, kind_of_name, learn
from rollscope.formats.fallback.guess import by_name, sentences_about
from rollscope.formats.fallback.records import (
    TEXTS,
    Line,
    decoded,
    is_whole,
    may_belong,
    may_hold_samples,
    parts_of,
    tells,
)
from rollscope.formats.fallback.values import (
    PARTS,
    PLACES,
    errors,
    judge,
    scalar_row,
    split_of,
    token_arrays,
    with_instructions,
    with_thoughts,
)
from rollscope.formats.fallback.whole_conversations import (
    are_parallel,
    as_messages,
    as_one_message,
    interleaved,
    split_conversation,
)
from rollscope.formats.lines.columnar import decode_record
from rollscope.formats.lines.flat import FlatFormat, Keys
from rollscope.formats.lines.jsonl import NO_SAMPLE, prompt_hash
from rollscope.formats.lines.lenient import Unreadable, printable
from rollscope.formats.lines.path_names import split_in_path, step_in_path
from rollscope.formats.lines.row_reader import Reader, RecordReader, nested_prefix
from rollscope.formats.mapping import (
    CANDIDATES,
    FILE,
    KeyMapping,
    dig,
    from_note,
    mapping_file,
    to_note,
)
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

#: Sentences about what was guessed: files with many kinds of keys would fill a page.
MAX_GUESSES = 6


class FallbackFormat(FlatFormat):
    name = "jsonl"
    last_resort = True
    keys: ClassVar[Keys] = Keys()
    limits = (
        "No known trainer's layout: fields were matched by their names and may be wrong.",
        "The step is the records' own, else a number that is a whole name in the path or that a word marks as one, else 0.",
        "A line whose own step is no whole number is listed as skipped.",
        f"Say what is what with --map prompt=KEY,response=KEY,reward=KEY, or in a file {FILE} beside the run.",
    )

    def __init__(self, told: Mapping[str, str] | None = None) -> None:
        #: What the user said on the command line or in Python.
        self.told = dict(told or {})

    def with_mapping(self, mapping: Mapping[str, str]) -> Format:
        return FallbackFormat(mapping)

    def _given_keys(self, store: Store) -> dict[str, str]:
        return {**mapping_file(store), **self.told}

    def detect(self, store: Store) -> Claim | None:
        told = self._given_keys(store)
        for source in self.sources(store):
            mapping = from_note(source.note)
            if not mapping.keys.keys() & TEXTS:
                continue
            guessed = [field for field in CANDIDATES if field in mapping.keys and field not in mapping.told]
            reasons = [f"told that {key} is the {field}" for field, key in told.items()]
            if guessed:
                mapped = ", ".join(f"{mapping.keys[field]} → {field}" for field in guessed)
                reasons.append(f"guessed from the keys of {source.path}: {mapped}")
            return Claim(confidence=1.0 if told else 0.1, reasons=tuple(reasons))
        return None

    def guesses(self, store: Store, sources: Sequence[Source]) -> list[str]:
        sentences: dict[str, None] = {}
        for mapping in map(from_note, dict.fromkeys(source.note for source in sources)):
            sentences |= dict.fromkeys(sentences_about(mapping))
        if any("step" not in from_note(source.note).keys and step_in_path(source.path) is None for source in sources):
            sentences["Neither file names nor first records say a step: a sample without one is shown as step 0."] = (
                None
            )
        return list(sentences)[:MAX_GUESSES]

    def guessed_keys(self, sources: Sequence[Source]) -> dict[str, str]:
        found: dict[str, str] = {}
        guessed = False
        for mapping in map(from_note, dict.fromkeys(source.note for source in sources)):
            guessed = guessed or bool(by_name(mapping))
            for field, key in mapping.keys.items():
                found.setdefault(field, key)
        # Where the user told what was not plain, there is nothing to say.
        return {field: found[field] for field in CANDIDATES if field in found} if guessed else {}

    def sources(self, store: Store) -> Iterable[Source]:
        found = list(self._listed(store))
        lines = [source for source in found if not is_table(source.path)]
        if any(map(may_hold_samples, lines)):
            # Beside lines of samples, a table is what they were asked from, and lines without texts are something else.
            whole = any(map(is_whole, lines))
            return [source for source in lines if may_belong(source, whole) or not from_note(source.note).late]
        tables = list(filter(may_hold_samples, found[len(lines) :]))
        # A file that is called a log is one, unless there is nothing else and its records are samples.
        return [*lines, *(tables or filter(is_whole, self._listed(store, logs=True)))]

    def _listed(self, store: Store, *, logs: bool = False) -> Iterable[Source]:
        """All files of lines, then all tables."""
        told = tuple(sorted(self._given_keys(store).items()))
        learned: dict[str, KeyMapping] = {}
        paths = candidates(store, dict(told).values(), logs=logs)
        placed = [(is_table(path), step_in_path(path), path) for path in paths]
        for _, step, path in sorted(placed, key=lambda item: (item[0], item[1] is None, item[1] or 0, item[2])):
            alike = kind_of_name(path)
            mapping = learned.get(alike)
            if mapping is None or not mapping.keys:
                mapping = learned[alike] = learn(store, path, told)
            late = tuple(field for field in mapping.late if field != "step" or step is None)
            mapping = msgspec.structs.replace(mapping, step=step or 0, late=late)
            own = mapping.step_key is not None  # then no name can promise it
            split = evaluation_of(store, path) or split_in_path(path)
            yield Source(
                path=path,
                split=None if "split" in mapping.keys and split == "train" else split,
                step=None if own else mapping.step,
                appendable=not is_container(path),
                note=to_note(mapping),
            )

    def keys_for(self, store: Store, source: Source) -> Keys:
        return _keys(source.note)

    def keys_for_record(self, record: dict[str, Any], source: Source) -> Keys:
        return _keys(source.note)

    def value(self, record: dict[str, Any], key: str) -> Any:
        return dig(record, key)

    def scalars(self, record: dict[str, Any], keys: Keys) -> Sample:
        """What lies in an object and is a field is no metric as well. (A golden answer may be: lists know none.) Beside a
        reward, an object of rewards has its parts."""
        sample = super().scalars(record, keys)
        for prefix in [nested_prefix(name) for name in PARTS if name != keys.reward and name in record]:
            for metric in [metric for metric in sample.metrics if metric.startswith(prefix)]:
                sample.rewards.setdefault(metric.removeprefix(prefix), sample.metrics.pop(metric))
        fields = [key.partition(".") for name, key in keys.by_field.items() if "." in key and name != "golden"]
        for name in [nested_prefix(first) + rest.replace(".", "/") for first, _, rest in fields]:
            for metric in [metric for metric in sample.metrics if metric == name or metric.startswith(f"{name}/")]:
                del sample.metrics[metric]
        return sample

    def reader(self, store: Store, source: Source) -> Reader:
        mapping = from_note(source.note)
        if not mapping.by_record:
            return super().reader(store, source)
        return RecordReader(lambda record: Line(record, parts_of(record, mapping)), decode_record)

    def no_samples(self, rows: list[Any], source: Source) -> Sequence[int]:
        mapping = from_note(source.note)
        if not mapping.keys.keys() & TEXTS:
            return ()
        keys = _keys(source.note)
        kind = f"ignored_{keys.ignored.index(mapping.kind[0])}" if mapping.kind else ""
        return [at for at, row in enumerate(rows) if row is not None and not tells(row, mapping, kind)]

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        mapping = from_note(source.note)
        if isinstance(rows[0], Line):
            return self._record_columns(rows, source)
        columns = super().columns(rows, source)
        if mapping.conversation:
            asked, said = zip(*(split_conversation(as_messages(decoded(row.prompt))) for row in rows))
            columns["prompt_hash"] = [prompt_hash(_encoded(value)) for value in asked]
            columns["response_bytes"] = [len(_encoded(value)) for value in said]
        if mapping.step_key is not None:
            columns["step"] = [mapping.step if step is None else step for step in columns["step"]]
        return columns

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        if source.appendable:
            return super().scan(store, source, start, end)
        wanted = [key.split(".")[0] for key in from_note(source.note).keys.values()]
        try:
            found = TABLES.use(
                store, source.path, lambda table: self._table_columns(scalar_records(table, wanted), source)
            )
        except DAMAGED as error:
            reason = f"this table cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=end)
        columns, skipped = found
        return Scan(columns=columns, rows=len(columns.get("offset", ())), skipped=skipped, end=end)

    def _table_columns(
        self, records: Iterable[dict[str, Any] | str], source: Source
    ) -> tuple[dict[str, Sequence[Any]], list[Skipped]]:
        mapping = from_note(source.note)
        rows: list[Line] = []
        offsets: list[int] = []
        skipped: list[Skipped] = []
        for number, record in enumerate(records):
            if isinstance(record, str):
                skipped.append(Skipped(file=source.path, line=number + 1, reason=record))
                continue
            row = Line(record, parts_of(record, mapping) if mapping.columnar else [record])
            if mapping.keys.keys() & TEXTS and not tells(row, mapping, ""):
                skipped.append(Skipped(file=source.path, line=number + 1, reason=NO_SAMPLE))
                continue
            rows.append(row)
            offsets += [number] * len(rows[-1].parts)
        columns = self._record_columns(rows, source)
        columns["offset"], columns["length"] = offsets, columns.get("response_bytes", [])
        left_out = ("key",) if mapping.columnar else ("member", "key")
        return {name: values for name, values in columns.items() if name not in left_out}, skipped

    def samples_per_row(self, rows: list[Any]) -> list[int] | None:
        return [len(row.parts) for row in rows] if isinstance(rows[0], Line) else None

    def _record_columns(self, rows: list[Line], source: Source) -> dict[str, Sequence[Any]]:
        """The same that `load` would say, one sample at a time."""
        mapping = from_note(source.note)
        found: list[dict[str, Any]] = []
        for row in rows:
            # A writer that ends with writing its last record again means it once.
            own = f"{xxhash.xxh3_64_hexdigest(_encoded(row.record))}:" if mapping.columnar else None
            for number, record in enumerate(row.parts):
                scalars = self.scalars(record, _keys(source.note))
                judge(scalars, record, mapping)
                line = scalar_row(scalars)
                asked, said = self.question_and_answer(record, source)
                line |= {"prompt_hash": prompt_hash(_encoded(asked)), "response_bytes": len(_encoded(said))}
                line |= {"member": str(number), "key": own and f"{own}{number}"}
                if mapping.step_key is not None:
                    step = dig(record, mapping.step_key)
                    line["step"] = mapping.step if step is None else step
                if source.split is None:
                    key = mapping.keys["split"]
                    line["split"] = split_of(dig(record, key), key) or "train"
                found.append(line)
        names = dict.fromkeys(name for line in found for name in line)
        return {name: [line.get(name) for line in found] for name in names}

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = super().sample(record, source, place)
        mapping = from_note(source.note)
        judge(sample, record, mapping)
        sample.tokens = token_arrays(record, mapping.keys.get("advantage"))
        sample.notes += errors(record)
        if named := by_name(mapping):
            sample.notes.append(
                "Guessed by name: " + ", ".join(f"{key} as {name}" for name, key in named.items()) + "."
            )
        return sample

    def question_and_answer(self, record: dict[str, Any], source: Source) -> tuple[Any, Any]:
        asked, said = super().question_and_answer(record, source)
        if from_note(source.note).by_step and are_parallel(asked, said):
            return split_conversation(interleaved(asked, said))
        asked, said = as_messages(_only_text(asked)), as_messages(_only_text(said))
        if from_note(source.note).conversation:
            asked, said = split_conversation(asked)
        else:
            said = with_thoughts(record, said)
        asked, said = as_one_message(asked, "user"), as_one_message(said, "assistant")
        return with_instructions(record, asked, from_note(source.note).keys.get("prompt")), said

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        if source.appendable and not place.member:
            return super().load(store, source, place)
        record = self._part(store, source, place)
        sample = self.sample(record, source, place)
        sample.record = printable(record)
        return sample

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        if source.appendable and not place.member:
            return super().texts(store, source, place)
        return self.record_texts(self._part(store, source, place), source)

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        if not place.member:
            return super().line_texts(line, source, place)
        try:
            parts = parts_of(decode_record(line)[0], from_note(source.note))
            return self.record_texts(parts[int(place.member)], source)
        except (Unreadable, IndexError):
            return []

    def starts(self, store: Store, source: Source, place: Place, chars: int) -> Texts:
        if source.appendable and not place.member:
            return super().starts(store, source, place, chars)
        return message_starts(self.load(store, source, place).messages, chars)

    def _part(self, store: Store, source: Source, place: Place) -> dict[str, Any]:
        if not source.appendable:
            try:
                record = TABLES.use(store, source.path, partial(one_record, number=place.offset))
                return parts_of(record, from_note(source.note))[int(place.member)] if place.member else record
            except (*DAMAGED, Unreadable, IndexError) as error:
                raise NotFoundError(f"{source.path} cannot be read: {error}", hint="Refresh the run.") from error
        record = decode_record(store.read(source.path, place.offset, place.length))[0]
        return parts_of(record, from_note(source.note))[int(place.member)]


def _only_text(value: Any) -> Any:
    """The text of a list that has nothing else, also within another one."""
    inner = value
    while isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    return inner if isinstance(inner, str) else value


@lru_cache(maxsize=256)
def _keys(note: str) -> Keys:
    mapping = from_note(note)
    keys = {**{field: field for field in mapping.late}, **mapping.keys}
    split = keys.pop("split", None)  # a place's and no scalar of a sample
    told = [name for name in (split, *mapping.kind[:1]) if name]
    ignored = [name for name in PLACES if name not in keys.values()]
    return Keys(ignored=(*ignored, *told), **keys)


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(printable(value)) if value is not None else b""
