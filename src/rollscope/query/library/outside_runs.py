"""Records that lie in no run, for `doctor`: beside runs that open, what no format knows would only be missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rollscope.query.library.finder import MAX_DEPTH, MAX_DIRECTORIES, passes_by
from rollscope.query.library.nothing_found import RECORDS, about_records
from rollscope.storage.store import Store

#: Folders that are named; of many the others are counted.
MAX_NAMED = 20


def records_outside(roots: Sequence[Store], runs: Sequence[str]) -> list[str]:
    """The folders below `roots` with files of records that belong to none of these runs, each with what is there."""
    taken = {root.rstrip("/") for root in runs}
    found = islice((pair for root in roots for pair in _below(root, taken, MAX_DEPTH)), MAX_DIRECTORIES)
    strays = [(store, records) for store, names in found if (records := [n for n in names if RECORDS.fullmatch(n)])]
    told = []
    for store, records in strays[:MAX_NAMED]:
        files = f"{len(records):,} file{'s' if len(records) > 1 else ''} of records"
        told.append(f"{store.address}: {files}{about_records(store, records)}")
    more = len(strays) - len(told)
    return [*told, f"{more:,} more folders"] if more else told


def _below(store: Store, taken: set[str], depth: int) -> Iterator[tuple[Store, list[str]]]:
    """Each folder and its files, outside of the runs: what of a run's own files no format claims is said of it."""
    here = store.address.rstrip("/")
    if here in taken or any(here.startswith(f"{root}/") for root in taken):
        return
    yield store, store.files()
    for name in store.folders() if depth > 0 else ():
        if not passes_by(name):
            yield from _below(store.sub(name), taken, depth - 1)
