"""Every example of docs/recorder.md runs, and every option and field it lists exists."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from tests.fixtures import REPOSITORY

from rollscope import record
from rollscope.record import logtree
from rollscope.record.samples.fields import FIELD_NAMES

DOCUMENT = (REPOSITORY / "docs" / "recorder.md").read_text("utf-8")
EXAMPLES = re.findall(r"(<!-- not run:[^\n]*\n)?```python\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.mark.parametrize("place", [place for place, (skip, _) in enumerate(EXAMPLES) if not skip])
def test_the_examples_run(place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(EXAMPLES[place][1], names)
    run = names.get("run")
    assert run is None or (isinstance(run, record.Run) and run.errors == 0)
    assert list(tmp_path.glob("runs/*/config.json"))


def test_every_option_of_start_is_listed() -> None:
    table = DOCUMENT[DOCUMENT.index("| option of `record.start`") :].split("\n\n")[0]
    listed = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:])))
    assert listed == set(inspect.signature(record.start).parameters) - {"directory", "config"}


def test_every_field_of_a_sample_is_listed() -> None:
    table = DOCUMENT[DOCUMENT.index("| field | |") :].split("\n\n")[0]
    listed = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:])))
    assert listed == FIELD_NAMES


def test_every_logtree_function_is_named() -> None:
    missing = {name for name in logtree.__all__ if f"`{name}" not in DOCUMENT and name[0].islower()}
    assert missing == set()
