"""A run, opened: the object behind `rollscope.open()` and every front door.

It has no data of its own. Rows come from the index's snapshot, text from the files, and each kind of question is
answered by its own module; this one decides only what must be fresh before it is answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from rollscope import model, notebook
from rollscope.errors import NotFoundError, UsageError
from rollscope.formats.base import Format
from rollscope.formats.registry import Detection
from rollscope.index.engines.base import Engine
from rollscope.index.index import Index
from rollscope.index.snapshot import Snapshot
from rollscope.query import answers
from rollscope.query.did_you_mean import nearest
from rollscope.query.insights.comparisons import Comparisons
from rollscope.query.lists.lists import Lists
from rollscope.query.lists.selections import Selections
from rollscope.query.metrics import series
from rollscope.query.metrics.logged import Logged
from rollscope.query.metrics.series import Curve
from rollscope.query.overview.details import run_details
from rollscope.query.overview.doctor import doctor
from rollscope.query.overview.reports import report
from rollscope.query.overview.run_info import run_info
from rollscope.query.overview.steps import step_rows
from rollscope.query.samples.cache import SampleCache
from rollscope.query.samples.notes import RunNotes
from rollscope.query.samples.ranges import Ranges, with_observed
from rollscope.query.samples.reader import SampleReader, place_of
from rollscope.query.samples.rows import sample_rows
from rollscope.query.samples.select import page_slice
from rollscope.query.search.scan import Pattern
from rollscope.query.search.text_search import TextSearch
from rollscope.query.sql import tables
from rollscope.query.sql.nonfinite import names_by_row
from rollscope.query.tabular import Hits, SeriesTable, SqlTable, StepTable
from rollscope.query.watch import Refresher, changed, holds, step_changed
from rollscope.render import plain
from rollscope.storage.store import Store
from rollscope.userdata.notes import NewNote, Note, Notes


class Run(Lists, Comparisons):
    """One training run. Every method may be called from any thread."""

    def __init__(
        self,
        store: Store,
        detection: Detection,
        *,
        id: str,  # noqa: A002  # the word users and the HTTP interface use
        name: str,
        index_dir: str | None = None,
        cache: SampleCache | None = None,
        engine: Engine | None = None,
        notes: Notes | None = None,
    ) -> None:
        self.store = store
        self.root = store.address
        #: The same as text that can be printed and sent, for paths that are no UTF-8.
        self.path = self.root.encode("utf-8", "backslashreplace").decode()
        self.id = id
        self.name = name
        self.detection = detection
        #: What the library has to say about how the run was found.
        self.notices: list[str] = []
        self._format: Format = detection.format
        self._index = Index(store, self._format, base=index_dir, engine=engine)
        self._refresher = Refresher(self._index)
        self._logged = Logged(store, self._format)
        self._cache = cache or SampleCache()
        self._reader = SampleReader(name, self._format, self._index, self._refresher, self._cache)
        self._notes = RunNotes(notes or Notes(), self._reader)
        self._selections = Selections()
        self._lock = threading.Lock()
        self._curves: tuple[int, dict[str, Curve]] | None = None
        self._guessed: tuple[int, list[str]] | None = None

    @property
    def format(self) -> str:
        return self._format.name

    def guessed(self, snapshot: Snapshot | None = None) -> list[str]:
        """What was guessed in reading it, in sentences."""
        snapshot = snapshot or self._fresh(None, None, wait=True)
        if self._guessed is None or self._guessed[0] != self._index.version:
            sources = [entry.source for entry in snapshot.manifest.files]
            self._guessed = (self._index.version, self._format.guesses(self.store, sources))
        return self._guessed[1]

    def guessed_keys(self, snapshot: Snapshot | None = None) -> dict[str, str]:
        """Field -> key of its records, where a mapping could say otherwise."""
        snapshot = snapshot or self._fresh(None, None, wait=True)
        return self._format.guessed_keys([entry.source for entry in snapshot.manifest.files])

    def _ranges(self) -> Ranges:
        return with_observed(self._format.ranges(self.store.fresh()), self._index.snapshot)

    def has_ended(self) -> bool:
        """Whether its files say that it came to its end."""
        return bool(self._format.finished(self.store.fresh()))

    # Keeping up with the files

    @property
    def part(self) -> str:
        """Which of the runs of its directory this is; "" where it is the only one."""
        return self._format.part

    @property
    def version(self) -> int:
        """Grows whenever what can be seen changed: in the files, or in what people wrote about its samples."""
        return self._files_version + self._notes.notes.version

    @property
    def _files_version(self) -> int:
        return self._index.version + self._logged.version

    def refresh(
        self,
        *,
        split: str | None = None,
        step: int | None = None,
        wait: bool = True,
        progress: Callable[[answers.Progress], None] | None = None,
    ) -> bool:
        """Look at the files and index what is new; with split or step only theirs. True when anything changed."""
        logged = self._logged.refresh()
        if not wait:
            before = self._index.version
            if changed(self._index):
                self._refresher.soon()
            return logged or self._index.version != before
        only = None if split is None and step is None else holds(split, step)
        return self._refresher.now(only, progress) or logged

    def warnings(self) -> list[str]:
        """What is wrong with looking at this run, beside what is wrong in its files."""
        failure = self._refresher.failure
        found = [f"looking at the files failed, what is shown may be old: {failure}"] if failure else []
        return [*self.notices, *found, *self._index.warnings]

    def progress(self) -> answers.Progress:
        return self._refresher.progress()

    def _fresh(self, split: str | None, step: int | None, wait: bool) -> Snapshot:
        """A snapshot good enough for the question: all of it read, or (not waiting) at least its first samples."""
        if wait:
            # Looked at a moment ago is not enough while what was seen then is still being read.
            if self._refresher.stale() or self._refresher.running:
                self._refresher.now(None if step is None else holds(split, step))
            return self._index.snapshot
        if not self._index.snapshot.manifest.files:
            self._index.list_files()
        if split is not None and step is not None:
            if step_changed(self._index, split, step):
                wanted = holds(split, step)
                self._index.prefer(wanted)
                self._index.peek(wanted)
                self._refresher.soon()
        elif self._refresher.stale():
            if changed(self._index):
                self._refresher.soon()
            self._refresher.looked()
        return self._index.snapshot

    # What there is

    @property
    def splits(self) -> list[str]:
        return list(self._fresh(None, None, wait=True).splits)

    def info(self, *, wait: bool = True) -> answers.RunInfo:
        snapshot = self._fresh(None, None, wait)
        return run_info(self, snapshot, self.progress())

    def details(self, *, wait: bool = True) -> answers.RunDetails:
        snapshot = self._fresh(None, None, wait)
        return run_details(self, self._format, snapshot, self.progress())

    def doctor(self) -> answers.DoctorReport:
        return doctor(self, self._format, self._fresh(None, None, wait=True), self.detection)

    def steps(self, split: str = "train", *, wait: bool = True) -> StepTable:
        snapshot = self._fresh(None, None, wait)
        self._known_split(snapshot, split)
        return StepTable(split=split, steps=step_rows(snapshot, split), progress=self.progress())

    def _known_split(self, snapshot: Snapshot, split: str) -> None:
        known = snapshot.known_steps
        if known and split not in known and self.progress().done:
            raise NotFoundError(f"{self.name} has no split {split!r}", hint=f"it has {', '.join(known)}")

    def fields(self, split: str = "train", step: int | None = None) -> list[str]:
        """The numeric fields that occur (in that step, or anywhere)."""
        snapshot = self._index.snapshot
        if step is None:
            return list(snapshot.fields)
        table = snapshot.rows_of(split, step)
        return [
            name for name in snapshot.fields if name in table.column_names and table[name].null_count < table.num_rows
        ]

    # Samples

    def sample(self, address: str) -> model.Sample:
        """One sample, whole, by its address."""
        return self._reader.sample(address)

    def sample_json(self, address: str, *, max_chars: int | None = None, record: bool = True) -> bytes:
        """A sample as the HTTP interface and `show --json` give it, shortened if so asked; kept in the cache."""
        return self._reader.json(address, max_chars=max_chars, record=record)

    def sample_json_at_hand(
        self, address: str, *, max_bytes: int, max_chars: int | None = None, record: bool = True
    ) -> bytes | None:
        """As `sample_json` where that takes well below a millisecond, for an event loop, which can wait for nothing."""
        return self._reader.json_at_hand(address, max_bytes=max_bytes, max_chars=max_chars, record=record)

    def part_text(self, address: str, message: int, part: int) -> str:
        """The text of one part of one message; kept in the cache, since long ones are asked for stretch by stretch."""
        return self._reader.part_text(address, message, part)

    def raw(self, address: str) -> str:
        """The whole text of a sample as one string."""
        return plain(self.sample(address).messages)

    def prompt_history(self, address: str) -> list[answers.SampleRow]:
        """The samples of the same split with the same prompt, over all steps."""
        split, step, number = place_of(address)
        snapshot = self._fresh(None, None, wait=True)
        table = snapshot.rows_of(split, step)
        if not 0 <= number < table.num_rows:
            raise NotFoundError(
                f"there is no sample {address} in {self.name}", hint=self._reader.what_exists(split, step)
            )
        return sample_rows(
            tables.same_prompt(snapshot.all_rows, split, table["prompt_hash"][number].as_py()), self.name
        )

    # What people wrote

    def notes(self, address: str | None = None) -> list[Note]:
        """People's notes on one sample, or on all samples of this run, oldest first."""
        if address is not None:
            return self._notes.on(address)
        return self._notes.all(self._fresh(None, None, wait=True), self._files_version)

    def write_note(self, note: NewNote) -> Note:
        split, step, _ = place_of(note.address)
        return self._notes.write(note, self._fresh(split, step, wait=True))

    def remove_note(self, id: str, author: str | None = None) -> Note:  # noqa: A002  # the word of the interface
        return self._notes.remove(id, author)

    # Search, SQL, export

    def search(
        self,
        pattern: str,
        *,
        regex: bool = False,
        ignore_case: bool = False,
        fields: Sequence[str] | None = None,
        where: str | None = None,
        split: str | None = None,
        step: int | None = None,
        discarded: bool | None = None,
        limit: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Hits:
        """Every sample whose text matches, in order, as it is found: the first match in each of its texts."""
        page_slice(0, limit)
        if not pattern:
            raise UsageError("nothing to search for", hint="give a text or a regular expression")
        wanted = Pattern(pattern, regex, ignore_case)
        return Hits(self._found(wanted, list(fields or ()), (split, step, where, None, discarded), limit, cancel))

    def _found(
        self,
        pattern: Pattern,
        fields: list[str],
        selection: tuple[str | None, int | None, str | None, None, bool | None],
        limit: int | None,
        cancel: threading.Event | None,
    ) -> Iterator[answers.Hit]:
        snapshot, table, rows = self._select(*selection, wait=True)
        search = TextSearch(snapshot, table, self._format, self.store.fresh(), self._index.engine)
        # One chunk instead of one a file: finding a row among 10,000 chunks takes longer than finding the match.
        places = table.select(["split", "step", "index"]).combine_chunks()
        for row, hit in islice(search.hits(rows, pattern, fields, cancel), limit):
            yield answers.Hit(
                run=self.name,
                address=model.address(
                    places["split"][row].as_py(), places["step"][row].as_py(), places["index"][row].as_py()
                ),
                field=hit.field,
                start=hit.start,
                end=hit.end,
                snippet=hit.snippet,
                snippet_start=hit.snippet_start,
                snippet_end=hit.snippet_end,
            )

    def sql_table(self, query: str, max_rows: int | None = None) -> pa.Table:
        """The result of one SELECT over `samples`, `steps`, `metrics` and `runs`, as an Arrow table."""
        snapshot = self._fresh(None, None, wait=True)
        return tables.run_sql(query, self, snapshot, self.metrics(), max_rows)

    def sql(self, query: str, *, only_shown: bool = False) -> SqlTable:
        """The same with its rows as lists, at most 10,000 of them; its tables have all, unless `only_shown` is wanted."""
        table = self.sql_table(query, tables.MAX_SQL_ROWS + 1 if only_shown else None)
        columns, rows, truncated_at = tables.sql_rows(table)
        result = SqlTable(columns=columns, rows=rows, truncated_at=truncated_at, nonfinite=names_by_row(columns, rows))
        result._table = table
        return result

    def export(self, path: str, *, where: str | None = None, text: bool = False, discarded: bool | None = None) -> int:
        """Write a selection to a .parquet, .jsonl or .csv file; `text` adds prompt and response. Returns the rows."""
        if self.store.owns(path):
            raise UsageError(f"{path} is a file of the run itself", hint="export to another name")
        snapshot, table, rows = self._select(None, None, where, None, discarded, wait=True)
        texts = None
        if text:
            store = self.store.fresh()

            def texts(row: int) -> dict[str, str]:
                located = snapshot.locate(table, row)
                return dict(self._format.texts(store, located.source, located.place))

        return tables.export(path, table, rows, texts)

    # Curves

    def _all_curves(self, wait: bool) -> dict[str, Curve]:
        snapshot = self._fresh(None, None, wait)
        version = self._files_version
        with self._lock:
            if self._curves is None or self._curves[0] != version:
                self._curves = (version, {**series.derived_curves(snapshot), **self._logged.curves()})
            return self._curves[1]

    def catalog(self, *, wait: bool = True) -> list[answers.SeriesInfo]:
        """Every metric there is: what was logged, and what follows from the samples."""
        return [series.info(curve) for curve in self._all_curves(wait).values()]

    def series(self, names: Sequence[str], *, wait: bool = True) -> list[answers.Series]:
        return [series.answer(curve) for curve in self._named_curves(names, wait)]

    def series_columns(
        self, names: Sequence[str], *, times: bool = True, wait: bool = True
    ) -> list[answers.SeriesColumns]:
        """The same as columns, for those who draw them by the hundred."""
        return [series.columns(curve, times=times) for curve in self._named_curves(names, wait)]

    def _named_curves(self, names: Sequence[str], wait: bool) -> list[Curve]:
        curves = self._all_curves(wait)
        unknown = [name for name in names if name not in curves]
        if unknown:
            raise NotFoundError(f"{self.name} has no metric {unknown[0]!r}", hint=nearest(unknown[0], curves))
        return [curves[name] for name in names]

    def metrics(self, glob: str = "*") -> SeriesTable:
        curves = self._all_curves(wait=True)
        return SeriesTable(series.answer(curves[name]) for name in series.matching(curves, glob))

    def distribution(self, field: str, split: str = "train", *, wait: bool = True) -> answers.Distribution:
        found = series.distribution(self._fresh(None, None, wait), field, split)
        if found is None:
            raise NotFoundError(f"{split} has no numeric field {field!r}", hint=nearest(field, self.fields()))
        return found

    def report(self, path: str) -> Any:
        """A logtree report of this run, parsed. Only the run's own reports can be read."""
        return report(self, self._format, path)

    # In a notebook

    def __repr__(self) -> str:
        splits = ", ".join(f"{name}: {len(steps)} steps" for name, steps in self._index.snapshot.splits.items())
        return f"<Run {self.name} ({self.format}) {splits or 'not indexed yet'}>"

    def _repr_html_(self) -> str:
        rows = [
            [item.split, item.steps, item.samples, item.discarded, item.first_step, item.last_step]
            for item in self.info().splits
        ]
        columns = ["split", "steps", "samples", "discarded", "first step", "last step"]
        return notebook.title(self.name, self.format, self.path) + notebook.table(columns, rows)
