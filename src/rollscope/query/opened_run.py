"""What every question about a run stands on: its files, their index, what is kept of them, and how fresh all that is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

import pyarrow as pa

from rollscope.errors import NotFoundError
from rollscope.formats.base import Format
from rollscope.formats.registry import Detection
from rollscope.index.engines.base import Engine
from rollscope.index.features.background import BackgroundFeatures
from rollscope.index.features.feature_index import FeatureIndex
from rollscope.index.index import Index
from rollscope.index.snapshot import Snapshot
from rollscope.query import answers
from rollscope.query.lists.selections import Selections
from rollscope.query.metrics.logged import LoggedMetrics
from rollscope.query.metrics.series import Curve
from rollscope.query.samples.cache import SampleCache
from rollscope.query.samples.notes import RunNotes
from rollscope.query.samples.ranges import Ranges, with_observed
from rollscope.query.samples.reader import ATTEMPTS, SampleReader, place_of
from rollscope.query.samples.unchanged import FilesChanged, kept_changing
from rollscope.query.watch import Refresher, changed, holds, step_changed
from rollscope.storage.store import Store
from rollscope.userdata.notes import Notes

_T = TypeVar("_T")


class OpenedRun:
    """The part of a run that answers nothing itself. Lists, search, metrics and so on are subclasses, each beside the
    modules of its subject; `Run` is all of them together."""

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
        patterns: str = "",
        background_features: bool = False,
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
        self._features = FeatureIndex(self._index, patterns)
        #: Whether those who watch the run compute its features, too.
        self.background_features = background_features
        self._background = BackgroundFeatures(self._features)
        self._logged = LoggedMetrics(store, self._format)
        self._cache = cache or SampleCache()
        self._reader = SampleReader(name, self._format, self._index, self._refresher, self._cache)
        self._notes = RunNotes(notes or Notes(), self._reader)
        self._selections = Selections()
        #: Names this object in cache keys. The run's name would not do: another run may get it later, with equal versions.
        self._token = object()
        self._lock = threading.Lock()
        self._curves: tuple[int, dict[str, Curve], object] | None = None
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
            elif self.background_features and not self._refresher.running:
                self.compute_features_soon()
            return logged or self._index.version != before
        only = None if split is None and step is None else holds(split, step)
        return self._refresher.now(only, progress) or logged

    def compute_features_soon(self) -> None:
        """In the background, unless that is under way or there is nothing to do."""
        self._background.soon(self._files_version)

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

    def _steady(self, ask: Callable[[], _T]) -> _T:
        """What `ask` gives, asked again where it met files that are no longer what was indexed."""
        changed_files: set[str] = set()
        for _ in range(ATTEMPTS):
            try:
                return ask()
            except FilesChanged as error:
                changed_files = error.paths
                self._read_again(changed_files)
        raise kept_changing(changed_files)

    def _read_again(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._index.distrust(path)
        self._refresher.now()

    def _known_split(self, snapshot: Snapshot, split: str) -> None:
        known = snapshot.known_steps
        if known and split not in known and self.progress().done:
            raise NotFoundError(f"{self.name} has no split {split!r}", hint=f"it has {', '.join(known)}")

    def _row_of(self, snapshot: Snapshot, address: str) -> tuple[pa.Table, int]:
        """The rows of the step that the sample is in, and its own among them."""
        split, step, number = place_of(address)
        table = snapshot.rows_of(split, step)
        if not 0 <= number < table.num_rows:
            raise NotFoundError(
                f"there is no sample {address} in {self.name}", hint=self._reader.what_exists(split, step)
            )
        return table, number
