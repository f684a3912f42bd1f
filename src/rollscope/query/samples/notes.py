"""What people wrote about a run's samples: which notes are about this run, and their labels and ratings as columns.

A note knows its sample by content. Where that lies now is looked up by the prompt's hash, which the index has, and proved
by reading the sample; the answer is kept until the run changes.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyarrow as pa

from rollscope.errors import RollscopeError
from rollscope.fields import NOTED
from rollscope.index import compute
from rollscope.model import address as address_of
from rollscope.query.samples.reader import SampleReader, place_of
from rollscope.userdata.notes import NewNote, Note, Notes, content_key

if TYPE_CHECKING:
    from rollscope.index.snapshot import Snapshot

#: Samples with the note's prompt that are read to find the one it is about.
MAX_READ = 256

_MENTION = re.compile(rf"\b({'|'.join(field.name for field in NOTED)})\b")


def mentions_notes(*texts: str | None) -> bool:
    """Whether a filter or sort may ask for what people wrote. A word in quotes counts too: that costs only time."""
    return any(text is not None and _MENTION.search(text) for text in texts)


class RunNotes:
    """The notes about one run."""

    def __init__(self, notes: Notes, reader: SampleReader) -> None:
        self.notes = notes
        self._reader = reader
        self._lock = threading.Lock()
        self._version = -1
        #: By content, and where it was: where the sample is in this version of the run; None where it is not in it. Of
        #: several samples with one text each has its own notes.
        self._places: dict[tuple[str, str], str | None] = {}

    def on(self, address: str, everywhere: Callable[[], list[Note]]) -> list[Note]:
        """The notes on one sample, with the address it has now. `everywhere`: those of the whole run, which are asked for
        only where some with the same text were written elsewhere: they moved here, or are about another sample."""
        found = self.notes.on(content_key(self._reader.sample(address)))
        if all(note.address == address for note in found):
            return found
        return [note for note in everywhere() if note.address == address]

    def state(self) -> Hashable:
        """Looks at what is written, and is another one when that changed."""
        return self.notes.look()

    def all(self, snapshot: Snapshot, version: int) -> list[Note]:
        """The notes on this run's samples, with the addresses they have now."""
        notes = self.notes.all()
        with self._lock:
            if version != self._version:
                self._places, self._version = {}, version
            new = [note for note in notes if (note.key, note.address) not in self._places]
            if new:
                self._find(snapshot, new)
            places = self._places
        found = ((note, places[note.key, note.address]) for note in notes)
        return [msgspec.structs.replace(note, address=place) for note, place in found if place is not None]

    def write(self, new: NewNote, snapshot: Snapshot) -> Note:
        split, step, number = place_of(new.address)
        sample = self._reader.sample(new.address)
        table = snapshot.rows_of(split, step)
        prompt = table["prompt_hash"][number].as_py() if number < table.num_rows else None
        return self.notes.write(new, content_key(sample), None if prompt is None else f"{prompt:016x}")

    def remove(self, note: str, author: str | None = None) -> Note:
        return self.notes.remove(note, author)

    def _find(self, snapshot: Snapshot, notes: Sequence[Note]) -> None:
        candidates = _by_prompt(snapshot.all_rows, {note.prompt for note in notes if note.prompt})
        for note in notes:
            # Where it was is tried first; where it was is also all there is for a sample without a prompt.
            places = [note.address, *candidates.get(note.prompt or "", [])[:MAX_READ]]
            known = note.prompt is None or note.prompt in candidates
            self._places[note.key, note.address] = next(
                (place for place in dict.fromkeys(places) if known and self._is(place, note.key)), None
            )

    def _is(self, address: str, key: str) -> bool:
        try:
            return content_key(self._reader.sample(address)) == key
        except (RollscopeError, ValueError, OSError):
            return False

    def columns(self, table: pa.Table, snapshot: Snapshot, version: int) -> pa.Table:
        """``table`` with what people wrote: labels of all notes on a sample, the newest rating, whether there is any."""
        labels: dict[tuple[str, int, int], list[str]] = {}
        ratings: dict[tuple[str, int, int], int] = {}
        for note in self.all(snapshot, version):
            place = place_of(note.address)
            labels.setdefault(place, []).extend(note.labels)
            if note.rating is not None:
                ratings[place] = note.rating
        by_row = {
            row: (list(dict.fromkeys(labels[at])), ratings.get(at)) for at, row in _rows(table, list(labels)).items()
        }
        for name, column in _noted_columns(table.num_rows, by_row).items():
            table = table.append_column(name, column)
        return table


#: Rows of a stretch of the columns. Where nobody wrote anything all stretches are the same one: notes are few, and samples
#: may be a hundred million.
STRETCH_ROWS = 250_000


def _noted_columns(count: int, noted: Mapping[int, tuple[list[str], float | None]]) -> dict[str, pa.ChunkedArray]:
    """Labels, rating and whether there is any note for each of so many rows."""
    kinds = {"label": pa.list_(pa.string()), "rating": pa.float64(), "noted": pa.bool_()}
    size = min(count, STRETCH_ROWS)
    nothing = _noted_stretch(size, {})
    chunks: dict[str, list[pa.Array]] = {name: [] for name in kinds}
    by_stretch: dict[int, dict[int, tuple[list[str], float | None]]] = {}
    for row, written in noted.items():
        by_stretch.setdefault(row // STRETCH_ROWS, {})[row % STRETCH_ROWS] = written
    for start in range(0, count, STRETCH_ROWS):
        own = by_stretch.get(start // STRETCH_ROWS)
        made = _noted_stretch(size, own) if own else nothing
        for name, column in made.items():
            chunks[name].append(column.slice(0, count - start))
    return {name: pa.chunked_array(chunks[name], kind) for name, kind in kinds.items()}


def _noted_stretch(size: int, noted: Mapping[int, tuple[list[str], float | None]]) -> dict[str, pa.Array]:
    lengths = np.zeros(size + 1, dtype=np.int32)
    ratings = np.full(size, np.nan)
    rated = np.zeros(size, dtype=bool)
    any_note = np.zeros(size, dtype=bool)
    words: list[str] = []
    for row in sorted(noted):
        labels, rating = noted[row]
        words += labels
        lengths[row + 1] = len(labels)
        any_note[row] = True
        if rating is not None:
            ratings[row], rated[row] = rating, True
    offsets = pa.array(np.cumsum(lengths, dtype=np.int32))
    return {
        "label": pa.ListArray.from_arrays(offsets, pa.array(words, pa.string())),
        "rating": pa.array(ratings, mask=~rated),
        "noted": pa.array(any_note),
    }


def _by_prompt(table: pa.Table, prompts: set[str]) -> dict[str, list[str]]:
    """The addresses of the samples that have one of these prompts."""
    if not prompts or table.num_rows == 0:
        return {}
    wanted = pa.array([int(prompt, 16) for prompt in prompts], pa.uint64())
    rows = table.select(["split", "step", "index", "prompt_hash"]).filter(compute.is_in(table["prompt_hash"], wanted))
    found: dict[str, list[str]] = {}
    for row in rows.to_pylist():
        place = address_of(row["split"], row["step"], row["index"])
        found.setdefault(f"{row['prompt_hash']:016x}", []).append(place)
    return found


def _rows(table: pa.Table, places: list[tuple[str, int, int]]) -> dict[tuple[str, int, int], int]:
    """The rows of these places in ``table``, for those it holds."""
    if not places or table.num_rows == 0:
        return {}
    steps = pa.array(sorted({step for _, step, _ in places}), table["step"].type)
    near = np.flatnonzero(compute.is_in(table["step"], steps).to_numpy(zero_copy_only=False))
    wanted = set(places)
    taken = table.select(["split", "step", "index"]).take(pa.array(near)).to_pylist()
    return {
        place: int(row)
        for row, item in zip(near, taken)
        if (place := (item["split"], item["step"], item["index"])) in wanted
    }
