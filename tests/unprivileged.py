"""What a user who owns nothing may read: root may read everything, so tests of permissions ask in a child process that has
become somebody else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

#: For root, who may read everything, "without permission" is what only root may read.
FORBIDDEN = 0o700 if os.geteuid() == 0 else 0

_MARK = "=====\n"
_BECOME_NOBODY = f"""
import os, sys
for stream in (sys.stdout, sys.stderr):
    print({_MARK!r}, end="", file=stream, flush=True)
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
"""


def as_nobody(load: str, ask: str, *words: object) -> tuple[int, str, str]:
    """Run `load` as the tests' user and then `ask` as one who owns nothing; give the exit status of both and what `ask`
    wrote to stdout and stderr.

    `load` has to import (and use) what `ask` needs: another user may not reach the interpreter's own files."""
    code = "\n".join((load, _BECOME_NOBODY, ask))
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False, timeout=240
    )
    assert _MARK in done.stdout, done.stderr
    return done.returncode, done.stdout.split(_MARK)[1], done.stderr.split(_MARK)[1]


@contextmanager
def folder_for_everybody() -> Iterator[Path]:
    """A folder that every user may enter, with a folder `index` that every user may write. pytest's own are their owner's
    alone, again whenever another pytest starts."""
    usual = Path(gettempdir())
    reachable = all(path.stat().st_mode & 0o005 == 0o005 for path in (usual, *usual.parents))
    with TemporaryDirectory(prefix="rollscope-", dir=usual if reachable else "/tmp") as folder:
        path = Path(folder)
        path.chmod(0o755)
        (path / "index").mkdir()
        (path / "index").chmod(0o777)
        yield path
