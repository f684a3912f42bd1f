"""What a reader says when it refuses a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rollscope.storage.open_files import DAMAGED


def refusal(read: Callable[[], Any]) -> str:
    """The one line; the exception itself is let go, since its traceback would keep files open."""
    try:
        read()
    except DAMAGED as error:
        text = str(error)
        assert text
        assert "\n" not in text
        return text
    raise AssertionError("it was read")
