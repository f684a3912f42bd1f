"""A sample's text handed to something else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from textual.app import App

from rollscope.tui.session.reading import clipboard
from rollscope.tui.session.reading.clipboard import open_pager, to_clipboard


class Terminal:
    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


APP = cast("App[Any]", Terminal())


def test_what_goes_to_the_clipboard_can_be_encoded_and_is_not_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "MAX_COPY", 3)
    assert to_clipboard("ü\ud800cd") == "ü?c"


def test_the_pager_gets_a_text_that_is_safe_for_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = tmp_path / "taken"
    monkeypatch.setenv("PAGER", f"tee '{taken}' --")
    assert open_pager(APP, "ü\x1b\ud800") == ""
    assert taken.read_text() == "ü␛⟦U+D800⟧"


@pytest.mark.parametrize(("pager", "why"), [("less 'x", "No closing quotation"), ("/no/such/pager -R", "No such file")])
def test_a_pager_that_cannot_be_started_is_a_sentence(pager: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", pager)
    told = open_pager(APP, "x")
    assert told.startswith(f"cannot start the pager {pager}: ")
    assert why in told


def test_a_blank_name_is_no_pager_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    monkeypatch.setenv("PAGER", " ")
    monkeypatch.setattr("subprocess.run", lambda command, **_: called.append(command))
    assert open_pager(APP, "x") == ""
    assert called == [["less"]]
