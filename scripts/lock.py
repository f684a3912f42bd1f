"""Writes requirements-dev.txt: versions and hashes of every package that developing needs, for all platforms and Pythons.

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


def main() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as directory:
        wanted, lock = Path(directory, "wanted.in"), Path(directory, "lock.txt")
        wanted.write_text("\n".join(requirements(project)), encoding="utf-8")
        if LOCK.exists():
            lock.write_bytes(LOCK.read_bytes())  # uv keeps what its output file pins
        command = [sys.executable, "-m", "uv", "pip", "compile", str(wanted), "--output-file", str(lock), "--quiet"]
        command += ["--universal", "--python-version", "3.11", "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--no-emit-index-url", *sys.argv[1:]]
        subprocess.run(command, check=True)
        LOCK.write_text(HEADER + lock.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
