"""Features as columns of a list: made when a filter, an order or a column asks for them, for the rows that need them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import UsageError
from rollscope.fields import FEATURE_PREFIXES, FEATURE_SPACES

if TYPE_CHECKING:
    from rollscope.index.features.feature_index import FeatureIndex, Tell
    from rollscope.index.snapshot import Snapshot

_MENTION = re.compile(rf"\b(?:{'|'.join(FEATURE_SPACES)})\.")


def mentions_features(*texts: str | None) -> bool:
    """Whether a filter, sort or query may ask for features. A word in quotes counts too: that costs only time."""
    return any(text is not None and _MENTION.search(text) for text in texts)


def is_feature(name: str) -> bool:
    return name.startswith(FEATURE_PREFIXES)


class FeatureColumns:
    """The features of one table of a snapshot."""

    def __init__(self, features: FeatureIndex, snapshot: Snapshot, table: pa.Table) -> None:
        self._features = features
        self._snapshot = snapshot
        self._table = table
        self.types: dict[str, pa.DataType] = {name: features.type_of(name) for name in features.registry.features}

    def of_part(self, part: pa.Table) -> FeatureColumns:
        """The same columns for a part of the table that has whole steps."""
        return FeatureColumns(self._features, self._snapshot, part)

    def columns(
        self, names: Iterable[str], rows: NDArray[np.int64] | None = None, tell: Tell | None = None
    ) -> dict[str, pa.ChunkedArray]:
        """The features of these rows, or of all; what is not stored is computed."""
        wanted = list(names)
        self.check(wanted)
        return self._features.columns(self._snapshot, self._table, wanted, rows, tell)

    def check(self, names: Sequence[str]) -> None:
        import difflib

        for name in names:
            if name not in self.types:
                near = difflib.get_close_matches(name, self.types, n=3, cutoff=0.4) or list(self.types)[:8]
                raise UsageError(f"there is no feature {name!r}", hint=f"there is {', '.join(near)}")

    def values(self, names: Sequence[str], rows: NDArray[np.int64]) -> list[dict[str, Any]]:
        """For each of these rows a value by name; one that is missing is left out."""
        from rollscope.index import compute

        columns = {name: compute.take(column, rows).to_pylist() for name, column in self.columns(names, rows).items()}
        return [
            {name: values[place] for name, values in columns.items() if values[place] is not None}
            for place in range(len(rows))
        ]

    def joined(
        self,
        table: pa.Table,
        names: Sequence[str],
        rows: NDArray[np.int64] | None = None,
        tell: Tell | None = None,
    ) -> pa.Table:
        """``table`` (this one) with these features as further columns."""
        for name, column in self.columns(names, rows, tell).items():
            table = table.append_column(name, column)
        return table
