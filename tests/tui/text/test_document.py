"""What the text pane shows."""

from __future__ import annotations

import pytest

from rollscope.tui.text import document
from rollscope.tui.text.document import Document, TextBlock, one_line, shown


def test_an_ordinary_text_comes_back_itself() -> None:
    text = "two\nlines, ü 等"
    assert shown(text) is text


def test_nothing_hostile_goes_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "SLICE", 3)
    found = shown("ab\x1b[2Jc\u202edef\tg\ud800")
    assert not {"\x1b", "\u202e", "\t", "\ud800"} & set(found)
    assert found.startswith("ab␛[2Jc")
    assert one_line(" a\n\tb\x1b ") == "a b␛"


def test_tabs_reach_to_the_next_stop() -> None:
    assert shown("a\tb\n\tc") == "a   b\n    c"


def test_turns_and_folds_are_those_of_its_blocks() -> None:
    found = Document([TextBlock(), TextBlock(turn=0), TextBlock(foldable=True), TextBlock(turn=1, foldable=True)])
    assert found.turn_starts() == [(1, 0), (3, 1)]
    assert found.foldable() == {2, 3}
