"""The series that a run can be asked for: metrics that its trainer logged, and those that follow from its samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import NotFoundError
from rollscope.query import answers
from rollscope.query.insights.features import FeaturesOfRun
from rollscope.query.language.did_you_mean import nearest
from rollscope.query.metrics import series
from rollscope.query.metrics.series import Curve
from rollscope.query.tabular import SeriesTable


class RunMetrics(FeaturesOfRun):
    """The part of a run that answers with series of numbers."""

    def _all_curves(self, wait: bool) -> dict[str, Curve]:
        snapshot = self._fresh(None, None, wait)
        version, fields = self._files_version, self._feature_fields(snapshot)
        with self._lock:
            if self._curves is None or self._curves[0] != version or self._curves[2] is not fields:
                derived = series.derived_curves(snapshot, fields)
                self._curves = (version, {**derived, **self._logged.curves()}, fields)
            return self._curves[1]

    def catalog(self, *, wait: bool = True) -> list[answers.SeriesInfo]:
        """Every metric there is: what was logged, and what follows from the samples."""
        return [series.info(curve) for curve in self._all_curves(wait).values()]

    def series(self, names: Sequence[str], *, wait: bool = True) -> list[answers.Series]:
        """The series of these names, with every point."""
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
        """The series whose names the pattern matches (`env/*`): what was logged, then what is derived, which is more."""
        curves = self._all_curves(wait=True)
        names = sorted(series.matching(curves, glob), key=lambda name: curves[name].origin != "logged")
        return SeriesTable(series.answer(curves[name]) for name in names)

    def curves(self) -> Collection[Curve]:
        """All of them, as columns of numbers."""
        return self._all_curves(wait=True).values()

    def distribution(self, field: str, split: str = "train", *, wait: bool = True) -> answers.Distribution:
        """How one numeric field is spread over the samples of each step of a split."""
        found = self._steady(lambda: self._distribution(field, split, wait))
        if found is None:
            raise NotFoundError(
                f"{split} has no numeric field {field!r}", hint=nearest(field, self._index.snapshot.fields)
            )
        return found

    def _distribution(self, field: str, split: str, wait: bool) -> answers.Distribution | None:
        from rollscope.query.metrics.distribution import distribution

        snapshot = self._fresh(None, None, wait)

        def column_of(table: pa.Table, name: str, rows: NDArray[np.int64]) -> pa.ChunkedArray:
            return self._feature_columns(snapshot, table).columns([name], rows)[name]

        return distribution(snapshot, field, split, self._feature_fields(snapshot) or {}, column_of)
