"""MLflow's tables of completions: `mlruns/<experiment>/<run>/artifacts/**/*.json`, as `mlflow.log_table` writes them.

Read where no traces are rollouts (see `mlflow`): trainers that log both log the same samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from rollscope.formats.base import Claim
from rollscope.formats.wandb_table import LoggedTable, WandbTableFormat, holds_completions
from rollscope.storage.store import Store

_RUN = re.compile(r"[0-9a-f]{32}")
#: Folders that a table's name may hold.
_DEPTH = 4


class MlflowTablesFormat(WandbTableFormat):
    name: ClassVar[str] = "mlflow_tables"
    limits: ClassVar[tuple[str, ...]] = (
        "Columns are told by their names: a column of numbers that is called neither reward nor score is a metric.",
        "Without a column for the step, everything is shown as step 0.",
        "Where MLflow's database has traces of rollouts, those are read and tables are not.",
        "Logged metrics and parameters are not read beside tables.",
    )

    def detect(self, store: Store) -> Claim | None:
        runs = self.runs(store)
        if not runs:
            return None
        return Claim(confidence=0.6, reasons=(f"MLflow's artifacts of {len(runs)} runs hold tables of completions",))

    def runs(self, store: Store) -> Sequence[str]:
        return list(dict.fromkeys(run for run, _ in _tables_of_runs(store)))

    def run_name(self, store: Store) -> str | None:
        return None

    def tables(self, store: Store) -> Iterable[LoggedTable]:
        found = [(run, path) for run, path in _tables_of_runs(store) if not self.part or run == self.part]
        for _, path in found:
            yield LoggedTable(path, path.partition("/artifacts/")[2].removesuffix(".json"), 0)

    def config(self, store: Store) -> Any:
        return None

    def claims(self, store: Store, path: str) -> bool:
        return path.startswith("mlruns/") or path.endswith((".db", ".db-wal", ".db-shm"))


def _tables_of_runs(store: Store) -> list[tuple[str, str]]:
    """(run, path) of the tables of completions, seen from the folder of `mlruns` or from above it."""
    base = "mlruns/" if "mlruns" in store.folders() else "" if store.name == "mlruns" else None
    found: list[tuple[str, str]] = []
    for experiment in store.folders(base.rstrip("/")) if base is not None else ():
        for run in filter(_RUN.fullmatch, store.folders(f"{base}{experiment}")):
            paths = store.walk(f"{base}{experiment}/{run}/artifacts", _DEPTH)
            found += [(run, path) for path in paths if path.endswith(".json") and holds_completions(store, path)]
    return found
