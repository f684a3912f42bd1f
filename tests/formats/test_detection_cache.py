"""Which format claimed a folder is remembered, and forgotten when it might be another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.server.data import settled, write_run

from rollscope.formats import detection_cache, registry
from rollscope.formats.detection_cache import detect_or_remember
from rollscope.formats.entry_points import EntryPoint, entry_points
from rollscope.formats.registry import Detection, detect
from rollscope.storage.local import LocalStore


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line for every time that all formats are asked."""
    times: list[str] = []

    def count(store: LocalStore) -> Detection | None:
        times.append(store.address)
        return detect(store)

    monkeypatch.setattr(detection_cache, "detect", count)
    detection_cache._formats.cache_clear()
    return times


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return settled(write_run(tmp_path / "run", steps=2, samples=4))


def found(run: Path) -> Detection | None:
    return detect_or_remember(LocalStore(run), str(run.parent / "claims"))


def as_words(detection: Detection | None) -> object:
    return detection and (type(detection.format), detection.claim, detection.others, detection.broken)


def test_a_folder_that_stays_as_it_is_is_asked_about_once(run: Path, asked: list[str]) -> None:
    first, second = found(run), found(run)
    assert len(asked) == 1
    assert as_words(first) == as_words(second) == as_words(detect(LocalStore(run)))


def new_file(run: Path) -> None:
    settled(write_run(run, steps=3, samples=4))


def another_format(run: Path) -> None:
    verl = {"input": "a", "output": "b", "score": 1.0, "step": 0}
    for step in (0, 1):
        write_jsonl(run / "train" / f"{step}.jsonl", [verl] * 4)
    settled(run)


def said_by_the_user(run: Path) -> None:
    (run / "rollscope.toml").write_text('[map]\nprompt = "prompt"\nresponse = "response"\n')


def gone(run: Path) -> None:
    for file in run.rglob("*.jsonl"):
        file.unlink()


def shorter(run: Path) -> None:
    file = run / "train" / "0.jsonl"
    os.truncate(file, 1)
    settled(run)


@pytest.mark.parametrize("change", [new_file, another_format, said_by_the_user, gone, shorter])
def test_whatever_changed_is_noticed(run: Path, asked: list[str], change: Callable[[Path], None]) -> None:
    found(run)
    change(run)
    assert as_words(found(run)) == as_words(detect(LocalStore(run)))
    assert len(asked) == 2


def test_what_was_written_a_moment_ago_is_not_remembered(tmp_path: Path, asked: list[str]) -> None:
    fresh = write_run(tmp_path / "run", steps=1)
    found(fresh)
    found(fresh)
    assert len(asked) == 2


def test_with_a_plug_in_all_formats_are_asked(run: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found(run)
    plugin = EntryPoint("orchard", "orchard.format:Orchard")
    monkeypatch.setattr(detection_cache, "entry_points", lambda group: [*entry_points(group), plugin])
    detection_cache._formats.cache_clear()
    found(run)
    found(run)
    assert len(asked) == 3
    detection_cache._formats.cache_clear()


def test_a_changed_format_is_asked_again(run: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found(run)
    monkeypatch.setattr(detection_cache, "_modules", lambda: [("relax.py", 1)])
    detection_cache._formats.cache_clear()
    found(run)
    assert len(asked) == 2
    detection_cache._formats.cache_clear()


@pytest.mark.parametrize("damage", [b"", b"\x00", b"\x96no"])
def test_a_damaged_memory_is_none(run: Path, asked: list[str], damage: bytes) -> None:
    expected = as_words(found(run))
    (place,) = (run.parent / "claims").iterdir()
    place.write_bytes(damage)
    assert as_words(found(run)) == expected
    assert len(asked) == 2


def test_only_the_format_of_the_run_is_imported(run: Path) -> None:
    code = (
        "import sys; from rollscope.query.library import open_run; open_run(sys.argv[1], index_dir=sys.argv[2]);"
        "print(sorted({name.split('.')[2] for name in sys.modules if name.startswith('rollscope.formats.')}))"
    )
    command = [sys.executable, "-c", code, str(run), str(run.parent / "index")]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert "'relax'" in first
    assert "'relax'" in second
    assert "'verl'" in first
    assert "'verl'" not in second


def test_every_run_of_the_test_data_is_remembered_as_it_is_found(tmp_path: Path) -> None:
    detection_cache._formats.cache_clear()
    folders = [path for path in sorted(Path("tests/data").iterdir()) if path.is_dir()]
    assert len(folders) > 10
    for folder in folders:
        expected = as_words(registry.detect(LocalStore(folder)))
        for _ in range(2):
            assert as_words(detect_or_remember(LocalStore(folder), str(tmp_path))) == expected
