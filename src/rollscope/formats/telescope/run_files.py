"""What else a Telescope run tells: step metrics, the configuration W&B keeps, declared ranges."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from rollscope.formats.base import MetricRow
from rollscope.formats.telescope.archive import ARCHIVES, Archive
from rollscope.model import Range, as_number
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

CONFIG = "config.yaml"
SUMMARY = "wandb-summary.json"


def step_metrics(store: Store, steps: list[str], events: list[str]) -> Iterator[MetricRow]:
    """Some steps' metrics are only in ``steps/tail.zip``, others only in the blocks: every archive is asked. They have
    no times of their own; the end of the trainer's last event of that step is taken."""
    times: dict[int, float] = {}
    for path in events:
        for step, end in _read(store, path).times.items():
            times[step] = max(end, times.get(step, end))
    for path in steps:
        for step, values in sorted(_read(store, path).values.items()):
            yield MetricRow(step=step, time=times.get(step), values=values)


class _Logged(Struct):
    """What one archive logged per step."""

    values: dict[int, dict[str, float]] = field(default_factory=dict)
    times: dict[int, float] = field(default_factory=dict)


def _open(store: Store, path: str) -> _Logged:
    return ARCHIVES.use(store, path, _logged)


# Finished blocks never change: only the archives that are rewritten are read again.
_kept: KeptOpen[_Logged] = KeptOpen(_open, limit=4096, attempts=1)


def _read(store: Store, path: str) -> _Logged:
    try:
        return _kept.use(store, path, lambda logged: logged)
    except DAMAGED:
        return _Logged()  # `scan` reports the archive; its metrics come with the next refresh


def _logged(archive: Archive) -> _Logged:
    logged = _Logged()
    if archive.has("metrics"):
        for batch in archive.table("metrics").batches("step", "section", "group", "metric", "value"):
            for step, *names, value in zip(*batch.values()):
                if value is not None:
                    logged.values.setdefault(step, {})["/".join(name for name in names if name)] = value
    if archive.has("trainer"):
        for batch in archive.table("trainer").batches("step", "end_time"):
            for step, end in zip(batch["step"], batch["end_time"]):
                if end:
                    logged.times[step] = max(end, logged.times.get(step, end))
    return logged


def config(store: Store) -> Any:
    """W&B's config.yaml, each value taken out of its ``{value: …}``."""
    import yaml

    if not store.exists(CONFIG):
        return None
    try:
        loaded = yaml.safe_load(store.read(CONFIG))
    except (OSError, yaml.YAMLError, ValueError):
        return None
    if not isinstance(loaded, dict):
        return None
    return {str(key): _unwrapped(value) for key, value in loaded.items() if key not in ("_wandb", "wandb_version")}


#: As W&B writes one value of its configuration.
_RUN_NAME = re.compile(rb"^wandb_run_name:\r?\n(?:[ ]+desc:.*\n)?[ ]+value: ?(.*)$", re.MULTILINE)


def run_name(store: Store) -> str | None:
    """What the user called the run. Only that line is parsed: a folder of runs is listed by their names, and the whole
    file takes tens of milliseconds."""
    import yaml

    try:
        found = _RUN_NAME.search(store.read(CONFIG)) if store.exists(CONFIG) else None
        name = yaml.safe_load(found[1]) if found else None
    except (OSError, yaml.YAMLError, ValueError):
        return None
    return str(name).strip() or None if isinstance(name, str | int | float) else None


def _unwrapped(value: Any) -> Any:
    return (
        value["value"] if isinstance(value, dict) and "value" in value and value.keys() <= {"value", "desc"} else value
    )


def ranges(store: Store) -> dict[str, dict[str, Range]]:
    """Rewards range as the configuration says per environment; metrics as the environments declare them."""
    found: dict[str, dict[str, Range]] = {}
    for environment in _environments((config(store) or {}).get("environments")):
        low, high = as_number(environment.get("reward_min")), as_number(environment.get("reward_max"))
        if low is not None or high is not None:
            _declare(found, environment["name"], "reward", Range(min=low, max=high))
    summary = _summary(store)
    for key in ("env_details", "eval_env_details"):
        for environment in _environments(summary.get(key)):
            declared = environment.get("metrics_ranges")
            for name, bounds in declared.items() if isinstance(declared, dict) else ():
                if isinstance(bounds, dict):
                    low, high = as_number(bounds.get("min")), as_number(bounds.get("max"))
                    better = not bounds.get("invert", False)
                    _declare(
                        found, environment["name"], f"metrics.{name}", Range(min=low, max=high, higher_is_better=better)
                    )
    return found


def _declare(found: dict[str, dict[str, Range]], environment: str, field: str, declared: Range) -> None:
    # The tables may write an environment's name with "_" where the configuration has "-".
    for name in {environment, environment.replace("-", "_"), environment.replace("_", "-")}:
        found.setdefault(name, {}).setdefault(field, declared)


def _environments(value: Any) -> list[dict[str, Any]]:
    """A list of objects with a name; W&B's summary keeps it as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, dict) and isinstance(entry.get("name"), str)]


def _summary(store: Store) -> dict[str, Any]:
    if not store.exists(SUMMARY):
        return {}
    try:
        summary = json.loads(store.read(SUMMARY))
    except (OSError, ValueError):
        return {}
    return summary if isinstance(summary, dict) else {}
