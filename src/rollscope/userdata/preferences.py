"""What the viewer remembers between starts: shown and hidden fields, and how one likes to read.

A small JSON file in the user's state directory. It is never needed: a missing, broken or unwritable file means the
defaults, and one note.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from rollscope.storage.atomic import write_atomically
from rollscope.storage.user_dirs import state_dir


class Preferences(msgspec.Struct):
    """The remembered choices. Unknown keys of a newer version are ignored."""

    #: Fields the person showed (true) or hid (false); all others are as `fields.shown_at_first` says.
    fields: dict[str, bool] = {}
    fold_thinking: bool = False
    table: bool = False
    markdown: bool = False
    wrap: bool = True
    sidebar: bool = True


def preferences_path() -> Path:
    return state_dir() / "terminal.json"


def load_preferences(path: Path) -> Preferences:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Preferences)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return Preferences()


def save_preferences(path: Path, preferences: Preferences) -> bool:
    """Write it in one piece, so that two viewers never leave half a file. False when it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.format(msgspec.json.encode(preferences)), durable=True)
    except OSError:
        return False
    return True
