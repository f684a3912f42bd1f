"""The files that a project has besides its code: they agree with it."""

from __future__ import annotations

import re
import shlex
import tomllib
from typing import Any

import pytest
import yaml
from scripts.lock import requirements
from tests.fixtures import REPOSITORY

PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
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


@pytest.mark.parametrize("name", ["bug", "format"])
def test_issue_forms_have_what_github_asks_of_them(name: str) -> None:
    form = read_yaml(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert {"name", "description", "body"} <= form.keys()
    identifiers = [field["id"] for field in form["body"]]
    assert len(identifiers) == len(set(identifiers))
    assert all(field["attributes"]["label"] for field in form["body"])
