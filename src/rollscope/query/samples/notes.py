"""What people wrote about a run's samples: which notes are about this run, and their labels and ratings as columns.

A note knows its sample by content. Where that lies now is looked up by the prompt's hash, which the index has, and proved
by reading the sample; the answer is kept until the run changes.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Hashable, Sequence
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
        #: By content: where the sample is in this version of the run; None where it is not in it.
        self._places: dict[str, str | None] = {}

    def on(self, address: str) -> list[Note]:
        """The notes on one sample, with the address it has now."""
        found = self.notes.on(content_key(self._reader.sample(address)))
        return [msgspec.structs.replace(note, address=address) for note in found]

    def state(self) -> Hashable:
        """Looks at what is written, and is another one when that changed."""
        return self.notes.look()

    def all(self, snapshot: Snapshot, version: int) -> list[Note]:
        """The notes on this run's samples, with the addresses they have now."""
        notes = self.notes.all()
        with self._lock:
            if version != self._version:
                self._places, self._version = {}, version
            new = [note for note in notes if note.key not in self._places]
            if new:
                self._find(snapshot, new)
            places = self._places
        found = ((note, places[note.key]) for note in notes)
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
            self._places[note.key] = next(
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
        rows = _rows(table, list(labels))
        count = table.num_rows
        label: list[list[str]] = [[] for _ in range(count)]
        rating: list[float | None] = [None] * count
        noted = np.zeros(count, dtype=bool)
        for place, row in rows.items():
            label[row] = list(dict.fromkeys(labels[place]))
            rating[row] = ratings.get(place)
            noted[row] = True
        table = table.append_column("label", pa.array(label, pa.list_(pa.string())))
        table = table.append_column("rating", pa.array(rating, pa.float64()))
        return table.append_column("noted", pa.array(noted))


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
