"""Names are found at the first try: a class name means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import rollscope

SOURCE = Path(rollscope.__file__).parent
#: Names that two classes may have, and why.
SHARED = {
    "Run": "`rollscope.open` gives the one that is read, `record.start` the one that is written; users know both so"
}


def test_every_class_has_a_name_of_its_own() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        # A class inside another one is told apart by the outer one's name.
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                where[node.name].append(path.relative_to(SOURCE).as_posix())
    twice = {name: files for name, files in where.items() if len(files) > 1}
    assert twice.keys() == SHARED.keys(), {name: files for name, files in twice.items() if name not in SHARED}
