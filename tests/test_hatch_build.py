"""Building the package builds its page: once, with a clear word when that is not possible."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.fixtures import REPOSITORY

NPM = """#!/bin/sh
echo "$@" >> "$NPM_CALLS"
case "$*" in
  *bundle*)
    [ -n "$NPM_FAILS" ] && exit 1
    mkdir -p ../src/rollscope/server/static
    echo page > ../src/rollscope/server/static/index.html;;
esac
"""


def build_hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", REPOSITORY / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose page is not built, and an `npm` that only notes what it is called with."""
    root = tmp_path / "checkout"
    (root / "web").mkdir(parents=True)
    (root / "web" / "package.json").write_text("{}")
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(NPM)
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("NPM_CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("NPM_FAILS", "")
    return root


def initialize(root: Path, version: str = "standard") -> dict[str, Any]:
    hook = build_hook().PageBuildHook(str(root), {}, None, None, str(root / "dist"), "wheel")
    build_data: dict[str, Any] = {"artifacts": []}
    hook.initialize(version, build_data)
    return build_data


def calls(root: Path) -> list[str]:
    noted = root.parent / "calls"
    return noted.read_text().splitlines() if noted.exists() else []


def test_the_page_is_built_and_shipped(checkout: Path) -> None:
    assert initialize(checkout)["artifacts"] == ["/src/rollscope/server/static/**"]
    assert [call.split()[0] for call in calls(checkout)] == ["ci", "run"]


def test_a_built_page_is_not_built_again(checkout: Path) -> None:
    initialize(checkout)
    before = calls(checkout)
    assert initialize(checkout)["artifacts"] == ["/src/rollscope/server/static/**"]
    assert calls(checkout) == before


needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler: nothing is compiled without one"
)


LIBRARIES = (
    "src/rollscope/features/batches/_text_scan.so",
    "src/rollscope/formats/lines/_utf8_check.so",
    "src/rollscope/query/search/_literal_scan.so",
)


@pytest.fixture
def with_c(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the files of C, and nothing that says how to compile them."""
    for library in LIBRARIES:
        source = checkout / library.replace("/_", "/").replace(".so", ".c")
        source.parent.mkdir(parents=True)
        source.write_text("int rollscope_scan_version(void) { return 1; }")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("ROLLSCOPE_PURE", raising=False)
    return checkout


@needs_compiler
def test_the_compiled_part_is_built_and_names_its_platform(with_c: Path) -> None:
    build_data = initialize(with_c)
    assert {f"/{library}" for library in LIBRARIES} < set(build_data["artifacts"])
    assert build_data["pure_python"] is False
    assert build_data["tag"].startswith("py3-none-")
    assert all((with_c / library).is_file() for library in LIBRARIES)


@needs_compiler
def test_an_editable_install_has_the_compiled_part_in_place(with_c: Path) -> None:
    assert initialize(with_c, "editable")["artifacts"] == [f"/{library}" for library in LIBRARIES]
    assert all((with_c / library).is_file() for library in LIBRARIES)


@pytest.mark.parametrize(("name", "value"), [("CC", "false"), ("CC", "no-such-compiler"), ("ROLLSCOPE_PURE", "1")])
def test_without_the_compiled_part_the_package_is_for_every_platform(
    with_c: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert initialize(with_c) == {"artifacts": ["/src/rollscope/server/static/**"]}
    assert not any((with_c / library).exists() for library in LIBRARIES)


def test_an_editable_install_needs_no_node(checkout: Path) -> None:
    assert initialize(checkout, "editable")["artifacts"] == []
    assert calls(checkout) == []


def test_without_node_it_says_what_to_install(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match="Node 20"):
        initialize(checkout)


def test_a_build_that_fails_says_so(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPM_FAILS", "1")
    with pytest.raises(SystemExit, match="npm run"):
        initialize(checkout)


def test_a_copy_without_page_and_sources_says_so(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="incomplete"):
        initialize(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for npm is a shell script")
def test_the_wheel_holds_the_page(checkout: Path) -> None:
    """Through hatchling itself, with this repository's own configuration."""
    import shutil
    import zipfile

    from hatchling.builders.wheel import WheelBuilder

    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, checkout / name)
    shutil.copy(REPOSITORY / ".gitignore", checkout / ".gitignore")
    package = checkout / "src" / "rollscope"
    package.mkdir(parents=True)
    shutil.copy(REPOSITORY / "src" / "rollscope" / "__init__.py", package)
    (package / "server").mkdir()
    (package / "server" / "__init__.py").write_text("")
    (wheel,) = WheelBuilder(str(checkout)).build(directory=str(checkout / "dist"), versions=["standard"])
    names = zipfile.ZipFile(wheel).namelist()
    assert "rollscope/server/static/index.html" in names
    assert "rollscope/server/__init__.py" in names
