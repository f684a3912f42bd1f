"""What installed packages offer under a name, as `importlib.metadata` finds it; but that takes 15 ms to import, half of which
are parsers of e-mail headers, and 5 ms to look. The files it looks for are small and plain."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any, NamedTuple

_SEPARATORS = re.compile(r"[-_.]+")


class EntryPoint(NamedTuple):
    name: str
    #: module:attribute
    value: str

    def load(self) -> Any:
        module, _, attributes = self.value.partition("[")[0].partition(":")
        names = [name for name in attributes.strip().split(".") if name]
        return reduce(getattr, names, import_module(module.strip()))


def entry_points(group: str) -> list[EntryPoint]:
    """Of every installed distribution; where two have the same name, of the first on the path."""
    if _is_unusual():
        from importlib.metadata import entry_points as by_importlib

        return [EntryPoint(point.name, point.value) for point in by_importlib(group=group)]
    found: list[EntryPoint] = []
    seen: set[str] = set()
    for folder, name in _distributions():
        distribution = _SEPARATORS.sub("-", name.rpartition(".")[0].partition("-")[0]).lower()
        if distribution in seen:
            continue
        seen.add(distribution)
        try:
            with open(os.path.join(folder, name, "entry_points.txt"), encoding="utf-8") as file:
                text = file.read()
        except OSError:
            continue
        if group in text:
            found += _of_group(text, group)
    return found


def _is_unusual() -> bool:
    """Packages may come from elsewhere than folders: from archives, eggs, or by ways that a program added."""
    others = [finder for finder in sys.meta_path if finder is not PathFinder and hasattr(finder, "find_distributions")]
    return bool(others) or any(path.lower().endswith(".egg") or os.path.isfile(path) for path in sys.path)


def _distributions() -> Iterator[tuple[str, str]]:
    """(folder, name) of each that has a description, in the order in which modules are looked for."""
    for path in sys.path:
        try:
            names = os.listdir(path or ".")
        except OSError:
            continue
        for name in names:
            if name.lower().endswith((".dist-info", ".egg-info")):
                yield path, name


def _of_group(text: str, group: str) -> Iterator[EntryPoint]:
    inside = False
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            inside = line == f"[{group}]"
        elif inside:
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip())
