"""TRL's completions: one parquet file per logged step, `completions/completions_00042.parquet`.

Until 1.14 prompt and completion are text without special tokens; since 1.15 they are lists of messages for chat data.
Nothing marks which columns are rewards: those of floating-point numbers between ``completion`` and ``advantage`` are
taken to be, and their unweighted sum to be the total, since the file has neither names nor weights.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, ClassVar

import msgspec
import xxhash
from msgspec import Struct

from rollscope import render
from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Grouping, MetricRow, Place, Scan, Source, Texts
from rollscope.formats.containers.parquet import Table
from rollscope.formats.fallback import CANDIDATES
from rollscope.formats.lines.flat import content_text
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.model import Checkpoint, Message, Sample, Skipped, Turn, as_number
from rollscope.storage.local import Directory
from rollscope.storage.open_files import DAMAGED, KeptOpen

FOLDER = "completions"
_FILE = re.compile(r"completions_(\d+)\.parquet")
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
_STATE = "trainer_state.json"
_TEXTS = ("prompt", "completion")
_FRAME = ("step", *_TEXTS, "advantage")
_NOT_METRICS = frozenset({"step"})
#: Texts are read this many rows at a time.
_ROWS = 256


class TrlFormat(Format):
    name: ClassVar[str] = "trl"
    # Two rows of a dataset may share a prompt: only neighbours are one group.
    grouping: ClassVar[Grouping] = "consecutive_prompt"
    limits: ClassVar[tuple[str, ...]] = (
        "TRL does not mark its reward columns: floating-point columns between completion and advantage are taken for them.",
        "TRL writes no total reward and no weights: with several reward columns the total is their unweighted sum, a guess.",
        "A reward that a function did not give is missing, and is left out of the sum.",
        "Only the last generation batch before each log call is kept.",
        "An evaluation at the same step overwrites the training completions of that step, and nothing says so.",
        "Until 1.14 the chat template is stripped: roles are read off bare role lines and are a guess.",
        "There are no token counts, status or stop reason.",
    )

    def detect(self, directory: Directory) -> Claim | None:
        source = next(iter(self.sources(directory)), None)
        if source is None:
            return None
        reason = f"{source.path} is named as TRL names its completions"
        try:
            names = TABLES.use(directory, source.path, lambda table: table.names)
        except DAMAGED as error:
            return Claim(confidence=0.5, reasons=(reason, f"but cannot be read now ({error})"))
        if not names.issuperset(_FRAME):
            return None
        return Claim(confidence=0.95, reasons=(reason, "and has its columns step, prompt, completion and advantage"))

    def run_name(self, directory: Directory) -> str | None:
        return os.path.basename(os.path.dirname(directory.root)) or None if directory.name == FOLDER else None

    def sources(self, directory: Directory) -> Iterable[Source]:
        found = []
        for folder in (FOLDER, ""):
            names = [match for name in directory.files(folder) if (match := _FILE.fullmatch(name))]
            found += [(int(match[1]), f"{folder}/{match[0]}".lstrip("/")) for match in names]
            if found:
                break
        for step, path in sorted(found):
            yield Source(path=path, split="train", step=step, appendable=False)

    def scan(self, directory: Directory, source: Source, start: int, end: int) -> Scan:
        stat = directory.stat(source.path)
        size = stat.size if stat else 0
        try:
            columns = TABLES.use(directory, source.path, _scan_table)
        except DAMAGED as error:
            reason = f"this file cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        return Scan(columns=dict(columns), rows=len(columns["offset"]), end=size)

    def load(self, directory: Directory, source: Source, place: Place) -> Sample:
        names, row = self._row(directory, source, place)
        sample = _sample(names, row)
        sample.split, sample.step = place.split, place.step
        sample.source = {"file": source.path, "row": place.offset}
        return sample

    def texts(self, directory: Directory, source: Source, place: Place) -> Texts:
        names, row = self._row(directory, source, place)
        texts = [("prompt", content_text(row["prompt"])), ("response", content_text(row["completion"]))]
        texts += [("golden", str(row[name])) for name in names.golden if row[name] is not None]
        return [(name, text) for name, text in texts if text]

    def _row(self, directory: Directory, source: Source, place: Place) -> tuple[Names, dict[str, Any]]:
        try:
            return TABLES.use(directory, source.path, partial(_one_row, number=place.offset))
        except DAMAGED as error:
            raise NotFoundError(
                f"{source.path} cannot be read: {error}", hint="It may be being rewritten; try again."
            ) from error

    def metric_files(self, directory: Directory) -> list[str]:
        """The newest log history: the run's own when it has ended, else its last checkpoint's."""
        folders = [f"checkpoint-{step}/" for step in reversed(_checkpoint_steps(directory))]
        return [path for folder in ["", *folders] if directory.exists(path := folder + _STATE)][:1]

    def metrics(self, directory: Directory) -> Iterator[MetricRow]:
        for path in self.metric_files(directory):
            yield from _log_history(directory, path)

    def checkpoints(self, directory: Directory) -> list[Checkpoint]:
        return [
            Checkpoint(name=f"checkpoint-{step}", step=step, paths={"path": directory.path(f"checkpoint-{step}")})
            for step in _checkpoint_steps(directory)
        ]

    def claims(self, directory: Directory, path: str) -> bool:
        return path.rsplit("/", 1)[-1] == _STATE or _CHECKPOINT.fullmatch(path.split("/", maxsplit=1)[0]) is not None


def _open_table(directory: Directory, path: str) -> Table:
    return Table(directory.open(path))


TABLES: KeptOpen[Table] = KeptOpen(_open_table, limit=4, attempts=2)


class Names(Struct, frozen=True):
    """What the columns between completion and advantage are taken for."""

    rewards: tuple[str, ...]
    #: Numbers that no reward function returns (integers, booleans).
    metrics: tuple[str, ...]
    golden: tuple[str, ...]
    #: Everything else that `log_extra` wrote.
    extras: tuple[str, ...]


def _names(table: Table) -> Names:
    import pyarrow as pa

    if missing := [name for name in _TEXTS if name not in table.names]:
        raise ValueError(f"it has no column {' and no column '.join(missing)}")
    kinds: dict[str, list[str]] = {"rewards": [], "metrics": [], "golden": [], "extras": []}
    for column in table.schema:
        if column.name in _FRAME:
            continue
        if pa.types.is_floating(column.type):
            kind = "rewards"
        elif pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
            kind = "metrics"
        else:
            kind = "golden" if column.name in CANDIDATES["golden"] else "extras"
        kinds[kind].append(column.name)
    return Names(**{kind: tuple(names) for kind, names in kinds.items()})


def _total(rewards: list[float | None]) -> float | None:
    """One reward is the total; of several, the sum of those that were given, as TRL adds them with weights of 1."""
    if len(rewards) == 1:
        return rewards[0]
    given = [reward for reward in rewards if reward is not None and not math.isnan(reward)]
    return sum(given) if given else None


def _scan_table(table: Table) -> dict[str, list[Any]]:
    names = _names(table)
    columns: dict[str, list[Any]] = {"offset": list(range(table.num_rows)), "length": [1] * table.num_rows}
    values = table.columns(*names.rewards, *names.metrics, "advantage")
    columns["advantage"] = values["advantage"]
    columns["reward"] = [_total(list(row)) for row in zip(*(values[name] for name in names.rewards))]
    if not names.rewards:
        del columns["reward"]
    columns.update({f"rewards.{name}": values[name] for name in names.rewards})
    columns.update({f"metrics.{name}": [as_number(value) for value in values[name]] for name in names.metrics})
    hashes: list[int] = []
    sizes: list[int] = []
    for batch in table.batches(*_TEXTS, size=_ROWS):
        hashes += map(_hash, batch["prompt"])
        sizes += [len(content_text(completion).encode("utf-8", "replace")) for completion in batch["completion"]]
    if len(hashes) != table.num_rows:
        raise ValueError(f"it says that it has {table.num_rows} rows and has {len(hashes)}")
    return {**columns, "prompt_hash": hashes, "response_bytes": sizes}


def _hash(prompt: Any) -> int:
    return int(xxhash.xxh3_64_intdigest(msgspec.json.encode(prompt)))


def _one_row(table: Table, number: int) -> tuple[Names, dict[str, Any]]:
    if number >= table.num_rows:
        raise NotFoundError(f"the file has {table.num_rows} rows now, and no row {number}", hint="Refresh the run.")
    return _names(table), table.rows([number])[0]


def _sample(names: Names, row: dict[str, Any]) -> Sample:
    messages = _messages(row["prompt"], row["completion"])
    notes = []
    if any(message.guessed for message in messages):
        notes.append("Roles are guessed from bare role lines: TRL before 1.15 strips the chat template's markers.")
    if len(names.rewards) > 1:
        notes.append(f"The total is the unweighted sum of {', '.join(names.rewards)}; TRL does not write its own.")
    extras = {name: row[name] for name in names.extras if row[name] is not None}
    return Sample(
        messages=messages,
        reward=_total([row[name] for name in names.rewards]) if names.rewards else None,
        rewards={name: row[name] for name in names.rewards if row[name] is not None},
        metrics={name: float(row[name]) for name in names.metrics if row[name] is not None},
        advantage=row.get("advantage"),
        golden_answers={name: str(row[name]) for name in names.golden if row[name] is not None},
        turns=[Turn(index=0, logs=printable(extras))] if extras else [],
        notes=notes,
        record=printable(row),
    )


def _messages(prompt: Any, completion: Any) -> list[Message]:
    if isinstance(prompt, str) and isinstance(completion, str):
        return render.split_bare_roles(prompt, completion)
    asked = prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]
    said = completion if isinstance(completion, list) else [{"role": "assistant", "content": completion}]
    return [*render.messages_from_chat(asked, turn=None), *render.messages_from_chat(said, turn=0)]


def _checkpoint_steps(directory: Directory) -> list[int]:
    return sorted(int(match[1]) for name in directory.folders() if (match := _CHECKPOINT.fullmatch(name)))


def _log_history(directory: Directory, path: str) -> Iterator[MetricRow]:
    try:
        history = read_record(directory.read(path)).get("log_history")
    except (OSError, Unreadable):
        return
    for entry in history if isinstance(history, list) else ():
        step = as_number(entry.get("step")) if isinstance(entry, dict) else None
        if step is None or not math.isfinite(step):
            continue
        values = {
            name: number
            for name, value in entry.items()
            if name not in _NOT_METRICS and not isinstance(value, str) and (number := as_number(value)) is not None
        }
        yield MetricRow(step=int(step), time=None, values=values)
