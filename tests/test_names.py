"""Names are found at the first try: a class name means one thing, and every module has tests of its name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import rollscope

SOURCE = Path(rollscope.__file__).parent
TESTS = Path(__file__).parent
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


def test_every_type_has_a_name_of_its_own() -> None:
    """`Floats = NDArray[np.float64]` and the like: one word for a thing, and one thing for a word."""
    where: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            name = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            is_variable = isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("TypeVar(")
            if isinstance(name, ast.Name) and re.fullmatch(r"[A-Z]\w*[a-z]\w*", name.id) and not is_variable:
                where[name.id].append(path.relative_to(SOURCE).as_posix())
            elif isinstance(node, ast.ClassDef):
                where[node.name].append(path.relative_to(SOURCE).as_posix())
    assert {name: files for name, files in where.items() if len(files) > 1 and name not in SHARED} == {}


def test_words_that_newcomers_look_for_are_names_of_files() -> None:
    table = (TESTS.parent / "docs" / "architecture.md").read_text().partition("## Where things are")[2]
    rows = re.findall(r"^\| ([^|`]+) \| `(?:src|web)/([^`]+)`", table.partition("## Glossary")[0], re.MULTILINE)
    assert len(rows) >= 12
    for word, path in rows:
        name = word.lower().replace("@", "_at_").replace(" blocks", "").replace(" ", "_")
        assert name in Path(path).name, f"a file finder does not lead from {word!r} to {path}"


#: Folders of tests that are about the whole product, not about one module.
ABOUT_ALL = {
    "browser": "the page, in a browser",
    "cloud": "object stores, through every room",
    "crash": "processes that are killed and disks that are full",
    "differential": "every door beside a slow reader",
    "docs": "what the documentation says, sentence by sentence",
    "fuzz": "damaged files, through every room",
}
#: Tests of something that several modules do together, and what that is.
CROSS_CUTTING = {
    "formats/test_expected.py": "every format's small runs beside what they hold",
    "formats/test_promises.py": "what every format must do",
    "index/statistics/test_values_nobody_has.py": "fields without values, from the file to the chart",
    "query/insights/findings/test_insight_report.py": "the report of planted troubles, in small",
    "query/insights/test_insights_page.py": "the documentation of insights",
    "query/language/test_errors.py": "what a wrong filter says: lexer, parser and compiler",
    "query/test_edited_files.py": "lists and samples of files that are edited",
    "record/integrations/test_verifiers_package.py": "the hook of verifiers against its own classes",
    "record/test_examples.py": "the examples of the repository",
    "record/test_page_examples.py": "the examples of the documentation",
    "record/test_reading_back.py": "what is recorded is what is read",
    "record/test_recorder_docs.py": "the recorder's documentation",
    "server/test_hazards.py": "hostile files and requests, through the server",
    "server/test_in_browser.py": "the server's answers in a browser",
    "server/test_proxy.py": "the server behind a proxy",
    "server/test_reach.py": "who can reach the server",
    "server/test_two_clients.py": "two clients at once",
    "storage/test_only_door.py": "who may open files",
    "test_bad_input.py": "bad input at every door",
    "test_contributing.py": "what CONTRIBUTING says",
    "test_dist.py": "the built packages",
    "test_docs.py": "the documentation",
    "test_hatch_build.py": "the build hook",
    "test_imports.py": "what importing the package loads",
    "test_makefile.py": "the targets of the Makefile",
    "test_names.py": "this",
    "test_plugin.py": "a format of another package",
    "test_project_files.py": "the files of the repository",
    "tui/test_bytes.py": "what the terminal viewer sends to a terminal",
    "tui/test_hazards.py": "hostile runs in the terminal viewer",
    "tui/test_pictures.py": "screens as pictures",
    "tui/test_tmux.py": "the terminal viewer in a real terminal",
}


def modules() -> set[str]:
    """`query/run`, `formats/trl` and so on: modules, and packages by their own name."""
    paths = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")]
    return {(path.parent if path.name == "__init__.py" else path.with_suffix("")).as_posix() for path in paths}


def modules_of(test: Path) -> set[str]:
    """The names of the modules that a test file can be about."""
    name = test.stem.removeprefix("test_")
    own = {(test.parent / name).as_posix()}
    if test.parent.name == name:
        own.add(test.parent.as_posix())  # trl/test_trl.py is about the package
    if test.as_posix() == f"test_{SOURCE.name}.py":
        own.add(".")  # the package itself
    return own


def test_every_test_file_has_the_name_of_a_module() -> None:
    known = modules()
    found = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    alone = {path for path in found if path.parts[0] not in ABOUT_ALL and not modules_of(path) & known}
    strangers = sorted(path.as_posix() for path in alone if path.as_posix() not in CROSS_CUTTING)
    assert strangers == [], "name them after the module that they test, or say in CROSS_CUTTING what they are about"
    listed = {Path(name) for name in CROSS_CUTTING}
    assert listed <= alone, "no longer there, or named after a module by now: take it out of the list"


#: Modules without tests of their name, and why.
WITHOUT_TESTS = {
    "__main__": "one call; tests/cli/test_main.py starts it",
    "arrays": "types and no code",
    "query/answers": "types of answers and no code; the tests of each question read them",
}
#: Folders in which a module's tests may lie apart from it, since they need a real object store or a real cluster.
WITH_REAL_PARTS = ("cloud",)


def says_something(module: Path) -> bool:
    """False for a package that only passes names on."""
    if module.name != "__init__.py":
        return True
    passed_on = (ast.Import, ast.ImportFrom)
    body = [node for node in ast.parse(module.read_text()).body if not isinstance(node, passed_on)]
    texts = [node for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    names = [node for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    return len(body) > len(texts) + len(names)


def test_every_module_has_a_test_file_of_its_name() -> None:
    found = [path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")]
    tested = {name for test in found for name in modules_of(test)}
    with_real_parts = {test.stem.removeprefix("test_") for test in found if test.parts[0] in WITH_REAL_PARTS}
    missing = set()
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE)
        name = (inside.parent if path.name == "__init__.py" else inside.with_suffix("")).as_posix()
        if says_something(path) and name not in tested and path.stem not in with_real_parts:
            missing.add(name)
    assert missing - WITHOUT_TESTS.keys() == set(), "write tests for them, or say in WITHOUT_TESTS why they need none"
    assert missing >= WITHOUT_TESTS.keys(), "they have tests by now, or are gone: take them out of the list"
