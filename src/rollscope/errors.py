"""Errors for people: one sentence that says what happened, and one that says what to do.

Bad *data* is never an exception (see :class:`rollscope.model.Skipped`); these are for wrong calls and missing things.
"""

from __future__ import annotations


class RollscopeError(Exception):
    """The root of the tree. ``str(error)`` is one line for a person; ``hint`` says what to do about it.

    The hint is also a note of the exception, so that a traceback in a script or notebook shows it.
    """

    exit_code = 1
    status = 400

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(hint)


class NotFoundError(RollscopeError):
    """A path, run, split, step or sample that is not there."""

    status = 404


class UnreadableError(RollscopeError):
    """It exists but cannot be read: no permission, or no format knows it."""

    status = 422


class UsageError(RollscopeError):
    """The call itself is wrong: an unknown flag, field or value."""

    exit_code = 2


def check_utf8(text: str, what: str) -> None:
    """Raise UsageError for text that a shell handed over byte by byte because it is no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8", hint="samples are searched as UTF-8 text") from None


class FilterError(UsageError):
    """A filter expression that does not parse. ``position`` is the 0-based place in ``source``."""

    def __init__(self, message: str, *, source: str = "", position: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.source = source
        self.position = position


class LimitError(RollscopeError):
    """A query that ran over its announced time or memory limit."""

    status = 413


class MissingExtraError(RollscopeError):
    """An optional part is not installed; the hint is the exact install command."""
