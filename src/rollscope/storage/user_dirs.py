"""Where this user's programs keep things, by the rules of the operating system (on Linux the XDG variables)."""

from __future__ import annotations

from pathlib import Path

import platformdirs

NAME = "rollscope"


def cache_dir() -> Path:
    """What may be deleted at any time: the index."""
    return Path(platformdirs.user_cache_dir(NAME, appauthor=False))


def data_dir() -> Path:
    """What a person made: dashboards, notes."""
    return Path(platformdirs.user_data_dir(NAME, appauthor=False))


def state_dir() -> Path:
    """What a program remembers between its starts."""
    return Path(platformdirs.user_state_dir(NAME, appauthor=False))
