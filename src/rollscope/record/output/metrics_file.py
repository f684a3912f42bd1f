"""``metrics.jsonl``: one row per training iteration, to which several callers may contribute at different times.

A row is appended as soon as something is known of its iteration, so that a killed process loses nothing that came before
the row in flight. What comes later (an evaluation, the training itself after its evaluation) goes into that row: in
place while it is the last one, otherwise by rewriting the file under another name. Used by the writer thread only.
"""

from __future__ import annotations

import errno
import os
from collections import OrderedDict
from collections.abc import Collection, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from rollscope.record.output.directory import Directory
from rollscope.record.output.encode import encode_line
from rollscope.record.output.problems import Problems
from rollscope.record.samples.schema import METRIC_ROW_KEYS

#: Of so many rows it is remembered which values the loop logged itself; derived values never replace those.
REMEMBERED_ROWS = 16
COPY_BYTES = 1 << 20

_ROW_KEYS = METRIC_ROW_KEYS | {"progress/batch"}

#: A row is known by its step and the attempt that wrote it.
RowKey = tuple[int, int]


class RowPart(Struct):
    """Something to add to the row of ``step``; a row of its own where there is no step."""

    step: int | None
    attempt: int
    timestamp: float
    #: The loop's own values. They win over what is derived, the newest over older ones.
    values: dict[str, Any]
    derived: dict[str, Any] = {}
    nonfinite: dict[str, str] = {}
    writer: str | None = None
    #: An evaluation's metrics do not make a row the row of a training iteration.
    evaluation: bool = False


class MetricsFile:
    """One process's rows. Knows where each lies; their content stays in the file."""

    def __init__(self, directory: Directory, name: str, problems: Problems, evaluators: Collection[str] = ()) -> None:
        self.name = name
        self._evaluators = evaluators
        self._directory = directory
        self._problems = problems
        self._identity: tuple[int, int] | None = None
        self._size = 0
        self._rows: dict[RowKey, tuple[int, int]] = {}
        self._logged: OrderedDict[RowKey, set[str]] = OrderedDict()
        self._evaluated_only: set[RowKey] = set()
        self._late: list[RowPart] = []

    def add(self, part: RowPart) -> bool:
        """Write a part. False when something is left to do for the file as a whole, by :meth:`settle`."""
        self._look()
        if part.step is None:
            self._append(part, None)
            return True
        key = part.step, part.attempt
        where = self._rows.get(key)
        if where is None:
            self._append(part, key)
        elif sum(where) == self._size:
            self._replace_last(self._merged(key, self._read(where), part), key)
        else:
            self._late.append(part)
            return False
        self._remember(key, part)
        return part.evaluation or not any(other[0] == part.step for other in self._evaluated_only)

    def settle(self) -> None:
        """Write the parts that came after later rows. What an earlier attempt left of a step that it only evaluated goes
        into the row of the attempt that trained it."""
        self._look()
        changed: dict[RowKey, dict[str, Any] | None] = {}
        absent = []
        for part in self._late:
            key = part.step or 0, part.attempt
            if key not in self._rows:  # the file was replaced meanwhile
                absent.append(part)
                continue
            changed[key] = self._merged(key, changed.get(key) or self._read(self._rows[key]), part)
            self._remember(key, part)
        self._rewrite(changed)
        self._late = []
        for part in absent:
            self.add(part)
        self.fold(closing=False)

    def fold(self, *, closing: bool = True) -> None:
        """Make one row of the rows of a step that one attempt trained and others only evaluated. Evaluations of an attempt
        that goes on (``closing`` off) are left alone: their step may be trained yet."""
        self._look()
        rows_of_step: dict[int, list[RowKey]] = {}
        for key in sorted(self._rows, key=self._rows.__getitem__):
            rows_of_step.setdefault(key[0], []).append(key)
        changed: dict[RowKey, dict[str, Any] | None] = {}
        for step in {key[0] for key in self._evaluated_only}:
            keys = rows_of_step.get(step, [])
            trained = [key for key in keys if key not in self._evaluated_only]
            target = next(reversed(trained or keys), None)
            if target is None or len(keys) == 1 or not (closing or target == keys[-1]):
                continue
            own = row = self._read(self._rows[target])
            for key in keys:
                if key in self._evaluated_only and key != target:
                    other = self._read(self._rows[key])
                    row = _joined(other, row) if keys.index(key) < keys.index(target) else _joined(row, other)
                    changed[key] = None
            changed[target] = row | {name: own[name] for name in ("timestamp", "attempt") if name in own}
        self._rewrite(changed)

    @property
    def to_settle(self) -> int:
        return len(self._late)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _append(self, part: RowPart, key: RowKey | None) -> None:
        row: dict[str, Any] = {}
        if part.step is not None:
            row = {"step": part.step, "progress/batch": part.step}
        row |= {"timestamp": part.timestamp, "attempt": part.attempt}
        if part.writer is not None:
            row["writer"] = part.writer
        row |= part.derived | part.values
        if part.nonfinite:
            row["nonfinite"] = part.nonfinite
        line = encode_line(row, self._problems)
        self._directory.append(self.name, line)
        self._look_again()
        if key is not None:
            self._rows[key] = self._size - len(line), len(line)
            self._logged[key] = set()
            if part.evaluation:
                self._evaluated_only.add(key)

    def _merged(self, key: RowKey, row: dict[str, Any], part: RowPart) -> dict[str, Any]:
        # What is not remembered of an old row counts as logged.
        logged = self._logged.get(key, row.keys())
        added = {name: value for name, value in part.derived.items() if name not in logged} | part.values
        nonfinite = row.pop("nonfinite", {})
        merged = row | added
        if key in self._evaluated_only and not part.evaluation:
            merged["timestamp"] = part.timestamp  # when the iteration was done counts, not its evaluation
        names = {name: word for name, word in nonfinite.items() if name not in added} | part.nonfinite
        return merged | {"nonfinite": names} if names else merged

    def _remember(self, key: RowKey, part: RowPart) -> None:
        if not part.evaluation:
            self._evaluated_only.discard(key)
        if key in self._logged:
            self._logged[key] |= part.values.keys()
            self._logged.move_to_end(key)
            while len(self._logged) > REMEMBERED_ROWS:
                self._logged.popitem(last=False)

    # -- the file ------------------------------------------------------------------------------------------------------

    @property
    def _path(self) -> str:
        return str(self._directory.path / self.name)

    def _look(self) -> None:
        """Read where the rows lie, unless it is still the file that was written last."""
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            self._rows, self._evaluated_only, self._identity, self._size = {}, set(), None, 0
            return
        if (found.st_dev, found.st_ino) == self._identity and found.st_size == self._size:
            return
        self._rows, self._evaluated_only = {}, set()
        prefixes = tuple(f"{name}/" for name in list(self._evaluators))
        with open(self._path, "rb+", buffering=COPY_BYTES) as file:
            end = 0
            for line in file:
                start, end = end, end + len(line)
                try:
                    row = msgspec.json.decode(line, type=dict[str, Any])
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    if not line.endswith(b"\n"):
                        # Half a row that a killed process left. Readers that know nothing of us stumble over it.
                        file.truncate(start)
                    continue
                if not line.endswith(b"\n"):
                    file.seek(end)
                    file.write(b"\n")
                    end += 1
                step, attempt = row.get("step"), row.get("attempt", 0)
                if type(step) is int and type(attempt) is int:
                    self._rows[step, attempt] = start, end - start
                    if all(name in _ROW_KEYS or name.startswith(prefixes) for name in row):
                        self._evaluated_only.add((step, attempt))
        self._look_again()

    def _look_again(self) -> None:
        found = os.stat(self._path)
        self._identity, self._size = (found.st_dev, found.st_ino), found.st_size

    def _read(self, where: tuple[int, int]) -> dict[str, Any]:
        with open(self._path, "rb", buffering=0) as file:
            row: dict[str, Any] = msgspec.json.decode(os.pread(file.fileno(), where[1], where[0]))
            return row

    def _replace_last(self, row: dict[str, Any], key: RowKey) -> None:
        """Overwrite the last row in one write. Blanks keep it from being shorter than the old one: no rest stays."""
        start, length = self._rows[key]
        line = encode_line(row, self._problems)
        line = line[:-1].ljust(length - 1) + b"\n"
        # Not the descriptor that appends: on Linux it appends whatever the offset.
        with open(self._path, "rb+", buffering=0) as file:
            old = os.pread(file.fileno(), length, start)
            if os.pwrite(file.fileno(), line, start) != len(line):
                os.pwrite(file.fileno(), old, start)
                os.ftruncate(file.fileno(), start + length)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)
        self._rows[key] = start, len(line)
        self._size = start + len(line)

    def _rewrite(self, changed: dict[RowKey, dict[str, Any] | None]) -> None:
        """The whole file with some rows changed or (None) left out; readers see the old one or the new one."""
        if not changed:
            return
        lines = {
            self._rows[key]: b"" if row is None else encode_line(row, self._problems) for key, row in changed.items()
        }
        self._directory.replace(self.name, self._content(dict(sorted(lines.items()))))
        shift, rows = 0, {}
        for key, (start, length) in sorted(self._rows.items(), key=lambda item: item[1]):
            line = lines.get((start, length))
            size = length if line is None else len(line)
            if size:
                rows[key] = start + shift, size
            shift += size - length
        self._rows = rows
        self._evaluated_only -= changed.keys() - rows.keys()
        self._look_again()

    def _content(self, lines: dict[tuple[int, int], bytes]) -> Iterator[bytes]:
        with open(self._path, "rb", buffering=0) as file:
            position = 0
            for (start, length), line in [*lines.items(), ((self._size, 0), b"")]:
                while position < start:
                    piece = os.pread(file.fileno(), min(COPY_BYTES, start - position), position)
                    position += len(piece)
                    yield piece
                yield line
                position = start + length


def _joined(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Two rows as one, with the newer one's values."""
    nonfinite = {name: word for name, word in older.get("nonfinite", {}).items() if name not in newer}
    nonfinite |= newer.get("nonfinite", {})
    row = {name: value for name, value in (older | newer).items() if name != "nonfinite"}
    return row | {"nonfinite": nonfinite} if nonfinite else row
