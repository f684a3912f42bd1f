"""What the viewer remembers between starts: shown and hidden fields, and how one likes to read.

A small JSON file in the user's state directory. It is never needed: a missing, broken or unwritable file means the
defaults, and one note.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec


class Memory(msgspec.Struct):
    """The remembered choices. Unknown keys of a newer version are ignored."""

    #: Fields the person showed (true) or hid (false); all others are as `fields.shown_at_first` says.
    fields: dict[str, bool] = {}
    fold_thinking: bool = False
    table: bool = False
    markdown: bool = False
    wrap: bool = True
    sidebar: bool = True


def memory_path() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(state) / "rollscope" / "terminal.json"


def load_memory(path: Path) -> Memory:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Memory)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return Memory()


def save_memory(path: Path, memory: Memory) -> bool:
    """Write it in one piece, so that two viewers never leave half a file. False when it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".terminal-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(memory)))
            os.replace(name, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError:
        return False
    return True
