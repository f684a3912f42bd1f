"""``checkpoints.jsonl``: where each checkpoint lies, and the loop's state when it was saved.

A loop state comes back as it was: JSON has no tuples, bytes, arrays or NaN, so these are written with their kind
(``{"$tuple": […]}``). That covers the states of Python's and NumPy's random generators.
"""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from rollscope.model import nonfinite_name
from rollscope.record.output.directory import read_lines
from rollscope.record.samples.values import object_text

CHECKPOINTS_FILE = "checkpoints.jsonl"


class SavedCheckpoint(Struct, kw_only=True):
    """One saved checkpoint. ``state_path`` is what training goes on from; ``sampler_path`` what can only sample."""

    name: str
    batch: int | None = None
    state_path: str | None = None
    sampler_path: str | None = None
    loop_state: dict[str, Any] = {}
    attempt: int = 0
    time: float | None = None
    extra: dict[str, Any] = {}


_OWN = frozenset(SavedCheckpoint.__struct_fields__) - {"extra"}


def checkpoint_line(checkpoint: SavedCheckpoint) -> bytes:
    record: dict[str, Any] = {"name": checkpoint.name}
    for key in ("batch", "state_path", "sampler_path"):
        if (value := getattr(checkpoint, key)) is not None:
            record[key] = value
    record |= {"loop_state": pack(checkpoint.loop_state), "attempt": checkpoint.attempt, "time": checkpoint.time}
    record |= {key: pack(value) for key, value in checkpoint.extra.items() if key not in _OWN}
    # ensure_ascii spells out lone surrogates, which come back as they were.
    return json.dumps(record, allow_nan=False).encode() + b"\n"


def read_checkpoints(directory: Path) -> list[SavedCheckpoint]:
    """All checkpoints in the order they were saved; malformed lines are passed over."""
    out = []
    for line in read_lines(directory / CHECKPOINTS_FILE):
        try:
            out.append(_checkpoint(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
    return out


def _checkpoint(record: Any) -> SavedCheckpoint:
    state = unpack(record.get("loop_state", {}))
    batch = record.get("batch")
    return SavedCheckpoint(
        name=str(record["name"]),
        batch=batch if isinstance(batch, int) else None,
        state_path=record.get("state_path"),
        sampler_path=record.get("sampler_path"),
        loop_state=state if isinstance(state, dict) else {},
        attempt=record.get("attempt") or 0,
        time=record.get("time"),
        extra={key: unpack(value) for key, value in record.items() if key not in _OWN},
    )


def last_checkpoint(directory: str | os.PathLike[str]) -> SavedCheckpoint | None:
    """The newest checkpoint to go on from: it has a state path and, if that is local, it still exists."""
    root = Path(directory)
    for checkpoint in reversed(read_checkpoints(root)):
        if checkpoint.state_path:
            found = _locate(checkpoint.state_path, root)
            if found is not None:
                checkpoint.state_path = found
                return checkpoint
    return None


def _locate(path: str, root: Path) -> str | None:
    """The path to use, or None when it is local and gone. A relative one may have moved along with the run."""
    if path.startswith("file:"):
        from urllib.parse import unquote, urlsplit  # 10 ms

        local = unquote(urlsplit(path).path)
        return local if os.path.exists(local) else None
    if "://" in path:
        return path
    for candidate in (Path(path), root / path):
        if candidate.exists():
            return str(candidate)
    return None


def pack(value: Any) -> Any:
    """A JSON form from which :func:`unpack` gives the value back. Foreign objects become text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$float": nonfinite_name(value)}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: pack(item) for key, item in value.items()}
        return {"$dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [pack(item) for item in value]}
    if isinstance(value, (set, frozenset)):
        return {"$set": [pack(item) for item in sorted(value, key=repr)]}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if callable(getattr(value, "tobytes", None)) and hasattr(value, "dtype"):  # numpy arrays and scalars
        if getattr(value, "ndim", 1) == 0:
            return pack(value.item())
        body = base64.b64encode(value.tobytes()).decode("ascii")
        return {"$array": {"dtype": str(value.dtype.str), "shape": list(value.shape), "data": body}}
    if callable(item := getattr(value, "item", None)) and getattr(value, "numel", lambda: 0)() == 1:
        return pack(item())  # a torch scalar
    return object_text(value)


def unpack(value: Any) -> Any:
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        [(kind, body)] = value.items()
        if kind in _KINDS:
            return _KINDS[kind](body)
    return {key: unpack(item) for key, item in value.items()}


def _array(body: dict[str, Any]) -> Any:
    import numpy as np

    flat = np.frombuffer(base64.b64decode(body["data"]), dtype=np.dtype(body["dtype"]))
    return flat.reshape(body["shape"]).copy()


_KINDS: dict[str, Any] = {
    "$float": float,
    "$dict": lambda body: {unpack(key): unpack(item) for key, item in body},
    "$tuple": lambda body: tuple(unpack(item) for item in body),
    "$set": lambda body: {unpack(item) for item in body},
    "$bytes": base64.b64decode,
    "$array": _array,
}
