"""What people type: targets pass their arguments on, and the help names every target."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from tests.fixtures import REPOSITORY

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*words: str) -> str:
    command = ["make", "--no-print-directory", *words]
    return subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("target", ["demo", "test", "bench", "screenshots"])
def test_arguments_reach_the_command(target: str) -> None:
    assert "--some-flag 7" in make("--dry-run", target, "ARGS=--some-flag 7")


def test_the_help_names_every_target_for_people() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    described = set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))
    assert set(re.findall(r"^  make ([a-z-]+)", make("help"), re.MULTILINE)) == described
    assert {"demo", "test", "check", "dist"} <= described
