"""Errors as answers: problem+json with what happened and what to do, never a traceback."""

from __future__ import annotations

import logging
from http import HTTPStatus

import msgspec

from rollscope.errors import (
    FilterError,
    LimitError,
    NotFoundError,
    RollscopeError,
    UnreadableError,
    UsageError,
)
from rollscope.server.schema.answers import Problem

log = logging.getLogger("rollscope.server")

#: The first that fits names the kind of problem.
TITLES: tuple[tuple[type[RollscopeError], str], ...] = (
    (NotFoundError, "Not found"),
    (UnreadableError, "Cannot be read"),
    (FilterError, "The filter does not parse"),
    (LimitError, "Over the limit"),
    (UsageError, "Wrong request"),
)


class HttpError(RollscopeError):
    """A fault of the request itself, with the status HTTP has for it."""

    def __init__(self, status: int, message: str, *, hint: str = "", allow: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        #: The methods that would have been right, for 405.
        self.allow = allow


def problem_for(error: Exception) -> Problem:
    """What a client is told about ``error``. What nobody foresaw is logged whole and told in one sentence."""
    if isinstance(error, HttpError):
        title = HTTPStatus(error.status).phrase
        return Problem(title=title, status=error.status, detail=str(error), hint=error.hint)
    if isinstance(error, RollscopeError):
        title = next((title for kind, title in TITLES if isinstance(error, kind)), "Cannot be done")
        position = error.position if isinstance(error, FilterError) else None
        return Problem(title=title, status=error.status, detail=str(error), hint=error.hint, position=position)
    log.error("a request failed", exc_info=error)
    return Problem(
        title="Rollscope made a mistake",
        status=500,
        detail=f"{type(error).__name__} while answering",
        hint="the traceback is in the server's output; please report it",
    )


def encode_problem(problem: Problem) -> bytes:
    # Messages may quote a request or a file name that is not Unicode; a problem must reach its reader all the same.
    clean = msgspec.structs.replace(problem, detail=_readable(problem.detail), hint=_readable(problem.hint))
    return msgspec.json.encode(clean)


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
