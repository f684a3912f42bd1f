"""Runs that the tests read: those written by the trainers' own writers, which lie in ``tests/data`` (its README says how
each was made), and small ones made here."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = REPOSITORY / "tests" / "data"


def fixture_path(name: str) -> Path:
    """The run ``name`` of ``tests/data``, to be read and never written."""
    path = DATA / name
    if not path.exists():
        raise FileNotFoundError(f"there is no run {name!r} in {DATA}")
    return path


def copy_fixture(name: str, to: Path) -> Path:
    """A private copy of the run ``name``, for tests that append to it, rewrite it or take its permissions away."""
    source = fixture_path(name)
    target = to / name
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile)
        for path in [target, *target.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return target


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """One JSON object per line, folders made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path
