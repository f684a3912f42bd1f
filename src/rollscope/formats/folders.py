"""People open a run's folder, or the folder in it that holds the samples: both are the run."""

from __future__ import annotations

from rollscope.storage.store import Store


def folder_named(store: Store, name: str) -> str | None:
    """The prefix of paths in the folder `name`: `name/` where it lies here, nothing where it is what was opened, None
    where it is neither."""
    if name in store.folders():
        return f"{name}/"
    return "" if store.name == name else None
