"""Folders of `{step}.jsonl`: the naming that Relax, verl and many home-made dumps share."""

from __future__ import annotations

import re

import msgspec

from rollscope.storage.store import Store

#: Lines looked at before a file counts as one without records.
FIRST_LINES = 50
STEP_NAME = re.compile(r"(\d+)\.jsonl")


def step_files(store: Store, folder: str = "") -> list[tuple[int, str]]:
    """(step, path) of all files named by a number, in order of steps. `8.jsonl` and `008.jsonl` are both step 8."""
    prefix = f"{folder}/" if folder else ""
    found = [(int(match[1]), prefix + name) for name in store.files(folder) if (match := STEP_NAME.fullmatch(name))]
    return sorted(found, key=lambda item: (item[0], len(item[1]), item[1]))


def record_keys(line: bytes) -> frozenset[str]:
    """The top-level keys of a line that may not be strict JSON: detection only needs their names."""
    try:
        record = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        return frozenset()  # JSON, and no object
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        found = re.findall(rb'"([A-Za-z_][\w.]*)"\s*:', line[: 1 << 16])
        return frozenset(key.decode() for key in found)
    return frozenset(record)


def first_keys(store: Store, paths: list[str], tries: int = 8) -> tuple[frozenset[str], str]:
    """(keys of the first record found in these files, its path). Empty files and bad first lines are passed over."""
    for path in paths[:tries]:
        for line in store.first_lines(path, count=FIRST_LINES):
            if keys := record_keys(line):
                return keys, path
    return frozenset(), ""
