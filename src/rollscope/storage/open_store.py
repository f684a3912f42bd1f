"""Which store an address means."""

from __future__ import annotations

import os

from rollscope.storage.local import LocalStore
from rollscope.storage.memory import MemoryStore
from rollscope.storage.objects.object_client import is_url
from rollscope.storage.store import Store


def open_store(address: str | os.PathLike[str]) -> Store:
    """The store at a path or URL. It need not exist: then it is empty."""
    address = os.fspath(address)
    if address.startswith(MemoryStore.SCHEME):
        return MemoryStore.at(address)
    if is_url(address):
        from rollscope.storage.objects.object_store import ObjectStore  # threads and a cache that nobody else needs

        if address.startswith("hf://"):
            from rollscope.storage.objects.hub_store import HubStore

            return HubStore.at(address)
        return ObjectStore.at(address)
    return LocalStore(address)
