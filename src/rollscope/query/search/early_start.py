"""Workers of a short command start while it is still importing: later, they would be waited for.

Over 1 GB, a search takes 0.4 s of work; to start two Python processes and import what they need takes as long again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

#: Less than this is read without workers.
WORTH_BYTES = 48 << 20
#: Files that are looked at to find out.
MAX_FILES = 500


def expect_work(paths: Sequence[str], engine: str, *, module: str) -> None:
    """Start the engine's workers if these runs are large enough to need them; `module` is what they will be asked for."""
    from rollscope.storage.open_store import open_store

    left = WORTH_BYTES
    for path in paths:
        if "://" in path:
            continue  # to look at files that are far away takes longer than is gained
        store = open_store(path)
        for file in islice(store.walk(), MAX_FILES):
            found = store.stat(file)
            left -= found.size if found is not None else 0
            if left <= 0:
                from rollscope.index.engines import engine_by_name

                engine_by_name(engine).start(module)
                return
