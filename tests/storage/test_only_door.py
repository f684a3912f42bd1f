"""Nobody but `storage` touches a run's files: the syntax tree of every other room says so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rollscope

SOURCE = Path(rollscope.__file__).parent
#: Rooms that write files of their own: the recorder its run, `userdata` what people wrote.
OWN_FILES = ("storage", "record", "userdata")
#: Methods of paths, directory entries and databases.
METHODS = {
    *("read_text", "read_bytes", "iterdir", "glob", "rglob", "walk", "samefile", "readlink"),
    *("is_file", "is_dir", "is_symlink", "exists", "stat", "lstat"),
    *("read_parquet", "from_parquet", "read_csv", "from_csv_auto", "read_json"),
}
#: What looks at a file of a given name, by its full name whatever it was imported as. A dot or a line at
#: the end: everything that begins so.
FUNCTIONS = (
    *("open", "io.open", "io.open_code", "io.FileIO", "codecs.open", "mmap.", "glob.", "fileinput.", "linecache."),
    *(f"os.{name}" for name in ("open", "stat", "lstat", "scandir", "listdir", "walk", "fwalk", "access", "readlink")),
    *(f"os.{name}" for name in ("pread", "preadv", "statvfs", "posix_fadvise")),
    *(f"os.path.{name}" for name in ("exists", "lexists", "isfile", "isdir", "islink", "ismount", "samefile")),
    *(f"os.path.{name}" for name in ("getsize", "getmtime", "getatime", "getctime", "realpath")),
    *("shutil.copyfile", "shutil.copy", "shutil.copy2", "shutil.copytree", "shutil.move"),
    *("zipfile.ZipFile", "zipfile.Path", "zipfile.is_zipfile", "tarfile."),
    *("gzip.open", "gzip.GzipFile", "bz2.", "lzma."),
    *("sqlite3.connect", "shelve.", "dbm.", "duckdb.connect", "duckdb.read_", "duckdb.from_", "duckdb.sql"),
    *("numpy.load", "numpy.memmap", "numpy.fromfile", "numpy.loadtxt", "numpy.genfromtxt"),
    *("pyarrow.memory_map", "pyarrow.OSFile", "pyarrow.input_stream", "pyarrow.MemoryMappedFile", "pyarrow.fs."),
    *("pyarrow.ipc.open_", "pyarrow.parquet.", "pyarrow.dataset.", "pyarrow.feather."),
    *(f"pathlib.Path.{name}" for name in METHODS),
    *("pyarrow.csv.read_csv", "pyarrow.csv.open_csv", "pyarrow.json."),
)
#: What else is opened, and why it is no file of a run. (module, function) -> why.
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
    ("formats/detection_cache.py", "open"): "the index's own folder",
    ("formats/detection_cache.py", "os.scandir"): "the formats' own modules",
    ("formats/detection_cache.py", "is_dir"): "the formats' own modules",
    ("formats/detection_cache.py", "stat"): "the formats' own modules",
    ("formats/containers/arrow.py", "pyarrow.ipc.open_file"): "a file that the store opened",
    ("formats/containers/parquet.py", "pyarrow.parquet.ParquetFile"): "a file that the store opened",
    ("formats/containers/sqlite.py", "sqlite3.connect"): "SQLite opens files only by their names",
    ("formats/containers/zip.py", "zipfile.ZipFile"): "a file that the store opened",
    ("formats/telescope/archive.py", "zipfile.ZipFile"): "a file that the store opened",
    ("index/features/task.py", "pyarrow.ipc.open_stream"): "bytes that came with the task",
    ("index/segments/compaction.py", "os.scandir"): "the index's own folder",
    ("index/segments/compaction.py", "stat"): "the index's own folder",
    ("index/features/blocks.py", "open"): "the index's own folder",
    ("index/features/blocks.py", "os.scandir"): "the index's own folder",
    ("index/location.py", "os.access"): "the index's own folder",
    ("index/manifest/root.py", "os.listdir"): "the index's own folder",
    ("index/manifest/root.py", "read_bytes"): "the index's own folder",
    ("index/manifest/root.py", "pyarrow.memory_map"): "the index's own folder",
    ("index/shared.py", "exists"): "what was fetched of a shared index",
    ("index/shared.py", "read_bytes"): "what was fetched of a shared index",
    ("index/segments/spill.py", "pyarrow.OSFile"): "the index's own folder",
    ("index/segments/spill.py", "pyarrow.memory_map"): "the index's own folder",
    ("index/segments/files.py", "pyarrow.OSFile"): "the index's own folder",
    ("index/segments/files.py", "pyarrow.memory_map"): "the index's own folder",
    ("index/segments/files.py", "pyarrow.ipc.open_file"): "the index's own folder",
    ("index/segments/spill.py", "pyarrow.ipc.open_file"): "the index's own folder",
    ("index/segments/spill.py", "numpy.memmap"): "columns that were made for one question",
    ("query/export/convert.py", "open"): "the run that is written",
    ("query/export/convert.py", "os.listdir"): "the run that is written",
    ("query/export/convert.py", "os.path.exists"): "the run that is written",
    ("query/export/convert.py", "os.path.isdir"): "the run that is written",
    ("query/insights/features.py", "open"): "the user's own file of patterns",
    ("query/sql/connection.py", "duckdb.connect"): "in memory, with no access to files",
    ("query/sql/sandbox.py", "pyarrow.ipc.open_file"): "tables on their way to the process",
    ("query/sql/sandbox.py", "pyarrow.ipc.open_stream"): "the process's answer",
    ("query/sql/sandbox.py", "open"): "the process's own memory, as the system tells it",
    ("query/sql/sandbox.py", "pyarrow.OSFile"): "tables on their way to the process",
    ("query/sql/sandbox.py", "pyarrow.memory_map"): "tables on their way to the process",
    ("query/export/export_files.py", "open"): "the file that is exported",
    ("query/export/export_files.py", "pyarrow.parquet.ParquetWriter"): "the file that is exported",
    ("query/export/training_data/write.py", "open"): "the file that is exported",
    ("server/http/static.py", "read_bytes"): "the page's own files",
}


def looks(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, function or method) for everything that looks at a file: a function that is called or only passed on, a
    method that is called."""
    names, types = imported(tree), nodes_of_types(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(method := node.func, ast.Attribute):
            full = full_name(method, names)
            if method.attr in METHODS and not (full and is_listed(full)) and not through_a_store(node, method):
                found.append((node.lineno, method.attr))
        elif isinstance(node, ast.Name | ast.Attribute) and id(node) not in types:
            full = full_name(node, names)
            if full is not None and is_listed(full):
                found.append((node.lineno, full))
    return found


def nodes_of_types(tree: ast.AST) -> set[int]:
    """The nodes of types: `mmap.mmap` as that of an argument opens nothing."""
    types = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            types.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            types.append(node.returns)
    return {id(inner) for node in types if node is not None for inner in ast.walk(node)}


def imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name is in full: `pa` is `pyarrow`, `scandir` is `os.scandir`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update((alias.asname, alias.name) for alias in node.names if alias.asname)
            names.update((first := alias.name.partition(".")[0], first) for alias in node.names if not alias.asname)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
    return names


def full_name(node: ast.expr, names: dict[str, str]) -> str | None:
    """`os.path.exists` for `exists` after `from os.path import exists`; None for what hangs on a variable."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "open" if node.id == "open" else None)
    if isinstance(node, ast.Attribute) and (owner := full_name(node.value, names)) is not None:
        return f"{owner}.{node.attr}"
    return None


def is_listed(full: str) -> bool:
    return full in FUNCTIONS or full.startswith(tuple(name for name in FUNCTIONS if name.endswith((".", "_"))))


def through_a_store(call: ast.Call, method: ast.Attribute) -> bool:
    """A method of a store, or a function that is handed one: `sealed.read_bytes(store, …)`."""
    return any(map(is_store, [method.value, *call.args[:1]]))


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
        for line, name in looks(ast.parse(path.read_text())):
            met.add((module, name))
            if (module, name) not in ALLOWED:
                wrong.append(f"{module}:{line} uses {name}")
    assert wrong == [], "read files through the Store that you are handed"
    assert ALLOWED.keys() - met == set(), "no longer used: take it out of the list"


@pytest.mark.parametrize(
    "source",
    [
        *("open(p)", "Path(p).read_text()", "x.exists()", "store.glob(p).exists()", "connection.read_parquet(p)"),
        *("import os\nos.stat(p)", "from os import scandir\nscandir(p)", "import os as system\nsystem.stat(p)"),
        *(
            "import os\nmap(os.stat, paths)",
            "from os.path import exists as there\nthere(p)",
            "import os.path\nos.path.isdir(p)",
        ),
        *("from glob import glob\nglob(p)", "import pathlib\nmap(pathlib.Path.is_file, paths)"),
        *("import mmap\nmmap.mmap(1, 2)", "from mmap import mmap\nmmap(1, 2)"),
        *("import zipfile\nzipfile.ZipFile(p)", "from zipfile import ZipFile\nZipFile(p)", "import gzip\ngzip.open(p)"),
        *("import sqlite3\nsqlite3.connect(p)", "import numpy as np\nnp.memmap(p)", "import tarfile\ntarfile.open(p)"),
        *("import pyarrow.parquet as pq\npq.ParquetFile(p)", "from pyarrow import parquet\nparquet.read_table(p)"),
        *("import pyarrow as pa\npa.ipc.open_file(p)", "def f():\n    import os\n    return os.path.getsize(p)"),
    ],
)
def test_a_look_at_a_file_is_found_by_whatever_name(source: str) -> None:
    assert len(looks(ast.parse(source))) == 1


@pytest.mark.parametrize(
    "source",
    ["store.stat(p)", "self._store.fresh().stat(p)", "sealed.read_bytes(store, p)", "import os\nos.path.join(a, b)"],
)
def test_what_goes_through_a_store_or_touches_no_file_is_not_found(source: str) -> None:
    assert looks(ast.parse(source)) == []
