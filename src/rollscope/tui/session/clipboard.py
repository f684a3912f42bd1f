"""A sample's text handed to something else: the clipboard, or a pager."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import Any

from textual.app import App, SuspendNotSupported

from rollscope.render import visible

#: Characters sent to the clipboard at most. It goes through the terminal (OSC 52), and terminals drop what is longer.
MAX_COPY = 1_000_000


def to_clipboard(text: str) -> str:
    """What can be sent: lone surrogates cannot be encoded."""
    return text[:MAX_COPY].encode("utf-8", "replace").decode("utf-8")


def open_pager(app: App[Any], text: str) -> str:
    """Show the text in ``$PAGER`` (``less`` unless told), made safe for the terminal. A sentence when that failed."""
    command = shlex.split(os.environ.get("PAGER") or "less")
    try:
        with app.suspend():
            subprocess.run(command, input=visible(text).encode(), check=False)
    except SuspendNotSupported:
        return "this terminal cannot be handed to a pager"
    except (OSError, ValueError) as error:
        return f"cannot start the pager {command[0] if command else ''}: {error}"
    return ""
