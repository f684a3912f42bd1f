"""Writes requirements-dev.txt and requirements-cloud.txt: versions and hashes of every package that developing needs, and of
what the tests of object stores and Ray need beside that, for all platforms and Pythons.

`make lock` keeps the versions that are pinned and adds what is new; `make lock ARGS=--upgrade` takes newer ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
LOCK = REPOSITORY / "requirements-dev.txt"
CLOUD_LOCK = REPOSITORY / "requirements-cloud.txt"
HEADER = """\
# Every package that `make check` and `make test` use, with the hashes of its archives. No registry is named: pip takes the one
# it is configured for, and refuses what is not these bytes. Written by `make lock`.
"""


def requirements(project: dict[str, Any]) -> list[str]:
    """What pyproject.toml asks for by name: to build, to run with the extras of `all`, to develop."""
    own = project["project"]["name"]
    extras = project["project"]["optional-dependencies"]
    everyday = [entry for name, extra in extras.items() if name in extras["all"][0] for entry in extra]
    asked = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *everyday,
        *(entry for entry in project["dependency-groups"]["dev"] if isinstance(entry, str)),
    ]
    return [entry for entry in asked if not entry.startswith(f"{own}[")]


def cloud_requirements(project: dict[str, Any]) -> list[str]:
    """What the group `cloud` asks for, and the extras it names."""
    own = project["project"]["name"]
    extras = project["project"]["optional-dependencies"]
    group = project["dependency-groups"]["cloud"]
    named = (entry.removeprefix(f"{own}[").rstrip("]").split(",") for entry in group if entry.startswith(f"{own}["))
    wanted = [entry for names in named for name in names for entry in extras[name]]
    return [*wanted, *(entry for entry in group if not entry.startswith(f"{own}["))]


def compile_lock(wanted: list[str], target: Path, constraints: Path | None = None) -> None:
    with tempfile.TemporaryDirectory() as directory:
        asked, lock = Path(directory, "wanted.in"), Path(directory, "lock.txt")
        asked.write_text("\n".join(wanted), encoding="utf-8")
        if target.exists():
            lock.write_bytes(target.read_bytes())  # uv keeps what its output file pins
        command = [sys.executable, "-m", "uv", "pip", "compile", str(asked), "--output-file", str(lock), "--quiet"]
        command += ["--universal", "--python-version", "3.11", "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--no-emit-index-url", *sys.argv[1:]]
        command += ["--constraint", str(constraints)] if constraints else []
        subprocess.run(command, check=True)
        target.write_text(HEADER + lock.read_text(encoding="utf-8"), encoding="utf-8")


def main() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    compile_lock(requirements(project), LOCK)
    compile_lock(cloud_requirements(project), CLOUD_LOCK, LOCK)


if __name__ == "__main__":
    main()
