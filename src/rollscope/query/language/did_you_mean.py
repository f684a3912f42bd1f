"""The hint for a name that does not exist: the names like it."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    import difflib

    near = difflib.get_close_matches(name, names, n=3, cutoff=0.3)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {len(names)} of them, for example {', '.join(names[:5])}" if names else "there are none"
