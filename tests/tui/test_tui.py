"""The door of the terminal viewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollscope.errors import MissingExtraError, UsageError
from rollscope.settings import Settings
from rollscope.tui import INSTALL, run_tui


def test_without_textual_the_install_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as problem:
        run_tui(["anywhere"], Settings())
    assert problem.value.hint == INSTALL == "pip install 'rollscope[tui]'"


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a terminal"):
        run_tui([str(tmp_path)], Settings())
