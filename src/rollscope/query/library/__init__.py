"""The runs under some paths, named and kept open."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence, Set
from os import PathLike
from typing import TYPE_CHECKING

from rollscope.errors import NotFoundError, UnreadableError, UsageError
from rollscope.formats.mapping import check_mapping, parse_mapping
from rollscope.formats.registry import format_by_name
from rollscope.index.engines import engine_by_name
from rollscope.index.location import claims_folder
from rollscope.query.insights.features import read_patterns
from rollscope.query.library.finder import CHECKPOINTS, MAX_DIRECTORIES, FoundRun, RunFinder, each_once
from rollscope.query.library.inner_folder import files_beside, run_around
from rollscope.query.run import Run
from rollscope.query.samples.cache import SampleCache
from rollscope.storage.open_store import open_store
from rollscope.storage.store import SKIP_FOLDERS, Kind, Store
from rollscope.userdata.notes import Notes

if TYPE_CHECKING:
    import pyarrow as pa

#: Names of runs that an error lists before it only counts them.
NAMES_SHOWN = 8


class Library:
    """The runs under some paths. Opening a run twice gives the same object."""

    def __init__(
        self,
        paths: Sequence[str | PathLike[str]],
        *,
        format: str | None = None,  # noqa: A002  # the flag's name
        mapping: Mapping[str, str] | str | None = None,
        index_dir: str | None = None,
        cache: SampleCache | None = None,
        engine: str = "local",
        notes_dir: str | None = None,
        patterns: str | None = None,
        features: bool = False,
        tell: Callable[[int], None] | None = None,
    ) -> None:
        """`patterns` is a file of the user's own patterns; with `features` those who watch the runs compute them, too.
        `tell` hears how many folders have been looked at, while runs are looked for the first time."""
        if format is not None:
            format_by_name(format)
        self.stores = [open_store(path) for path in paths]
        self.paths = [store.address for store in self.stores]
        self.cache = cache or SampleCache()
        self.notes = Notes(notes_dir)
        self.truncated = False
        #: What a person should know about how the runs were found.
        self.warnings: list[str] = []
        self._only = [format] if format else []
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else dict(mapping or {})
        check_mapping(self._mapping)
        self._index_dir = index_dir
        self._patterns = read_patterns(patterns)
        self._features = features
        self._runs: dict[str, Run] = {}
        #: What was found at each address when it could be looked at last.
        self._found: dict[str, list[FoundRun]] = {}
        self._lock = threading.Lock()
        for store in self.stores:
            _check(store)
        self._engine = engine_by_name(engine)
        self._tell = tell
        self.rescan()
        self._tell = None
        if not self._runs:
            if self.truncated:
                raise NotFoundError(
                    f"no run found in {' or '.join(self.paths)}: {self.warnings[0]}",
                    hint="give a folder nearer to the runs",
                )
            from rollscope.query.library.nothing_found import nothing_found, refusal  # imports the readers of tables

            if why := refusal(self.stores[0]):
                raise UnreadableError(
                    f"no run found in {' or '.join(self.paths)}: {why}", hint="listing files is not yet reading them"
                )
            raise NotFoundError(
                f"no run found in {' or '.join(self.paths)}", hint=nothing_found(self.stores[0], self._only)
            )
        for store in self.stores:
            self._check_that_a_run_has(store)

    def _check_that_a_run_has(self, store: Store) -> None:
        """A file that was given belongs to a run: one that merely lies beside runs is not what was meant."""
        if store.kind() is not Kind.FILE:
            return
        folder = f"{store.parent().address.rstrip('/')}/"
        if not any(folder.startswith(f"{run.root.rstrip('/')}/") for run in self.runs()):
            from rollscope.query.library.nothing_found import about_a_file

            raise NotFoundError(
                f"{store.address} is no part of a run",
                hint=f"{about_a_file(store)}; runs lie in folders beside it: give {folder} to see them",
            )

    def roots(self) -> list[Store]:
        """The folders that runs are looked for in: those that were given, and those of files that were given."""
        return [_root(store) for store in self.stores]

    def local_folders(self) -> list[str]:
        """Those of them that lie on a disk of this machine."""
        around = [run.root for run in self.runs()]
        given = [folder for root in self.roots() if (folder := root.local_folder) is not None]
        # Where a folder inside a run was given, the folder of the run itself is above it.
        return [*given, *(root for root in around if any(folder.startswith(root + os.sep) for folder in given))]

    def rescan(self) -> bool:
        """Look for run directories again. True when the list changed."""
        parts: list[str] = []
        every: list[FoundRun] = []
        claims = claims_folder(self._index_dir)
        for given in self.stores:
            try:
                found_here, notes = self._found_at(given, claims)
            except UnreadableError as error:
                if given.address not in self._found:
                    raise
                # A store that is away for a while takes no run of it away, nor keeps those elsewhere from being found.
                found_here, notes = self._found[given.address], [str(error)]
            self._found[given.address] = found_here
            every += found_here
            parts += notes
        found = each_once(every)
        self.warnings = [f"more than {MAX_DIRECTORIES:,} folders: the others were not looked into"] * self.truncated
        self.warnings += parts
        with self._lock:
            before = self._runs
            kept = {
                (run.root, run.part): run
                for run in before.values()
                if (seen := found.get((run.root, run.part))) is not None and run.format == seen.detection.format.name
            }
            taken = {run.id for run in kept.values()}
            names = {run.name for run in kept.values()}
            self._runs = {}
            for key, item in found.items():
                run = kept.get(key) or self._open(item, taken, names)
                taken.add(run.id)
                run.notices = self.warnings
                names.add(run.name)
                self._runs[run.id] = run
            return list(self._runs.values()) != list(before.values())

    def _found_at(self, given: Store, claims: str) -> tuple[list[FoundRun], list[str]]:
        """The runs at one of the addresses, and what is to be said about it."""
        notes: list[str] = []
        folder = _root(given)
        search = RunFinder(self._only, self._mapping, claims=claims, tell=self._tell)
        root, has_more = (folder, False) if self._mapping else run_around(folder, self._only)
        if has_more:
            notes.append(f"{folder.address} is a part of the run {root.name}: all of it is shown")
        found = search.runs(root)
        if not found and not search.cut:
            # A run may lie in a folder that is called like a checkpoint, or be one whose format is only guessed.
            search = RunFinder(self._only, self._mapping, SKIP_FOLDERS - CHECKPOINTS, claims, self._tell)
            found = search.runs(root)
        if beside := files_beside(given, [(item.store, item.detection) for item in found]):
            notes.append(beside)
        self.truncated = self.truncated or search.cut
        notes += [
            f"files in {path} that no trainer is known to write were left out: a known run lies among them; "
            "--format jsonl opens them"
            for path in search.passed_over
        ]
        return found, notes

    def _open(self, item: FoundRun, taken: set[str], names: set[str]) -> Run:
        return Run(
            item.store,
            item.detection,
            id=_free_id(item.name, taken),
            name=_free(item.name, names),
            index_dir=self._index_dir,
            cache=self.cache,
            engine=self._engine,
            notes=self.notes,
            patterns=self._patterns,
            background_features=self._features,
        )

    def outside_runs(self) -> list[str]:
        """The folders with records that belong to no run, and what is in them."""
        from rollscope.query.library.outside_runs import records_outside  # reads first lines: only `doctor` asks

        return records_outside(self.roots(), [run.root for run in self.runs()])

    def runs(self) -> list[Run]:
        with self._lock:
            return list(self._runs.values())

    def run(self, name: str) -> Run:
        """By id or by name."""
        with self._lock:
            if name in self._runs:
                return self._runs[name]
            named = [run for run in self._runs.values() if run.name == name or run.root == os.path.abspath(name)]
            known = [run.name for run in self._runs.values()]
        if len(named) == 1:
            return named[0]
        import difflib  # takes 6 ms

        near = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known[:5]
        raise NotFoundError(f"there is no run {name!r}", hint=f"there is {', '.join(near)}")

    def one_run(self, name: str | None = None) -> Run:
        """The run of this name, or the only one there is."""
        if name is not None:
            return self.run(name)
        found = self.runs()
        if len(found) > 1:
            names = ", ".join(run.name for run in found[:NAMES_SHOWN])
            more = f" and {len(found) - NAMES_SHOWN} more" if len(found) > NAMES_SHOWN else ""
            raise UsageError(
                f"{' and '.join(self.paths)} holds {len(found)} runs",
                hint=f"pick one with --run NAME (in Python run=NAME): {names}{more}",
            )
        return found[0]

    def sql_table(self, query: str) -> pa.Table:
        """One SELECT over the tables of all runs."""
        from rollscope.query.sql.tables import sql_over

        for run in self.runs():
            run.refresh()
        return sql_over([(run, run._index.snapshot) for run in self.runs()], query)


def _free_id(name: str, taken: Set[str]) -> str:
    """The name as it may stand in a URL, numbered where another run has it."""
    return _free(re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "run", taken)


def _free(name: str, taken: Set[str]) -> str:
    """The name itself, numbered where another run has it: SQL and `--run` tell runs apart by their names."""
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}-{number}", number + 1
    return candidate


def _root(given: Store) -> Store:
    return given.parent() if given.kind() is Kind.FILE else given.fresh()


def _check(store: Store) -> None:
    kind = store.kind()
    if kind is Kind.MISSING:
        raise NotFoundError(
            f"there is nothing at {store.address}", hint="give a run's directory, or a directory that holds runs"
        )
    if kind is Kind.FORBIDDEN:
        raise UnreadableError(f"no permission to read {store.address}", hint="check the permissions of the directory")


def open_run(
    path: str | PathLike[str],
    *,
    run: str | None = None,
    format: str | None = None,  # noqa: A002  # the flag's name
    mapping: Mapping[str, str] | str | None = None,
    index_dir: str | None = None,
    engine: str = "local",
    notes_dir: str | None = None,
    patterns: str | None = None,
) -> Run:
    """The one run at this path, or the one called `run` where there are several. `mapping` says which key of its records
    is what: ``{"prompt": "question", "reward": "score"}``."""
    library = Library(
        [path],
        format=format,
        mapping=mapping,
        index_dir=index_dir,
        engine=engine,
        notes_dir=notes_dir,
        patterns=patterns,
    )
    return library.one_run(run)
