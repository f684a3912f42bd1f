"""The bytes that reach a real terminal: none of the model's control characters is among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.tui.runs import relax_line
from tests.tui.terminal import on_terminal

#: What a text viewer has to send: cursor moves, colours, modes. All are CSI sequences; of the strings (OSC, DCS) only
#: the one with which Textual resets the mouse pointer's shape.
POINTER = b"\x1b]22;default\x07"
CSI = re.compile(rb"\x1b\[[0-9;:?<>=$]*[ -/]*[@-~]")

UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)

EVIL = (
    "before \x1b]0;PWNED-TITLE\x07 \x1b]52;c;UFdORUQ=\x07 \x1b[666;666H \x1b[6n \x1bP$qm\x1b\\ \x9b31m \x9d0;x\x9c \x1bc "
    "\x08\x08\x08 \x7f \x00 \x0e \x05 \r overwritten \u202e desrever \u2066 \u2028 \ufeff \U000e0041 after"
)

COLOURS = {*range(30, 39), *range(40, 49), *range(90, 108)}


def evil_run(root: Path) -> Path:
    path = root / "run" / "train" / "0.jsonl"
    path.parent.mkdir(parents=True)
    # As a text, as a status, as a name of a field: all of them are the model's or its tools' words.
    lines = [relax_line(0, n, f"<think>{EVIL}</think>{EVIL}", status=EVIL, label=EVIL, **{EVIL: n}) for n in range(2)]
    path.write_text("\n".join([*lines, "{broken " + EVIL, ""]), encoding="utf-8")
    return path.parent.parent


def test_control_characters_are_shown_and_never_sent(tmp_path: Path) -> None:
    with on_terminal("tui", evil_run(tmp_path), state=tmp_path / "state") as terminal:
        terminal.wait_for("after")
        views = [
            ("s", "tokens"),
            ("s", "thinking"),
            ("R", "raw"),
            ("R", "thinking"),
            ("m", "markdown"),
            ("!", "closes"),
        ]
        for keys, sign in [*views, ("q", "thinking")]:
            before = len(terminal.sent)
            terminal.type(keys)
            terminal.wait_for(sign, after=before)
        before = len(terminal.sent)
        terminal.type("fPWNED\r")
        terminal.wait_for("find PWNED", after=before)
        terminal.type("q")
        assert terminal.wait_for_end() == 0
        sent = terminal.sent
    assert "␛]0;PWNED-TITLE␇".encode() in sent
    assert "⟦U+202E⟧".encode() in sent
    assert not any(b"666" in sequence for sequence in CSI.findall(sent))
    left = set(UNSAFE.findall(CSI.sub(b"", sent.replace(POINTER, b"")).decode("utf-8")))
    assert left <= {"\r"}, f"sent as they are: {left}"


def test_without_colours_none_are_sent(tmp_path: Path) -> None:
    with on_terminal("tui", evil_run(tmp_path), state=tmp_path / "state", NO_COLOR="1") as terminal:
        terminal.wait_for("after")
        terminal.type("q")
        assert terminal.wait_for_end() == 0
        styles = [found[2:-1] for found in CSI.findall(terminal.sent) if found.endswith(b"m") and b">" not in found]
    codes = {int(code) for style in styles for code in style.split(b";") if code}
    assert not COLOURS & codes
    assert {1, 2, 7} & codes, "bold, dim and reverse are left"


@pytest.mark.parametrize("term", ["xterm", "screen", "linux"])
def test_sixteen_colours_are_enough(tmp_path: Path, term: str) -> None:
    with on_terminal("tui", evil_run(tmp_path), state=tmp_path / "state", TERM=term) as terminal:
        terminal.wait_for("after")
        terminal.type("q")
        assert terminal.wait_for_end() == 0
        assert not re.search(rb"\x1b\[[0-9;]*[34]8;", terminal.sent), "no colour beyond the sixteen"


def test_a_resize_is_followed(tmp_path: Path) -> None:
    with on_terminal("tui", evil_run(tmp_path), state=tmp_path / "state") as terminal:
        terminal.wait_for("help")
        before = len(terminal.sent)
        terminal.resize(120, 40)
        terminal.wait_for("\x1b[40;", after=before)
        terminal.type("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tui", "nowhere-at-all"], "nowhere-at-all"),
        (["tui", "."], "no run found"),
        (["tui", ".", "--mask-str", "("], "--mask-str"),
    ],
)
def test_bad_places_are_one_clear_line(
    tmp_path: Path, words: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with on_terminal(*words, state=tmp_path / "state") as terminal:
        assert terminal.wait_for_end() in (1, 2)
        text = terminal.sent.decode()
        assert says in text
        assert text.count("\n") == 1
        assert "Traceback" not in text
