"""Telescope archives: zips of parquet tables in the W&B folder of a run, the newest rewritten in place while it trains.

A sample can lie in several archives (the finished block, the live block, the tail, the events of the last minutes); its
row has the same key everywhere, and the archive with the lowest rank counts. Kept samples are at their step. Those
discarded or cancelled never got one and are at the step the trainer was at, with their reason. Evals are splits of
their own; those made after training had ended are ``eval/NAME@after_training``, since they measure the same weights
again and would otherwise replace or be mixed with the ones made during training.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, MetricRow, Place, Scan, Source, Texts
from rollscope.formats.folders import folder_named
from rollscope.formats.telescope import run_files
from rollscope.formats.telescope.archive import ARCHIVES
from rollscope.formats.telescope.sample import load_sample, load_texts
from rollscope.formats.telescope.scan import scan_archive
from rollscope.model import Range, Sample, Skipped
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_ARCHIVE = re.compile(r"(?:block_(\d+)|(block_live)|(tail))\.zip")
_EVALS = "evals_after_training"
_TABLES = ("generations", "generations_kept", "generations_eval")
_OTHER_FILES = frozenset({run_files.CONFIG, run_files.SUMMARY, "wandb-metadata.json", "output.log", "requirements.txt"})


class TelescopeFormat(Format):
    name: ClassVar[str] = "telescope"
    grouping = "recorded"
    limits: ClassVar[tuple[str, ...]] = (
        "Only the first user message of a prompt is kept, without its chat template; the record's raw_string has it all.",
        "The environment's answer to the last turn, and that turn's tool calls, are not logged.",
        "Cancelled samples have a prompt and nothing else; groups that failed with an error leave no sample.",
        "Evals have metrics but no reward; the pass@k metrics they carry look only at the first k completions.",
        "Staleness is the number of weight updates while the sample was being generated.",
        "Step metrics have no times: the end of the trainer's last event of the step stands for it.",
    )

    def detect(self, store: Store) -> Claim | None:
        archives = [source.path for source in self.sources(store)]
        if not archives:
            return None
        reasons = [f"{archives[0]} is named as Telescope names its archives"]
        try:
            if ARCHIVES.use(store, archives[0], lambda archive: archive.has_any(*_TABLES)):
                return Claim(confidence=1.0, reasons=(*reasons, "and holds its tables"))
        except DAMAGED as error:
            return Claim(confidence=0.6, reasons=(*reasons, f"but cannot be read now ({error})"))
        return None

    def run_name(self, store: Store) -> str | None:
        """As its configuration calls it. W&B calls every run's folder ``files``; the folder around it has date and id."""
        return run_files.run_name(store) or (store.parent_name or None if store.name == "files" else None)

    def sources(self, store: Store) -> Iterable[Source]:
        paths = [*_archives(store, "steps"), *_archives(store, "events")]
        evals = [path for path in _files(store, _EVALS) if path.endswith(".zip")]
        for rank, path in enumerate(paths):
            yield Source(path=path, rank=rank, appendable=False)
        for rank, path in enumerate(evals, start=len(paths)):
            yield Source(path=path, rank=rank, appendable=False, note=_EVALS)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        after_training = source.note == _EVALS
        try:
            return ARCHIVES.use(
                store, source.path, lambda archive: scan_archive(archive, after_training=after_training)
            )
        except DAMAGED as error:
            reason = f"this archive cannot be read: {error}. It is read again when it changes."
            stat = store.stat(source.path)
            skipped = Skipped(file=source.path, line=0, reason=reason)
            return Scan(columns={}, rows=0, skipped=[skipped], end=stat.size if stat else 0)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            return ARCHIVES.use(store, source.path, lambda archive: load_sample(archive, place))
        except DAMAGED as error:
            raise _gone(source, error) from error

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        try:
            return ARCHIVES.use(store, source.path, lambda archive: load_texts(archive, place))
        except DAMAGED as error:
            raise _gone(source, error) from error

    def metric_files(self, store: Store) -> list[str]:
        return [*_archives(store, "steps"), *_archives(store, "events")]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        return run_files.step_metrics(store, _archives(store, "steps"), _archives(store, "events"))

    def config(self, store: Store) -> Any:
        return run_files.config(store)

    def ranges(self, store: Store) -> dict[str, dict[str, Range]]:
        return run_files.ranges(store)

    def claims(self, store: Store, path: str) -> bool:
        return path in _OTHER_FILES or path.startswith("code/")


def _gone(source: Source, error: Exception) -> NotFoundError:
    return NotFoundError(f"{source.path} cannot be read: {error}", hint="It may be being rewritten; try again.")


def _files(store: Store, folder: str) -> list[str]:
    prefix = folder_named(store, folder)
    return [] if prefix is None else [f"{prefix}{name}" for name in store.files(prefix.rstrip("/"))]


def _archives(store: Store, folder: str) -> list[str]:
    """In the order in which they count: finished blocks by number, the live block, the tail."""
    found = []
    for path in _files(store, folder):
        if match := _ARCHIVE.fullmatch(path.rpartition("/")[2]):
            block, live, _ = match.groups()
            order = (0, int(block)) if block is not None else (1 if live else 2, 0)
            found.append((order, path))
    return [path for _, path in sorted(found)]
