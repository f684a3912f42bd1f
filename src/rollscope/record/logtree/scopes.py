"""Where a logtree call writes: the current place in the current trace, per asyncio task and thread.

One context variable holds the place, or None when no trace is open or logging is off; every call then ends after that
one read. asyncio tasks inherit the place they were started in. Threads and executors do so through :func:`propagate`.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, TypeVar, overload

from rollscope.record.logtree.export import write_html, write_trace_json
from rollscope.record.logtree.tree import Node, Trace, attributes, node

P = ParamSpec("P")
R = TypeVar("R")


class ScopePlace(NamedTuple):
    """Content goes to ``node``; a heading there is an ``h<level>``."""

    trace: Trace
    node: Node
    level: int


_place: contextvars.ContextVar[ScopePlace | None] = contextvars.ContextVar("rollscope_logtree_place", default=None)

#: HTML has six levels of headings.
MAX_LEVEL = 6

current_place = _place.get


class Scope(AbstractContextManager[None]):
    """Content logged inside goes to ``target``. An exception is recorded there, once, and goes on."""

    def __init__(self, place: ScopePlace, attach: Node | None, target: ScopePlace | None) -> None:
        self._outer = place
        self._attach = attach
        self._target = target
        self._token: contextvars.Token[ScopePlace | None] | None = None

    def __enter__(self) -> None:
        if self._attach is not None:
            self._outer.node.add(self._attach)
        self._token = _place.set(self._target)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._target is not None:
            record_error(self._target, error)
        if self._token is not None:
            _leave(self._token, self._outer)


def _leave(token: contextvars.Token[ScopePlace | None], outer: ScopePlace | None) -> None:
    try:
        _place.reset(token)
    except ValueError:
        # A generator was closed in another context than it was opened in; that context's place is its own.
        _place.set(outer)


class _NoScope(AbstractContextManager[None]):
    def __exit__(self, *_: object) -> None:
        return None


_NO_SCOPE = _NoScope()


def record_error(place: ScopePlace, error: BaseException) -> None:
    """Once per trace, in the innermost scope. The mark is on the exception: a trace that held it would keep alive its
    frames, and the tensors in them."""
    recorded: tuple[Trace, ...] = getattr(error, "_rollscope_traces", ())
    if isinstance(error, GeneratorExit) or place.trace in recorded:
        return
    error._rollscope_traces = (*recorded, place.trace)  # type: ignore[attr-defined]
    import traceback

    text = "".join(traceback.format_exception(error))
    summary = node("summary", f"{type(error).__name__}: {error}")
    place.node.add(node("details", summary, node("pre", text), css="lt-exc", open=""))


@contextlib.contextmanager
def init_trace(title: str, path: str | Path | None = None, *, write_on_error: bool = True) -> Iterator[Trace]:
    """Open a trace; at the end write its HTML to ``path`` and its JSON beside it, after an exception too (unless
    ``write_on_error`` is off). Traces nest without knowing of each other."""
    trace = Trace(title, Path(path) if path is not None else None, write_on_error=write_on_error)
    with trace_scope(trace):
        try:
            yield trace
        except BaseException as error:
            record_error(ScopePlace(trace, trace.root, 2), error)
            if write_on_error:
                _write(trace)
            raise
        _write(trace)


def trace_scope(trace: Trace) -> Scope:
    """Make ``trace`` current; writing it is up to the caller."""
    place = ScopePlace(trace, trace.root, 2)
    return Scope(place, None, place)


def node_scope(trace: Trace, target: Node | None, level: int) -> Scope:
    """Content goes to ``target``, or nowhere when that is None."""
    return Scope(ScopePlace(trace, trace.root, 2), None, None if target is None else ScopePlace(trace, target, level))


def _write(trace: Trace) -> None:
    if trace.path is not None:
        write_html(trace, trace.path)
        write_trace_json(trace)


def flush_trace() -> bool:
    """Write the current trace as it is now. False when there is none, or it has no path."""
    place = _place.get()
    if place is None or place.trace.path is None:
        return False
    _write(place.trace)
    return True


def scope_header(title: str, **attrs: Any) -> AbstractContextManager[None]:
    """A section with a heading; headings inside it are one level deeper."""
    place = _place.get()
    if place is None:
        return _NO_SCOPE
    section, body = section_nodes(title, place.level, attrs)
    return Scope(place, section, ScopePlace(place.trace, body, min(place.level + 1, MAX_LEVEL)))


def section_nodes(title: str, level: int, attrs: dict[str, Any]) -> tuple[Node, Node]:
    """A section, and the node its content goes to."""
    body = node("div", css="lt-section-body")
    heading = node(f"h{level}", str(title), css=f"lt-h{level}")
    return Node("section", attributes(attrs, "lt-section"), [heading, body]), body


def scope_div(**attrs: Any) -> AbstractContextManager[None]:
    place = _place.get()
    if place is None:
        return _NO_SCOPE
    inner = Node("div", attributes(attrs), [])
    return Scope(place, inner, ScopePlace(place.trace, inner, place.level))


def scope_details(summary: str, **attrs: Any) -> AbstractContextManager[None]:
    """A block that folds."""
    place = _place.get()
    if place is None:
        return _NO_SCOPE
    body = node("div", css="lt-details-body")
    outer = Node("details", attributes(attrs, "lt-details"), [node("summary", str(summary)), body])
    return Scope(place, outer, ScopePlace(place.trace, body, place.level))


def scope_disable() -> AbstractContextManager[None]:
    """Nothing is logged inside."""
    place = _place.get()
    return _NO_SCOPE if place is None else Scope(place, None, None)


def optional_enable_logging(enable: bool) -> AbstractContextManager[None]:
    return _NO_SCOPE if enable else scope_disable()


@overload
def scope_header_decorator(title: Callable[P, R]) -> Callable[P, R]: ...
@overload
def scope_header_decorator(title: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def scope_header_decorator(title: Any = None) -> Any:
    """Run a function in a section of its own: ``@scope_header_decorator`` or ``@scope_header_decorator("Title")``."""
    if callable(title):
        return _decorate(title, title.__name__)
    return lambda function: _decorate(function, title or function.__name__)


def _decorate(function: Callable[..., Any], title: str) -> Callable[..., Any]:
    import inspect

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            with scope_header(title):
                return await function(*args, **kwargs)

        return run_async

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with scope_header(title):
            return function(*args, **kwargs)

    return run


def propagate(function: Callable[P, R]) -> Callable[P, R]:
    """``function``, to be run on another thread, logging where it was wrapped:
    ``Thread(target=propagate(work))``, ``loop.run_in_executor(pool, propagate(work))``."""
    context = contextvars.copy_context()

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        # A context can be entered once at a time; several threads may call one wrapped function.
        return context.copy().run(function, *args, **kwargs)

    return run
