"""What every question about a run needs: its files, their index, what is cached, and how fresh all that is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from rollscope.errors import NotFoundError
from rollscope.formats.base import Format
from rollscope.formats.registry import Detection
from rollscope.index.engines.base import Engine
from rollscope.index.index import Index
from rollscope.index.snapshot import Snapshot
from rollscope.query import answers, limits
from rollscope.query.lists.selection_cache import SelectionCache
from rollscope.query.live.watch import STEP_FRESH_TIMES, Refresher, holds, step_changed
from rollscope.query.metrics.logged import LoggedMetrics
from rollscope.query.samples.cache import SampleCache
from rollscope.query.samples.notes import RunNotes
from rollscope.query.samples.ranges import Ranges, with_observed
from rollscope.query.samples.reader import ATTEMPTS, SampleReader, place_of
from rollscope.query.samples.unchanged import FilesChanged, kept_changing
from rollscope.storage.store import Store
from rollscope.userdata.notes import Notes

if TYPE_CHECKING:
    from rollscope.index.features.background import BackgroundFeatures
    from rollscope.index.features.feature_index import FeatureIndex
    from rollscope.query.metrics.series import Curve

_T = TypeVar("_T")


class OpenedRun:
    """The part of a run that answers no questions itself. Lists, search, metrics and so on are subclasses, each in the
    folder of its subject; `Run` combines them."""

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
        #: The same as text that can be printed and sent, for paths that are not UTF-8.
        self.path = self.root.encode("utf-8", "backslashreplace").decode()
        self.id = id
        self.name = name
        self.detection = detection
        #: What the library says about how the run was found.
        self.notices: list[str] = []
        self._format: Format = detection.format
        self._index = Index(store, self._format, base=index_dir, engine=engine)
        self._refresher = Refresher(self._index)
        self._patterns = patterns
        self._made_features: tuple[FeatureIndex, BackgroundFeatures] | None = None
        #: Whether watching the run also computes its features.
        self.background_features = background_features
        self._logged = LoggedMetrics(store, self._format)
        self._cache = cache or SampleCache()
        self._reader = SampleReader(name, self._format, self._index, self._refresher, self._cache)
        self._notes = RunNotes(notes or Notes(), self._reader)
        self._selections = SelectionCache()
        #: Identifies this object in cache keys. Its name cannot: another run may get it later, with equal versions.
        self._token = object()
        self._lock = threading.Lock()
        self._curves: tuple[int, dict[str, Curve], object] | None = None
        self._guessed: tuple[int, list[str]] | None = None

    @property
    def format(self) -> str:
        """The name of the format that its files are read as."""
        return self._format.name

    @property
    def _features(self) -> FeatureIndex:
        return self._feature_parts()[0]

    @property
    def _background(self) -> BackgroundFeatures:
        return self._feature_parts()[1]

    def _feature_parts(self) -> tuple[FeatureIndex, BackgroundFeatures]:
        """Made when first needed: most commands need none, and importing the modules takes a tenth of a short command's
        time."""
        from rollscope.index.features.background import BackgroundFeatures
        from rollscope.index.features.feature_index import FeatureIndex

        with self._lock:
            if self._made_features is None:
                features = FeatureIndex(self._index, self._patterns, limits.current().line_bytes)
                self._made_features = (features, BackgroundFeatures(features))
            return self._made_features

    def guessed(self, snapshot: Snapshot | None = None) -> list[str]:
        """What was guessed in reading it, in sentences."""
        snapshot = snapshot or self._fresh(None, None, wait=True)
        if self._guessed is None or self._guessed[0] != self._index.version:
            # The entries of all files are decoded for formats that guess, and for no others.
            guesses = type(self._format).guesses is not Format.guesses
            sources = [entry.source for entry in snapshot.manifest.files] if guesses else []
            self._guessed = (self._index.version, self._format.guesses(self.store, sources))
        return self._guessed[1]

    def guessed_keys(self, snapshot: Snapshot | None = None) -> dict[str, str]:
        """Field -> key of its records, where a mapping could say otherwise."""
        if type(self._format).guessed_keys is Format.guessed_keys:
            return {}
        snapshot = snapshot or self._fresh(None, None, wait=True)
        return self._format.guessed_keys([entry.source for entry in snapshot.manifest.files])

    def _ranges(self) -> Ranges:
        return with_observed(self._format.ranges(self.store.fresh()), self._index.snapshot)

    def has_ended(self) -> bool:
        """Whether its files say that it has ended."""
        return bool(self._format.finished(self.store.fresh()))

    # Keeping up with the files

    @property
    def part(self) -> str:
        """Which of the runs of its directory this is; "" if it is the only one."""
        return self._format.part

    @property
    def version(self) -> int:
        """Increases whenever something visible changed: in the files, or in people's notes on its samples."""
        return self._files_version + self._notes.notes.version

    @property
    def _files_version(self) -> int:
        return self._index.version + self._logged.version

    def refresh(
        self,
        *,
        split: str | None = None,
        step: int | None = None,
        paths: Collection[str] | None = None,
        wait: bool = True,
        progress: Callable[[answers.Progress], None] | None = None,
    ) -> bool:
        """Check the files and index what is new; with split or step only theirs. True if anything changed. `paths`:
        files of the run (relative to it) that are known to have been written: if their names say enough, no others are
        checked, so that the cost does not depend on how many there are."""
        logged = self._logged.refresh(paths)
        if not wait:
            before = self._index.version
            if paths is not None:
                self._refresher.soon(paths)
            elif self._refresher.differs():
                self._refresher.soon()
            elif self.background_features and not self._refresher.running:
                self.compute_features_soon()
            return logged or self._index.version != before
        only = None if split is None and step is None else holds(split, step)
        return self._refresher.now(only, progress, paths if only is None else None) or logged

    def watched(self, by_file_system: bool) -> None:
        """The caller decides when the files are checked; it watches the file system, if it says so, and passes the files
        that are written to :meth:`refresh`."""
        self._refresher.listens_elsewhere(by_file_system)

    def compute_features_soon(self) -> None:
        """In the background, unless that is under way or there is nothing to do."""
        self._background.soon(self._files_version)

    def warnings(self) -> list[str]:
        """Problems with reading this run, apart from errors in its files."""
        failure = self._refresher.failure
        found = [f"looking at the files failed, what is shown may be old: {failure}"] if failure else []
        return [*self.notices, *found, *self._index.warnings]

    @property
    def workers(self) -> int:
        """How many reading tasks run at the same time: here, or on the chosen cluster."""
        return self._index.engine.count

    def progress(self) -> answers.Progress:
        """How much of the run has been read, and how long the rest may take."""
        return self._refresher.progress()

    def _fresh(self, split: str | None, step: int | None, wait: bool) -> Snapshot:
        """A snapshot good enough for the question: all of it read, or (not waiting) at least its first samples."""
        if wait:
            # A check a moment ago is not enough while what it found is still being read.
            if self._refresher.running or self._is_stale(split, step):
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
        elif self._refresher.stale() and self._refresher.differs():
            self._refresher.soon()
        return self._index.snapshot

    def _is_stale(self, split: str | None, step: int | None) -> bool:
        if split is None or step is None:
            return self._refresher.stale()
        if not self._refresher.stale(0):
            return False
        # The last check of all files is too old only by the standard for few files: checking those of the step is
        # enough.
        return self._refresher.stale(STEP_FRESH_TIMES) or step_changed(self._index, split, step)

    def _steady(self, ask: Callable[[], _T]) -> _T:
        """The result of `ask`, repeated if it found files that are no longer what was indexed."""
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

    def _split_or_first(self, snapshot: Snapshot, split: str | None) -> str:
        """A split that was asked for has to be there; else it is train, or the first one of a run that has none of training."""
        if split is not None:
            self._known_split(snapshot, split)
            return split
        return "train" if "train" in snapshot.known_steps else next(iter(snapshot.known_steps), "train")

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
