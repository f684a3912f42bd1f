"""TRL's completions: one parquet file per logged step, `completions/completions_00042.parquet`.

Until 1.14 prompt and completion are text without special tokens; since 1.15 they are lists of messages for chat data.
Which columns are rewards, how they make the total and which files an evaluation wrote is not in them; the trainer's log
beside them (`state`) and the advantages (`rewards`) tell most of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import ClassVar, TypeVar

import msgspec

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Grouping, MetricRow, Place, Scan, Source, Texts
from rollscope.formats.containers.parquet import Table
from rollscope.formats.lines.flat import content_text
from rollscope.formats.tables.reward_totals import Numbers, RewardReading, from_note, to_note
from rollscope.formats.trl.columns import ADVANTAGE, leading_floats, names_of, one_row, sample_of, scan_table
from rollscope.formats.trl.groups import group_size
from rollscope.formats.trl.left_over import TRAIN, FileReading, splits_of
from rollscope.formats.trl.rewards import judge, read_numbers, was_overwritten
from rollscope.formats.trl.state import STATE, checkpoint_steps, metric_rows, read_state, state_file
from rollscope.model import Checkpoint, Sample, Skipped
from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

R = TypeVar("R")

FOLDER = "completions"
_FILE = re.compile(r"completions_(\d+)\.parquet")
_IN_CHECKPOINT = re.compile(r"checkpoint-\d+")
#: GRPO's have an advantage too, distillation's have not.
_FRAME = ("step", "prompt", "completion")
#: Files from which the rewards' weights are found: more than there ever are reward functions.
_EVIDENCE = 24
#: The last files, one of which may be of an evaluation after training: the others tell.
_COMPARED = 4


class TrlFormat(Format):
    name: ClassVar[str] = "trl"
    # Two rows of a dataset may share a prompt: only neighbours are one group.
    grouping: ClassVar[Grouping] = "consecutive_prompt"
    limits: ClassVar[tuple[str, ...]] = (
        "Reward functions are those that trainer_state.json names.",
        "Before it is written, the floating-point columns whose sum explains the advantages are taken for rewards.",
        "TRL writes no total reward and no weights: a total is shown where trainer_state.json or the advantages agree with it.",
        "Where the advantages do not follow from the plain sum, or from rewards normalised one by one, no total is shown.",
        "Where nothing speaks for or against it, the total is the plain sum, a guess.",
        "A reward that a function did not give is missing, and is left out of the sum.",
        "Only the last generation batch before each log call is kept.",
        "An evaluation overwrites the training completions of its step; trainer_state.json tells which steps, and how many.",
        "An evaluation after training is not in that log: where the rewards before it are just as logged, its own tell it.",
        "Before trainer_state.json is written, completions of evaluations are shown as training.",
        "Until 1.14 the chat template is stripped: roles are read off bare role lines and are a guess.",
        "Parquet gives all tool calls the same arguments: those that are null are left out.",
        "There are no token counts, status or stop reason.",
    )

    def detect(self, store: Store) -> Claim | None:
        source = next(iter(self.sources(store)), None)
        if source is None:
            return None
        reason = f"{source.path} is named as TRL names its completions"
        try:
            names = TABLES.use(store, source.path, lambda table: table.names)
        except DAMAGED as error:
            return Claim(confidence=0.5, reasons=(reason, f"but cannot be read now ({error})"))
        if not names.issuperset(_FRAME):
            return None
        kept = [name for name in (*_FRAME, ADVANTAGE) if name in names]
        return Claim(confidence=0.95, reasons=(reason, f"and has its columns {', '.join(kept)}"))

    def run_name(self, store: Store) -> str | None:
        return store.parent_name or None if store.name == FOLDER else None

    def sources(self, store: Store) -> Iterable[Source]:
        found = []
        for folder in (FOLDER, ""):
            names = [match for name in store.files(folder) if (match := _FILE.fullmatch(name))]
            found += [(int(match[1]), f"{folder}/{match[0]}".lstrip("/")) for match in names]
            if found:
                break
        state = read_state(store, state_file(store))
        reading = self._reading(store, sorted(found))
        note = to_note(reading)
        afterwards = self._written_afterwards(store, sorted(found), reading)
        for step, path in sorted(found):
            if (evaluation := state.evaluation_alone(step)) is None:
                split = "eval" if path == afterwards else state.split(step)
                yield Source(path=path, split=split, step=step, appendable=False, note=note)
                continue
            both = FileReading(**msgspec.structs.asdict(reading), evaluation=evaluation)
            yield Source(path=path, step=step, appendable=False, note=to_note(both))

    def _reading(self, store: Store, files: list[tuple[int, str]]) -> RewardReading:
        path = state_file(store)
        stats = tuple((step, name, store.stat(name)) for step, name in files[:_EVIDENCE])
        return _judged(_Rooted(store), path, store.stat(path) if path else None, stats)

    def _written_afterwards(self, store: Store, files: list[tuple[int, str]], reading: RewardReading) -> str | None:
        """The file of the last step, where an evaluation wrote it that came too late for the trainer's log."""
        path = state_file(store)
        state = read_state(store, path)
        if not reading.rewards or not files or files[-1][0] != state.last_step or state.evaluation(files[-1][0]):
            return None
        trained = [file for file in files if state.evaluation(file[0]) is None][-_COMPARED:]
        stats = tuple((step, name, store.stat(name)) for step, name in trained)
        late = _overwritten(_Rooted(store), path, store.stat(path) if path else None, stats, reading.rewards)
        return files[-1][1] if late else None

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        reading = from_note(source.note)
        try:
            columns = TABLES.use(store, source.path, lambda table: scan_table(table, reading))
            if source.split is None:
                columns["split"] = TABLES.use(store, source.path, partial(_splits, source=source))
        except DAMAGED as error:
            reason = f"this file cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        return Scan(columns=dict(columns), rows=len(columns["offset"]), end=size)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        reading = from_note(source.note)

        def read(table: Table) -> Sample:
            return sample_of(names_of(table, reading), one_row(table, place.offset), reading)

        sample = self._use(store, source, read)
        sample.split, sample.step = place.split, place.step
        sample.source = {"file": source.path, "row": place.offset}
        return sample

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        reading = from_note(source.note)

        def read(table: Table) -> Texts:
            names, row = names_of(table, reading), one_row(table, place.offset)
            texts = [("prompt", content_text(row["prompt"])), ("response", content_text(row["completion"]))]
            return texts + [("golden", str(row[name])) for name in names.golden if row[name] is not None]

        return [(name, text) for name, text in self._use(store, source, read) if text]

    def _use(self, store: Store, source: Source, read: Callable[[Table], R]) -> R:
        try:
            return TABLES.use(store, source.path, read)
        except DAMAGED as error:
            raise NotFoundError(
                f"{source.path} cannot be read: {error}", hint="It may be being rewritten; try again."
            ) from error

    def guesses(self, store: Store, sources: Sequence[Source]) -> list[str]:
        readings = [from_note(note) for note in dict.fromkeys(source.note for source in sources)]
        said = list(dict.fromkeys(reading.why for reading in readings if reading.guessed and reading.why))
        if state_file(store) is None and readings and readings[0].rewards != ():
            said.append("Without trainer_state.json, completions of evaluations cannot be told from those of training.")
        state = read_state(store, state_file(store))
        if any(s.split == "eval" and s.step == state.last_step and not state.evaluation(s.step) for s in sources):
            said.append(
                f"The completions of step {state.last_step} have other rewards than training logged of that step: they are "
                "taken for those of an evaluation after it."
            )
        return said

    def finished(self, store: Store) -> bool | None:
        state = read_state(store, state_file(store))
        return None if state.max_steps is None else state.last_step >= state.max_steps

    def metric_files(self, store: Store) -> list[str]:
        path = state_file(store)
        return [path] if path else []

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        return iter(metric_rows(read_state(store, state_file(store))))

    def checkpoints(self, store: Store) -> list[Checkpoint]:
        return [
            Checkpoint(name=f"checkpoint-{step}", step=step, paths={"path": store.full_path(f"checkpoint-{step}")})
            for step in checkpoint_steps(store)
        ]

    def claims(self, store: Store, path: str) -> bool:
        return path.rsplit("/", 1)[-1] == STATE or _IN_CHECKPOINT.fullmatch(path.split("/", maxsplit=1)[0]) is not None


def _open_table(store: Store, path: str) -> Table:
    return Table(store.open(path))


TABLES: KeptOpen[Table] = KeptOpen(_open_table, limit=4, attempts=2)


class _Rooted:
    """A directory that stands for its path where results are kept: the files' fingerprints are kept beside it."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rooted) and other.store.address == self.store.address

    def __hash__(self) -> int:
        return hash(self.store.address)


@lru_cache(maxsize=64)
def _judged(
    rooted: _Rooted,
    state: str | None,
    stat: Fingerprint | None,  # noqa: ARG001  # part of the cache's key
    files: tuple[tuple[int, str, Fingerprint | None], ...],
) -> RewardReading:
    """What the columns are, found once for these very files: the list of files is asked for at every question."""
    found = _all_numbers(rooted, files)
    if not found:
        return RewardReading()
    reading = judge(found, read_state(rooted.store, state))
    return msgspec.structs.replace(reading, group_size=group_size(found, reading))


@lru_cache(maxsize=64)
def _overwritten(
    rooted: _Rooted,
    state: str | None,
    stat: Fingerprint | None,  # noqa: ARG001  # part of the cache's key
    files: tuple[tuple[int, str, Fingerprint | None], ...],
    rewards: tuple[str, ...],
) -> bool:
    found = _all_numbers(rooted, files)
    return len(found) == len(files) and was_overwritten(found, rewards, read_state(rooted.store, state))


def _all_numbers(rooted: _Rooted, files: Iterable[tuple[int, str, Fingerprint | None]]) -> list[Numbers]:
    """Of the files that can be read."""
    found: list[Numbers] = []
    for step, path, _ in files:
        try:
            found.append(TABLES.use(rooted.store, path, partial(_numbers, step=step)))
        except DAMAGED:
            continue
    return found


def _splits(table: Table, source: Source) -> list[str]:
    reading = msgspec.json.decode(source.note, type=FileReading)
    evaluation = reading.evaluation
    numbers = _numbers(table, source.step or 0)
    return splits_of(numbers, evaluation, reading.group_size) if evaluation else [TRAIN] * table.num_rows


def _numbers(table: Table, step: int) -> Numbers:
    return read_numbers(table, step, leading_floats(table), ADVANTAGE if ADVANTAGE in table.names else None)
