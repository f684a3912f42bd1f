"""Rollscope: see what your model did during reinforcement-learning training.

``rollscope.open(path)`` gives a :class:`rollscope.query.run.Run`. Nothing heavy is imported until then:
``import rollscope`` in a training loop costs a few milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from rollscope.query.run import Run

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def __dir__() -> list[str]:
    """What people look for when they press Tab."""
    return [*__all__, "record"]


def open(path: str | PathLike[str], **options: Any) -> Run:  # noqa: A001  # the name users expect, as in `gzip.open`
    """Open one run. ``run=NAME`` picks one where ``path`` holds several, ``format=NAME`` overrides detection,
    ``mapping={"prompt": "question"}`` says which key of unknown records is what."""
    from rollscope.query.library import open_run

    return open_run(path, **options)
