"""Nobody but `storage` touches a run's files: the syntax tree of every other room says so."""

from __future__ import annotations

import ast
from pathlib import Path

import rollscope

SOURCE = Path(rollscope.__file__).parent
#: Rooms that write files of their own: the recorder its run, `userdata` what people wrote.
OWN_FILES = ("storage", "record", "userdata")
FUNCTIONS = {
    "open",
    *(f"os.{name}" for name in ("open", "stat", "lstat", "scandir", "listdir", "walk", "access", "pread", "readlink")),
    *(f"os.path.{name}" for name in ("exists", "isfile", "isdir", "getsize", "getmtime", "islink", "lexists")),
    *("glob.glob", "glob.iglob", "io.open", "mmap.mmap", "mmap", "shutil.copyfile", "shutil.copy"),
    *("pa.memory_map", "pa.OSFile", "pa.input_stream"),
}
METHODS = {
    *("read_text", "read_bytes", "iterdir", "glob", "rglob", "is_file", "is_dir", "exists", "stat", "lstat"),
}
#: What else is opened, and why it is no file of a run. (module, call) -> why.
ALLOWED = {
    ("cli/main.py", "open"): "/dev/null in place of a closed standard stream",
    ("cli/main.py", "os.open"): "/dev/null in place of a closed standard stream",
    ("cli/main.py", "os.path.exists"): "is the first word a path or a mistyped command?",
    ("cli/commands/export.py", "os.path.getsize"): "the file that was just exported",
    ("cli/commands/viewers.py", "exists"): "the demo's own folder",
    ("cli/commands/viewers.py", "iterdir"): "the demo's own folder",
    ("cli/commands/viewers.py", "read_bytes"): "the demo's own folder",
    ("formats/entry_points.py", "open"): "what installed packages say of themselves",
    ("formats/entry_points.py", "os.listdir"): "what installed packages say of themselves",
    ("formats/entry_points.py", "os.path.isfile"): "what installed packages say of themselves",
    ("formats/containers/sqlite.py", "os.path.exists"): "SQLite opens files only by their names",
    ("formats/containers/sqlite.py", "os.path.getsize"): "SQLite opens files only by their names",
    ("formats/containers/sqlite.py", "os.stat"): "SQLite opens files only by their names",
    ("formats/containers/sqlite.py", "shutil.copyfile"): "SQLite opens files only by their names",
    ("formats/remembered.py", "open"): "the index's own folder",
    ("formats/remembered.py", "os.scandir"): "the formats' own modules",
    ("formats/remembered.py", "is_dir"): "the formats' own modules",
    ("formats/remembered.py", "stat"): "the formats' own modules",
    ("index/segments/compaction.py", "os.scandir"): "the index's own folder",
    ("index/segments/compaction.py", "stat"): "the index's own folder",
    ("index/features/blocks.py", "open"): "the index's own folder",
    ("index/features/blocks.py", "os.scandir"): "the index's own folder",
    ("index/location.py", "os.access"): "the index's own folder",
    ("index/manifest/root.py", "os.listdir"): "the index's own folder",
    ("index/manifest/root.py", "read_bytes"): "the index's own folder",
    ("index/manifest/root.py", "pa.memory_map"): "the index's own folder",
    ("index/shared.py", "exists"): "what was fetched of a shared index",
    ("index/shared.py", "read_bytes"): "what was fetched of a shared index",
    ("index/segments/spill.py", "pa.OSFile"): "the index's own folder",
    ("index/segments/spill.py", "pa.memory_map"): "the index's own folder",
    ("index/segments/files.py", "pa.OSFile"): "the index's own folder",
    ("index/segments/files.py", "pa.memory_map"): "the index's own folder",
    ("query/convert.py", "open"): "the run that is written",
    ("query/convert.py", "os.listdir"): "the run that is written",
    ("query/convert.py", "os.path.exists"): "the run that is written",
    ("query/convert.py", "os.path.isdir"): "the run that is written",
    ("query/insights/features.py", "open"): "the user's own file of patterns",
    ("query/sql/contained.py", "open"): "the process's own memory, as the system tells it",
    ("query/sql/contained.py", "pa.OSFile"): "tables on their way to the process",
    ("query/sql/contained.py", "pa.memory_map"): "tables on their way to the process",
    ("query/export.py", "open"): "the file that is exported",
    ("query/training_data/write.py", "open"): "the file that is exported",
    ("server/http/static.py", "read_bytes"): "the page's own files",
}


def calls(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, what is called) for every call that looks at a file."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in FUNCTIONS:
            found.append((node.lineno, name))
        elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS and not through_a_store(node):
            found.append((node.lineno, node.func.attr))
    return found


def through_a_store(call: ast.Call) -> bool:
    """A method of a store, or a function that is handed one: `sealed.read_bytes(store, …)`."""
    assert isinstance(call.func, ast.Attribute)
    return any(map(is_store, [call.func.value, *call.args[:1]]))


def is_store(owner: ast.expr) -> bool:
    """`store`, `self._store`, `store.fresh()`."""
    text = ast.unparse(owner)
    return text.endswith(("store", "store.fresh()"))


def test_only_storage_opens_lists_stats_or_maps_files() -> None:
    wrong = []
    met: set[tuple[str, str]] = set()
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        if module.startswith(tuple(f"{room}/" for room in OWN_FILES)):
            continue
        for line, name in calls(ast.parse(path.read_text())):
            met.add((module, name))
            if (module, name) not in ALLOWED:
                wrong.append(f"{module}:{line} calls {name}")
    assert wrong == [], "read files through the Store that you are handed"
    assert ALLOWED.keys() - met == set(), "no longer called: take it out of the list"


def test_the_walk_finds_what_it_looks_for() -> None:
    found = calls(
        ast.parse("open(p)\nos.stat(p)\nPath(p).read_text()\nself.store.stat(p)\nmmap.mmap(1, 2)\nx.exists()")
    )
    assert [name for _, name in found] == ["open", "os.stat", "read_text", "mmap.mmap", "exists"]
