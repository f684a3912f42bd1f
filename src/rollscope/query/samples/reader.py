"""Reading whole samples: find the record by its address, read it once, and cache the result. A record is served only
while its file is as it was indexed, or has only grown since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import msgspec
import pyarrow as pa

from rollscope import model
from rollscope.errors import NotFoundError, RollscopeError, UnreadableError, UsageError
from rollscope.fields import EMPTY_IS_MISSING, FLOATS
from rollscope.formats.base import Format, Texts
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.sealed import is_sealed
from rollscope.formats.stop_reasons import in_our_words
from rollscope.index.index import Index
from rollscope.index.indexed_place import IndexedPlace
from rollscope.index.manifest.entries import is_container
from rollscope.index.snapshot import Snapshot
from rollscope.query import limits
from rollscope.query.live.watch import Refresher, holds
from rollscope.query.samples.cache import SampleCache
from rollscope.query.samples.location_cache import LocationCache
from rollscope.query.samples.rows import finite, group_name
from rollscope.query.samples.shorten import shorten
from rollscope.storage.fingerprint import Change, Fingerprint, compare, now_ns
from rollscope.storage.store import Store

PREVIEW_CHARS = 200
#: Of a line, for its preview.
AHEAD_BYTES = 1 << 20
#: How often a sample is looked up again when its file changes while it is read.
ATTEMPTS = 4

_T = TypeVar("_T")


def place_of(address: str) -> tuple[str, int, int]:
    """(split, step, index). Raises UsageError with a sentence."""
    try:
        return model.parse_address(address)
    except ValueError as error:
        raise UsageError(str(error)) from None


def check_length(located: IndexedPlace) -> None:
    """Raise LimitError for a sample whose line is longer than may be held in memory."""
    if limits.too_long(located.place.length):
        raise limits.long_line_error(located.source.path, located.line, located.place.length)


@contextmanager
def _readable(located: IndexedPlace) -> Iterator[None]:
    """Turn whatever a format raises about a damaged file into one sentence about that file."""
    path = located.source.path
    try:
        yield
    except RollscopeError:
        raise
    except OSError as error:
        raise UnreadableError(f"{path} could not be read: {error.strerror or error}", hint="refresh") from error
    except Unreadable as error:
        raise UnreadableError(f"{path}, line {located.line}: {error}", hint="the file has changed") from error
    except Exception as error:
        raise UnreadableError(
            f"{path} holds something that cannot be read here: {type(error).__name__}: {error}",
            hint="the file is damaged, or not what its name says",
        ) from error


class SampleReader:
    """Reads the samples of one run."""

    def __init__(self, name: str, format_: Format, index: Index, refresher: Refresher, cache: SampleCache) -> None:
        self._name = name
        self._format = format_
        self._index = index
        self._refresher = refresher
        self._cache = cache
        self._locations = LocationCache()

    @property
    def store(self) -> Store:
        """A new one each time: listings are taken once per object."""
        return self._index.store.fresh()

    def sample(self, address: str) -> model.Sample:
        return self._steady(address, lambda located: self._load(address, located))

    def texts(self, address: str) -> dict[str, str]:
        """Its prompt and its response, as search reads them."""
        return dict(self.all_texts(address))

    def all_texts(self, address: str) -> Texts:
        """The same with all of its golden answers: a sample may have several."""
        return self._steady(address, self._all_texts_at)

    def texts_at(self, located: IndexedPlace) -> dict[str, str]:
        return dict(self._all_texts_at(located))

    def _all_texts_at(self, located: IndexedPlace) -> Texts:
        check_length(located)
        with _readable(located):
            return self._format.texts(self.store, located.source, located.place)

    def _steady(self, address: str, read: Callable[[IndexedPlace], _T]) -> _T:
        """The result of `read`, from a file that was the indexed one before and after reading: a trainer may rewrite it
        at any moment. If it changes faster than it can be read, the sample is returned as it was found."""
        for _ in range(ATTEMPTS):
            located = self._locate(address)
            try:
                found = read(located)
            except (UnreadableError, NotFoundError):
                if located.still_there(self.store):
                    raise
                continue
            if located.still_there(self.store):
                return found
        return read(self._locate(address))

    def fetch_ahead(self, snapshot: Snapshot, table: pa.Table, rows: Iterable[int]) -> None:
        """The beginnings of these rows will be needed: those in a remote store are fetched together."""
        if not self._index.store.far:
            return
        places = (snapshot.locate(table, int(row)) for row in rows)
        wanted = [
            (found.source.path, found.place.offset, found.place.offset + min(found.place.length, AHEAD_BYTES))
            for found in places
            if found.place.length and not is_container(found.source) and not is_sealed(found.source.path)
        ]
        with suppress(OSError):  # reading the file will report the error
            self.store.prefetch(wanted)

    def starts(self, snapshot: Snapshot, table: pa.Table, row: int) -> tuple[str | None, str | None]:
        located = snapshot.locate(table, row)
        try:
            with _readable(located):
                texts = dict(self._format.starts(self.store, located.source, located.place, PREVIEW_CHARS))
        except RollscopeError:
            return None, None
        if not located.still_there(self.store):
            return None, None  # it may be another line that was read; the next check finds what is there now
        return texts.get("prompt"), texts.get("response")

    def json(self, address: str, *, max_chars: int | None = None, record: bool = True) -> bytes:
        """A sample as the HTTP interface and `show --json` return it, shortened if requested; cached."""
        return self._steady(
            address, lambda located: self._json(address, located, self._state(located), max_chars, record)
        )

    def json_if_quick(
        self, address: str, *, max_bytes: int, max_chars: int | None = None, record: bool = True
    ) -> bytes | None:
        """As `json`, if that takes well below a millisecond (looked up before, unchanged, not long), else None. For an
        event loop, which must not wait."""
        located = self._locations.get(self._index.snapshot, address)
        if located is None or located.place.length > max_bytes:
            return None
        return self._json(address, located, located.seen, max_chars, record)

    def part_text(self, address: str, message: int, part: int) -> str:
        """The text of one part of one message; cached, because long ones are asked for piece by piece."""

        def encode(sample: model.Sample) -> bytes:
            try:
                return sample.messages[message].parts[part].text.encode("utf-8", "surrogatepass")
            except IndexError:
                raise NotFoundError(
                    f"{address} has no part {part} in a message {message}",
                    hint=f"it has {len(sample.messages)} messages",
                ) from None

        form = f"part {message} {part}"
        body = self._steady(address, lambda located: self._cached(address, located, self._state(located), form, encode))
        return body.decode("utf-8", "surrogatepass")

    def _state(self, located: IndexedPlace) -> Fingerprint | None:
        """The state of the file under which what is read now may be cached. A file that has grown since it was indexed
        has a newer state; one that was written a moment ago has none, because it may change again unnoticed."""
        looked = now_ns()
        now = self.store.stat(located.source.path)
        if now is None or compare(located.seen, located.seen_ns, now) is Change.NONE:
            return now
        return now if now.settled(looked) else None

    def _json(
        self, address: str, located: IndexedPlace, state: Fingerprint | None, max_chars: int | None, record: bool
    ) -> bytes:
        return self._cached(
            address,
            located,
            state,
            f"{max_chars} {record}",
            lambda sample: model.encode_json(shorten(sample, max_chars=max_chars, record=record)),
        )

    def _cached(
        self,
        address: str,
        located: IndexedPlace,
        state: Fingerprint | None,
        form: str,
        make: Callable[[model.Sample], bytes],
    ) -> bytes:
        if state is None:
            return make(self._load(address, located))
        # The source's note has the state of other files that the sample is made from, such as annotations.
        source = f"{located.source.path}\0{self._format.part}\0{located.source.note}"
        file = (self._index.store.address, source, state)
        body = self._cache.get(file, f"{address} {form}")
        if body is None:
            body = make(self._load(address, located))
            self._cache.put(file, f"{address} {form}", body)
        return body

    def _locate(self, address: str) -> IndexedPlace:
        split, step, number = place_of(address)
        snapshot = self._index.snapshot
        located = self._locations.get(snapshot, address)
        if located is not None:
            return located
        table = snapshot.rows_of(split, step)
        if 0 <= number < table.num_rows:
            located = snapshot.locate(table, number)
            store = self.store
            looked, now = now_ns(), store.stat(located.source.path)
            if located.still_there(store) and now is not None:
                located = msgspec.structs.replace(located, seen=now, seen_ns=looked, compared=True)
                self._locations.put(snapshot, address, located, store)
                return located
            self._index.distrust(located.source.path)
        wanted = holds(split, step)
        if number >= 0 and self._index.peek(wanted):
            # This file has not been read yet: its first samples need no index of the rest.
            snapshot = self._index.snapshot
            table = snapshot.rows_of(split, step)
            if number < table.num_rows:
                return snapshot.locate(table, number)
        self._refresher.now(wanted)
        snapshot = self._index.snapshot
        table = snapshot.rows_of(split, step)
        if not 0 <= number < table.num_rows:
            raise NotFoundError(f"there is no sample {address} in {self._name}", hint=self.what_exists(split, step))
        return snapshot.locate(table, number)

    def _load(self, address: str, located: IndexedPlace) -> model.Sample:
        from rollscope.render.turn_outcomes import failing_turns

        split, step, number = model.parse_address(address)
        check_length(located)
        store = self.store
        # The place is valid in this state only: of another, an object store returns an error instead of bytes.
        store.expect(located.source.path, located.seen)
        with _readable(located):
            sample = self._format.load(store, located.source, located.place)
        sample.address, sample.split, sample.step, sample.index = (
            model.address(split, step, number),
            split,
            step,
            number,
        )
        sample.group = group_name(located.place.group)
        for name in EMPTY_IS_MISSING:
            if getattr(sample, name, None) == "":
                setattr(sample, name, None)
        sample.status = in_our_words(sample.status)
        if sample.staleness is None and sample.sampling_step is not None:
            sample.staleness = model.as_integer(step - sample.sampling_step)
        sample.source = {"file": located.source.path, **sample.source}
        if located.line:
            sample.source["line"] = located.line
        if located.place.member:
            sample.source |= {"member": located.place.member, "row": located.place.offset}
        sample.failing_turns = failing_turns(sample)
        return _with_names_for_nonfinite(sample)

    def what_exists(self, split: str, step: int) -> str:
        snapshot = self._index.snapshot
        steps = snapshot.splits.get(split)
        if steps is None:
            return f"splits: {', '.join(snapshot.splits) or 'none'}"
        if step not in steps:
            return f"{split} has steps {steps[0]} to {steps[-1]} ({len(steps)} of them)"
        return f"{split}/{step} has samples 0 to {snapshot.rows_of(split, step).num_rows - 1}"


def _with_names_for_nonfinite(sample: model.Sample) -> model.Sample:
    """JSON has no NaN, so name it where a reader looks for it. The Python values are not changed."""
    names: dict[str, str] = dict(sample.nonfinite)
    for name in FLOATS:
        finite(name, getattr(sample, name), names)
    for kind in ("metrics", "rewards"):
        for key, value in getattr(sample, kind).items():
            finite(f"{kind}.{key}", value, names)
    sample.nonfinite = names
    return sample
