"""The archives people install: each put into an environment without Rollscope and without Node, and a run opened with it.

Nothing is fetched: the environments see the packages of the one that runs the tests. `make check-dist` does the same with
dependencies from the registry.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from tests.fixtures import REPOSITORY, fixture_path

PAGE = "rollscope/server/static/index.html"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What `make dist` makes."""
    if not (REPOSITORY / "src" / PAGE).is_file():
        pytest.fail("the page is not built: `make page`")
    target = tmp_path_factory.mktemp("dist")
    for kind in ("sdist", "wheel"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
        subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    (sdist,), (wheel,) = target.glob("*.tar.gz"), target.glob("*.whl")
    return {"sdist": sdist, "wheel": wheel}


class Environment:
    """A new environment that has the dependencies of this one, and not Rollscope."""

    def __init__(self, directory: Path) -> None:
        venv.create(directory, with_pip=False)
        self.python = directory / "bin" / "python"
        (site,) = directory.glob("lib/python*/site-packages")
        packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        # What a .pth file names is searched for modules; the .pth files in there, and so an editable install, are not read.
        (site / "dependencies.pth").write_text("".join(f"{path}\n" for path in packages))
        # Nothing but the environment's own programs: no npm to build a page with.
        self.variables = {**os.environ, "PATH": str(directory / "bin")}
        self.variables.pop("PYTHONPATH", None)

    def run(self, *words: str | Path, cwd: Path) -> str:
        command = [str(self.python), *map(str, words)]
        done = subprocess.run(command, cwd=cwd, env=self.variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def install(self, archive: Path, cwd: Path) -> None:
        flags = ["--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed", "--quiet"]
        self.run("-m", "pip", "install", *flags, archive, cwd=cwd)


@pytest.mark.parametrize("kind", ["sdist", "wheel"])
def test_an_archive_installs_without_node_and_opens_a_run(
    kind: str, archives: dict[str, Path], tmp_path: Path, index_dir: Path
) -> None:
    environment = Environment(tmp_path / "env")
    environment.install(archives[kind], tmp_path)
    where = Path(environment.run("-c", "import rollscope; print(rollscope.__file__)", cwd=tmp_path).strip()).parent
    assert where.is_relative_to(tmp_path / "env")
    assert (where.parent / PAGE).read_bytes() == (REPOSITORY / "src" / PAGE).read_bytes()
    (run,) = json.loads(environment.run("-m", "rollscope", "ls", fixture_path("relax"), "--json", cwd=tmp_path))
    assert run["format"] == "relax"
    assert sum(split["samples"] for split in run["splits"]) > 100
    assert (environment.python.parent / "rollscope").is_file()


def test_the_source_archive_has_what_a_packager_needs(archives: dict[str, Path]) -> None:
    with tarfile.open(archives["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "hatch_build.py", "web/package-lock.json", f"src/{PAGE}"} <= names
    assert not any("node_modules" in name or "__pycache__" in name for name in names)


def test_the_wheel_holds_the_package_and_nothing_else(archives: dict[str, Path]) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(archives["wheel"]).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"rollscope"}
