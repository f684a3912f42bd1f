"""A request as a declaration: method, path, what may be asked, what is answered, and the function that does it.

The routes and the OpenAPI document are both made from these, so that neither can say what the other does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from rollscope.server.schema.parameters import Query

#: How an answer travels: one JSON value, one text, a file, JSON lines as they are found, or server-sent events.
Media = Literal["json", "text", "file", "lines", "events"]

#: Where the function runs. "thread": it may take long. "loop": it is faster than handing it to a thread would be.
#: "stream": it is asynchronous and makes its own (Starlette) response.
HandledIn = Literal["thread", "loop", "stream"]

Handler = Callable[..., Any]
HandlerT = TypeVar("HandlerT", bound=Handler)


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    method: str
    path: str
    answer: Any
    handler: Handler
    query: type[Query] = Query
    body: type | None = None
    media: Media = "json"
    place: HandledIn = "thread"
    #: The answer depends on nothing but the run's version and the query: an ETag can be known before it is made.
    by_version: bool = False
    #: Asked about one step, the answer depends on nothing but that step's files and the query, besides its `progress`: it
    #: is kept, and made again when they change.
    kept_by_step: bool = False

    @property
    def summary(self) -> str:
        text = self.handler.__doc__
        assert text, f"{self.handler.__name__} says nothing about itself"
        return " ".join(text.split())

    @property
    def name(self) -> str:
        return self.handler.__name__


@dataclass
class Endpoints:
    """The requests of one subject, collected by decorating their functions."""

    items: list[Endpoint] = field(default_factory=list)

    def add(self, method: str, path: str, **declared: Any) -> Callable[[HandlerT], HandlerT]:
        def register(handler: HandlerT) -> HandlerT:
            self.items.append(Endpoint(method=method, path=path, handler=handler, **declared))
            return handler

        return register

    def get(self, path: str, **declared: Any) -> Callable[[HandlerT], HandlerT]:
        return self.add("GET", path, **declared)

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self.items)
