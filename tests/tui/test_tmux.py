"""A person in tmux: types, and reads the screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")

PATIENCE = 60.0


class Tmux:
    """One pane of a tmux server of its own."""

    def __init__(self, directory: Path) -> None:
        self._command = ["tmux", "-S", str(directory / "socket"), "-f", os.devnull]

    def __call__(self, *words: str) -> str:
        return subprocess.run([*self._command, *words], capture_output=True, text=True, check=True).stdout

    def start(self, command: list[str], columns: int, rows: int, **variables: str) -> None:
        settings = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
        self("new-session", "-d", "-x", str(columns), "-y", str(rows), *settings, *command)
        self("set-option", "-g", "remain-on-exit", "on")

    def wait_without(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while text in (screen := self.screen()):
            assert time.monotonic() < deadline, f"{text!r} did not go:\n{screen}"
            time.sleep(0.05)

    def type(self, *keys: str) -> None:
        self("send-keys", *keys)

    def screen(self) -> str:
        return self("capture-pane", "-p")

    def wait_for(self, *texts: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while not all(text in (screen := self.screen()) for text in texts):
            assert time.monotonic() < deadline, f"{texts} never came:\n{screen}"
            time.sleep(0.05)
        return screen

    def wait_for_end(self) -> None:
        """Until the command is gone. (Its status is read elsewhere: tmux does not always learn it.)"""
        deadline = time.monotonic() + PATIENCE
        while self("display-message", "-p", "#{pane_dead}").strip() != "1":
            assert time.monotonic() < deadline, f"it did not end:\n{self.screen()}"
            time.sleep(0.05)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    server = Tmux(tmp_path)
    yield server
    subprocess.run([*server._command, "kill-server"], capture_output=True, check=False)


def test_an_hour_in_a_minute(tmux: Tmux, run_path: Path, tmp_path: Path) -> None:
    """Step and sample keys, find into a later step, a filter, the table, a resize, a pager, and out."""
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGER BEGINS\ncat\nread answer </dev/tty\n")
    pager.chmod(0o755)
    variables = {"XDG_STATE_HOME": str(tmp_path / "state"), "PAGER": str(pager)}
    variables["ROLLSCOPE_INDEX_DIR"] = os.environ["ROLLSCOPE_INDEX_DIR"]
    tmux.start([sys.executable, "-m", "rollscope", "tui", "--first", str(run_path)], 80, 24, **variables)
    tmux.wait_for("step 0  1/8", "What is 12 × 7?", "? help")
    tmux.type("n")
    tmux.wait_for("step 0  2/8", "tool call · calculator")
    tmux.type("N")
    tmux.wait_for("step 1  1/8")
    tmux.type("f", "zebra", "Enter")
    tmux.wait_for("step 3  4/8", "find zebra: 1 of 1", "says the zebra")
    tmux.type("Escape")
    tmux.type("/", "reward >= 0.5", "Enter")
    tmux.wait_for("filter reward >= 0.5", "step 3  1/")
    tmux.type("s")
    tmux.wait_for("metrics.correct    ")
    tmux("resize-window", "-x", "120", "-y", "40")
    tmux.wait_for("metrics.correct    ", "── response ──")
    tmux.type("E")
    tmux.wait_for("PAGER BEGINS", "<think>")
    tmux.type("Enter")
    tmux.wait_for("metrics.correct    ", "? help")
    tmux.type("?")
    tmux.wait_for("next sample", "esc closes")
    tmux.type("Escape")
    tmux.wait_without("esc closes")
    tmux.type("q")
    tmux.wait_for_end()
