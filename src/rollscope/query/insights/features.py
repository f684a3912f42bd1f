"""The part of a run that knows what is computed from its texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray

from rollscope.errors import UnreadableError
from rollscope.fields import Field
from rollscope.index.statistics.summary import FieldColumns, decode_field, summarise
from rollscope.query.answers import SampleRow
from rollscope.query.opened_run import OpenedRun
from rollscope.query.samples.feature_columns import FeatureColumns

if TYPE_CHECKING:
    from rollscope.index.features.feature_index import FeatureProgress
    from rollscope.index.snapshot import Snapshot


class FeatureReport(Struct, kw_only=True):
    """What is computed from this run's texts, and how far that is."""

    features: list[Field]
    samples_done: Annotated[int, Meta(description="Samples whose features are stored: filters by them cost nothing.")]
    samples_total: int
    running: Annotated[bool, Meta(description="They are being computed in the background.")]
    problems: Annotated[list[str], Meta(description="Plug-ins that could not be used, in sentences.")]


def read_patterns(path: str | None) -> str:
    """The text of the user's file of patterns; "" where there is none."""
    if not path:
        return ""
    from rollscope.features.patterns import check_patterns

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UnreadableError(f"the patterns in {path} could not be read: {reason}") from None
    check_patterns(text, path)
    return text


class FeaturesOfRun(OpenedRun):
    """Features of one run: names, columns, and the pass that computes them ahead."""

    _feature_statistics: tuple[Snapshot, object, dict[str, FieldColumns]] | None = None

    def feature_names(self) -> list[str]:
        """Every feature there is, plug-ins' too."""
        return self._features.registry.names()

    def feature_report(self, *, wait: bool = True) -> FeatureReport:
        """Which features there are, and how much of the run they were computed of."""
        registry = self._features.registry
        progress = self._features.progress(self._fresh(None, None, wait))
        failed = [f"{name} failed on some samples: {reason}" for name, reason in self._features.failed.items()]
        return FeatureReport(
            features=[feature.as_field() for feature in registry.features.values()],
            samples_done=progress.samples_done,
            samples_total=progress.samples_total,
            running=self._background.running,
            problems=[*registry.broken, *failed],
        )

    def compute_features(self, report: Callable[[int, int], None] | None = None) -> FeatureProgress:
        """Compute and store whatever is missing, and return when it is done. `report` is called with how many samples are done,
        of how many."""
        tell = (lambda state: report(state.samples_done, state.samples_total)) if report is not None else None
        return self._features.compute_all(self._fresh(None, None, wait=True), report=tell)

    def rows_with_features(self, snapshot: Snapshot, tell: Callable[[int, int], None] | None = None) -> pa.Table:
        """Every sample's row with all features; what is missing is computed. `tell` is called with how many samples of
        that are done, of how many."""
        table = snapshot.all_rows
        return self._feature_columns(snapshot, table).joined(table, self.feature_names(), tell=tell)

    def _feature_columns(self, snapshot: Snapshot, table: pa.Table) -> FeatureColumns:
        return FeatureColumns(self._features, snapshot, table)

    def _add_features(
        self,
        snapshot: Snapshot,
        table: pa.Table,
        rows: NDArray[np.int64],
        names: Sequence[str],
        picked: pa.Table,
        answers: Sequence[SampleRow],
    ) -> pa.Table:
        """``picked`` (these rows of the table) with these features; the answers made of it get them, too."""
        if not names:
            return picked
        from rollscope.index import compute

        columns = self._feature_columns(snapshot, table).columns(names, rows)
        for name, column in columns.items():
            taken = compute.take(column, rows)
            picked = picked.append_column(name, taken)
            if answers:
                for answer, value in zip(answers, taken.to_pylist()):
                    if value is not None:
                        answer.features = {**answer.features, name: value}
        return picked

    def _feature_fields(self, snapshot: Snapshot) -> dict[str, FieldColumns]:
        """Statistics over the steps of the features that are stored. The same object until more are."""
        kept = self._feature_statistics
        store = self._features.store
        if not store.blocks:
            return {}
        if kept is None or kept[0] is not snapshot or kept[1] is not store.blocks:
            kept = self._feature_statistics = (snapshot, store.blocks, self._summarised(snapshot))
        return kept[2]

    def _summarised(self, snapshot: Snapshot) -> dict[str, FieldColumns]:
        features = self._features
        names = [name for name, feature in features.registry.features.items() if feature.type in ("number", "integer")]
        table = snapshot.all_rows
        columns = features.stored_columns(snapshot, table, names)
        rows = table.select(["split", "step", "group", "reward", "discard_reason", "status"])
        for name, column in columns.items():
            rows = rows.append_column(name, column)
        found = summarise(rows)
        places = {key: place for place, key in enumerate((item.split, item.step) for item in snapshot.steps)}
        where = np.array([places.get((item.split, item.step), -1) for item in found.steps], dtype=np.int64)
        fields = {field.name: decode_field(field) for field in found.fields if field.name in columns}
        for decoded in fields.values():
            decoded.step = where[decoded.step]
        return fields
