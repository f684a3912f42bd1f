"""What installed packages offer: the same as the standard library finds."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

import pytest

from rollscope.formats.entry_points import EntryPoint, entry_points

GROUP = "rollscope.formats"


def by_the_standard_library() -> list[tuple[str, str]]:
    return sorted((point.name, point.value) for point in importlib.metadata.entry_points(group=GROUP))


def install(folder: Path, distribution: str, text: str | None) -> None:
    info = folder / distribution
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {distribution.partition('-')[0]}\nVersion: 1\n")
    if text is not None:
        (info / "entry_points.txt").write_text(text)


def test_the_installed_ones_are_found() -> None:
    assert sorted(entry_points(GROUP)) == by_the_standard_library()
    assert len(entry_points(GROUP)) > 20


def test_odd_descriptions_are_read_as_the_standard_library_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    install(first, "orchard-1.0.dist-info", f"# apples\n[other]\nx = y:z\n\n[{GROUP}]\napple = orchard.apple:Apple\n")
    install(
        first, "Big_Orchard-2.dist-info", f"[{GROUP}]\n  pear=orchard:Trees.Pear  \n# plum = a:B\n[more]\na = b:c\n"
    )
    install(first, "nothing-1.dist-info", None)
    install(second, "orchard-2.0.dist-info", f"[{GROUP}]\napple = newer.apple:Apple\n")  # hidden by the first
    install(second, "old.egg-info", f"[{GROUP}]\nquince = old.quince : Quince\n")
    monkeypatch.setattr(sys, "path", [str(first), str(tmp_path / "missing"), str(second)])
    assert sorted(entry_points(GROUP)) == by_the_standard_library()
    assert {point.name for point in entry_points(GROUP)} == {"apple", "pear", "quince"}


def test_packages_in_an_archive_are_left_to_the_standard_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "plugins.zip", "w") as archive:
        archive.writestr("orchard-1.0.dist-info/entry_points.txt", f"[{GROUP}]\napple = orchard:Apple\n")
        archive.writestr("orchard-1.0.dist-info/METADATA", "Name: orchard\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "plugins.zip")])
    assert entry_points(GROUP) == [EntryPoint("apple", "orchard:Apple")]


def test_what_is_offered_is_loaded() -> None:
    assert EntryPoint("a", "rollscope.formats.entry_points:EntryPoint").load() is EntryPoint
    assert EntryPoint("a", "rollscope.formats.entry_points : EntryPoint.load [extra]").load() is EntryPoint.load
    with pytest.raises(ModuleNotFoundError, match="no_such"):
        EntryPoint("a", "no_such:Thing").load()
