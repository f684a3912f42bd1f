"""Errors as answers: problem+json with what happened and what to do, never a traceback."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rollscope.errors import (
    FilterError,
    LimitError,
    NotFoundError,
    RollscopeError,
    UnreadableError,
    UsageError,
)
from rollscope.server.schema.answers import Problem

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

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


def problem_for(error: Exception) -> Problem:
    """The answer to a client about ``error``. An unexpected error is one sentence, too."""
    if isinstance(error, HttpError):
        title = HTTPStatus(error.status).phrase
        return Problem(title=title, status=error.status, detail=str(error), hint=error.hint)
    if isinstance(error, RollscopeError):
        title = next((title for kind, title in TITLES if isinstance(error, kind)), "Cannot be done")
        position = error.position if isinstance(error, FilterError) else None
        return Problem(title=title, status=error.status, detail=str(error), hint=error.hint, position=position)
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


def problem_response(error: Exception) -> Response:
    problem = problem_for(error)
    headers = {"cache-control": "no-store", "content-type": "application/problem+json"}
    return Response(encode_problem(problem), problem.status, headers)


def _foreseen(_request: Request, error: Exception) -> Response:
    return problem_response(error)


def _of_routing(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses: an address or a method that is none."""
    assert isinstance(error, HTTPException)
    path = request.scope["path"]
    if error.status_code == 404:
        problem = HttpError(404, f"there is nothing at {path}", hint="see /api/openapi.json for what there is")
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        problem = HttpError(405, f"{request.method} is not for {path}", hint=f"allowed: {allowed}")
    else:
        problem = HttpError(error.status_code, error.detail)
    response = problem_response(problem)
    response.headers.update(error.headers or {})
    return response


def _wrong_value(_request: Request, error: Exception) -> Response:
    """A plain ValueError from a handler is a wrong value in the request, such as an address that is none."""
    if type(error) is not ValueError:
        raise error
    return problem_response(UsageError(str(error)))


#: For Starlette. What none of the first takes, it logs whole (uvicorn prints it) and gives to the last.
EXCEPTION_HANDLERS = {
    RollscopeError: _foreseen,
    HTTPException: _of_routing,
    ValueError: _wrong_value,
    Exception: _foreseen,
}
