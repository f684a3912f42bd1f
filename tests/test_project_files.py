"""The files that a project has besides its code: they agree with it."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from typing import Any

import pytest
import yaml
from scripts.lock import requirements
from tests.fixtures import REPOSITORY

PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
SOURCE = REPOSITORY / "src" / "rollscope"
LOCK = (REPOSITORY / "requirements-dev.txt").read_text(encoding="utf-8")


def read_yaml(name: str) -> Any:
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


def package_name(requirement: str) -> str:
    """As registries compare them."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def test_everything_that_developing_needs_is_pinned() -> None:
    pinned = {package_name(name) for name in re.findall(r"^[A-Za-z0-9][^=]*(?===)", LOCK, re.MULTILINE)}
    missing = {package_name(entry) for entry in requirements(PROJECT)} - pinned
    assert not missing, "`make lock` pins them"


def test_every_pinned_package_has_hashes_and_no_registry_is_named() -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE).strip())
    assert len(entries) > 40
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links|file:", LOCK)


def test_the_workflow_calls_make_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    jobs = read_yaml(".github/workflows/ci.yml")["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    called = {words[1] for words in map(shlex.split, commands) if words[0] == "make"}
    assert called == {"check", "test", "check-dist"}
    assert called <= targets


def test_the_workflow_tries_every_python_that_is_promised_on_linux_and_macos() -> None:
    matrix = read_yaml(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    classifiers = PROJECT["project"]["classifiers"]
    promised = [entry.rpartition(" ")[2] for entry in classifiers if re.search(r"Python :: 3\.\d+$", entry)]
    assert matrix["python"] == promised
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos"}


def test_hooks_before_a_commit_fetch_nothing() -> None:
    repositories = read_yaml(".pre-commit-config.yaml")["repos"]
    assert [entry["repo"] for entry in repositories] == ["local"]
    assert {hook["language"] for hook in repositories[0]["hooks"]} == {"system"}


def rooms_imported() -> dict[str, set[str]]:
    """Room -> the other ones that its modules import; for types alone does not count."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        guards = [
            node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        ]
        for_types = {id(inner) for guard in guards for inner in ast.walk(guard)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and id(node) not in for_types:
                package, _, rest = (node.module or "").partition(".")
                names = [rest.partition(".")[0]] if rest else [alias.name for alias in node.names]
                if package == "rollscope":
                    found.setdefault(room, set()).update({*names} - {room, "__version__"})
    return found


def test_the_drawing_of_the_rooms_says_who_imports_whom() -> None:
    text = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    everybodys = set(re.findall(r"`(\w+)`", text.partition("Every room may import ")[2].partition(".")[0]))
    rows = [
        line.split("|") for line in text.partition("## Rooms")[2].partition("\n## ")[0].splitlines() if "| `" in line
    ]
    allowed = {
        room: {*re.findall(r"`(\w+)[`/]", row[-2]), *everybodys}
        for row in rows
        for room in re.findall(r"`(\w+)`", row[1])
    }
    assert len(allowed) > 12
    strangers = {room: found - allowed[room] for room, found in rooms_imported().items() if room in allowed}
    assert {room: names for room, names in strangers.items() if names} == {}


@pytest.mark.parametrize("name", ["bug", "format"])
def test_issue_forms_have_what_github_asks_of_them(name: str) -> None:
    form = read_yaml(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert {"name", "description", "body"} <= form.keys()
    identifiers = [field["id"] for field in form["body"]]
    assert len(identifiers) == len(set(identifiers))
    assert all(field["attributes"]["label"] for field in form["body"])


def test_no_element_is_styled_for_standing_behind_any_other() -> None:
    """One such selector (`* + *`, `* ~ *`) anywhere, and the browser styles a list anew whenever a row of it comes into
    view: 4 ms of each frame."""
    sheets = sorted((REPOSITORY / "web" / "src").rglob("*.css"))
    assert len(sheets) > 50
    for sheet in sheets:
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        selectors = re.findall(r"([^{};,]+)(?=[,{])", text)
        # In `calc(2 * 3 + 4)` neither is a selector.
        found = [item.strip() for item in selectors if re.search(r"(?<![\w)] )\*\s*[+~]|[+~]\s*\*", item)]
        assert found == [], sheet
