"""What lies in a run of lines, read in the most plain way there is: whole files, `json`, one line after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Our name of a field: the trainer's key.
RELAX = {
    "prompt": "prompt",
    "response": "response",
    "reward": "reward",
    "group": "group_index",
    "status": "status",
    "completion_tokens": "response_length",
    "total_tokens": "total_length",
}
#: A line nested too deep for `json` is a sample, of which this reader cannot say more.
UNKNOWN = object()
VERL = {"prompt": "input", "response": "output", "reward": "score"}


def read_slowly(root: Path, keys: dict[str, str]) -> dict[str, dict[str, Any]]:
    """`{address: {field: value}}`; what a line does not say is None."""
    found: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    files = [file for file in root.rglob("*.jsonl") if file.stem.isdecimal()]
    for file in sorted(files, key=lambda file: (file.parent.name != "train", int(file.stem), file.name)):
        for line in file.read_bytes().split(b"\n"):
            try:
                record = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
            except RecursionError:
                record = dict.fromkeys(keys.values(), UNKNOWN)
            except ValueError:
                continue
            if isinstance(record, dict):
                split = _split(file, root, record)
                step = f"{split}/{int(file.stem)}"
                found[f"{step}/{counts.get(step, 0)}"] = {name: _value(record, key) for name, key in keys.items()}
                counts[step] = counts.get(step, 0) + 1
    return found


def _value(record: dict[str, Any], key: str) -> Any:
    value = record.get(key)
    return value.get("score") if key == "reward" and isinstance(value, dict) else value


def _split(file: Path, root: Path, record: dict[str, Any]) -> str:
    if file.parent.name == "eval":
        return f"eval/{record.get('dataset') or 'all'}"
    return "eval/validation" if root.name == "validation" else "train"
