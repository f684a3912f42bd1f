"""Runs that the tests read: those written by the trainers' own writers, where they are found, and small ones made here.

The trainers' runs are not part of this repository. They are looked for in ``$ROLLSCOPE_FIXTURES``, else in
``../shared/fixtures`` beside it; a test that needs one is skipped, with the reason, where it is absent.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def fixture_root() -> Path:
    told = os.environ.get("ROLLSCOPE_FIXTURES")
    return Path(told) if told else REPOSITORY.parent / "shared" / "fixtures"


def fixture_path(name: str) -> Path:
    """The run ``name``, to be read and never written. Skips the test where the run is not on this machine."""
    path = fixture_root() / name
    if not path.exists():
        pytest.skip(f"no fixture {name!r}: set ROLLSCOPE_FIXTURES to the folder that holds it")
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
