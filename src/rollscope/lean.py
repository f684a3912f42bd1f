"""For processes that are Rollscope's own: commands, servers, workers.

pyarrow imports pandas, where it is installed, at the first array it makes: 250 ms that none of ours needs. Called before
that happens, this makes it believe there is none. Never called by the library: a user's process may want pandas.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname == "pandas":
            raise ModuleNotFoundError("not needed here", name="pandas")
        return None


def without_pandas() -> None:
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.scalar(0)  # pyarrow looks once and remembers
    finally:
        sys.meta_path.remove(finder)
