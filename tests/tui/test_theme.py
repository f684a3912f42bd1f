"""The viewer uses only the terminal's own colours, so that it fits light and dark ones."""

from __future__ import annotations

import re

from rollscope.tui.theme import CSS, TERMINAL


def test_every_colour_is_one_of_the_terminal_s_own() -> None:
    colours = [TERMINAL.primary, TERMINAL.error, TERMINAL.background, TERMINAL.foreground, TERMINAL.surface]
    colours += [value for value in TERMINAL.variables.values() if value != "reverse"]
    assert [colour for colour in colours if not str(colour).startswith("ansi_")] == []
    named = re.findall(r"(?:color|background|border[a-z-]*): *(?:vkey |round )?([a-z_#0-9]+)", CSS)
    assert named
    assert [name for name in named if name != "transparent" and not name.startswith("ansi_")] == []


def test_what_marks_a_place_is_reversed_and_not_coloured() -> None:
    for name in ("block-cursor", "input-cursor"):
        assert TERMINAL.variables[f"{name}-text-style"] == "reverse"
        assert TERMINAL.variables[f"{name}-background"] == "ansi_default"
