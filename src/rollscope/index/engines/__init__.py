"""Where the work is done: engines by name. A new one is a module with a class that does what `base.Engine` says, and a
row here."""

from __future__ import annotations

import os
import threading
from importlib import import_module

from rollscope.errors import UsageError
from rollscope.index.engines.base import Engine

#: Name -> "module:class".
ENGINES = {
    "local": "rollscope.index.engines.local:LocalEngine",
    "ray": "rollscope.index.engines.ray:RayEngine",
}

_made: dict[str, Engine] = {}
_lock = threading.Lock()


def engine_by_name(name: str = "local") -> Engine:
    """The process's one engine of this name. Workers are a resource of the process, whichever run uses them."""
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name!r}", hint=f"known engines: {', '.join(ENGINES)}")
    with _lock:
        if name not in _made:
            module, _, made = ENGINES[name].partition(":")
            _made[name] = getattr(import_module(module), made)()
        return _made[name]


def _after_fork() -> None:
    """In a forked child: another thread of the parent may have held the lock."""
    global _lock  # noqa: PLW0603  # there is no other way to let go of it
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
