"""What W&B's binary log says of a run whose tables are read: metrics, configuration, when each table was logged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from rollscope.formats.base import MetricRow
from rollscope.formats.containers import wandb_log
from rollscope.formats.lines.lenient import printable
from rollscope.formats.tables.logged_before import LoggedBefore, read_before
from rollscope.model import as_number
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

_FILES, _CONFIG = "files/", "config.yaml"
LOG = re.compile(r"run-.+\.wandb")
#: What a row calls the training step, where that is not W&B's own.
_STEPS = ("train/global_step", "trainer/global_step", "global_step")


def base_folder(store: Store) -> str:
    """Where W&B's files lie, seen from the run's folder or from `files` itself."""
    return _FILES if "media" in store.folders("files") else ""


def logs(store: Store) -> list[str]:
    return [name for name in store.files() if LOG.fullmatch(name)] if base_folder(store) else []


def _row_step(row: dict[str, Any]) -> int:
    told = (as_number(row.get(name)) for name in (*_STEPS, "_step"))
    return next((int(step) for step in told if step is not None and step.is_integer()), 0)


def _metric_row(row: dict[str, Any]) -> MetricRow:
    """Numbers under their names. What a table or an image says of itself is none."""
    media = {name.removesuffix("._type") for name in row if name.endswith("._type")}
    values = {
        name: number
        for name, value in row.items()
        if not name.startswith("_")
        and name.rpartition(".")[0] not in media
        and not isinstance(value, str)
        and (number := as_number(value)) is not None
    }
    return MetricRow(step=_row_step(row), time=as_number(row.get("_timestamp")), values=values)


def logged_metrics(store: Store) -> Iterator[MetricRow]:
    for path in logs(store):
        try:
            with store.open(path) as file:
                yield from map(_metric_row, wandb_log.history(file))
        except OSError:
            return


class TableCall(Struct, frozen=True):
    """The call that logged a table."""

    step: int
    before: LoggedBefore


def _open_calls(store: Store, path: str) -> dict[str, TableCall]:
    """Path of a table in `files/` -> the call that logged it."""
    found: dict[str, TableCall] = {}
    with store.open(path) as file:
        for before, row in wandb_log.history_pairs(file, having=b".table.json"):
            call = TableCall(_row_step(row), read_before(before))
            found |= {value: call for name, value in row.items() if name.endswith(".path") and isinstance(value, str)}
    return found


def table_calls(store: Store) -> dict[str, TableCall]:
    try:
        return {name: call for path in logs(store) for name, call in CALLS.use(store, path, dict).items()}
    except DAMAGED:
        return {}


def has_ended(store: Store) -> bool | None:
    """Whether the log says that the run is over; None where it does not."""
    for path in logs(store):
        try:
            stat = store.stat(path)
            with store.open(path) as file:
                return True if stat is not None and wandb_log.has_ended(file, stat.size) else None
        except OSError:
            return None
    return None


def run_config(store: Store) -> dict[str, Any] | None:
    """From `config.yaml`, which W&B writes when an online run ends, else from the log."""
    path = f"{base_folder(store)}{_CONFIG}"
    for name in [path] if store.exists(path) else logs(store):
        try:
            if found := CONFIGS.use(store, name, dict):
                return found
        except DAMAGED:
            continue
    return None


def _open_config(store: Store, path: str) -> dict[str, Any]:
    if not path.endswith(_CONFIG):
        with store.open(path) as file:
            return dict(printable(wandb_log.configuration(file)))
    import yaml

    try:
        found = yaml.safe_load(store.read(path))
    except (ValueError, yaml.YAMLError, RecursionError):
        return {}
    told = {str(key): item for key, item in found.items() if key != "_wandb"} if isinstance(found, dict) else {}
    return {
        key: item.get("value") if isinstance(item, dict) and "value" in item else item for key, item in told.items()
    }


#: Which table was logged when, of the runs that are looked at.
CALLS: KeptOpen[dict[str, TableCall]] = KeptOpen(_open_calls, limit=64, attempts=1)
CONFIGS: KeptOpen[dict[str, Any]] = KeptOpen(_open_config, limit=64, attempts=1)
