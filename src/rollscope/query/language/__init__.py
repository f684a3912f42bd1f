"""The filter language: one for the command line, the page's filter box, the terminal and Python.

``parse`` makes the tree, ``compile_filter`` an SQL condition over the index and a list of texts to look for.
See ``docs/filter-language.md``. Its modules are imported when one of these is asked for: most lists have no filter.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rollscope.fields import TEXT_FIELDS
    from rollscope.query.language.ast import Expr
    from rollscope.query.language.compile import Compiled, TextPredicate, compile_filter
    from rollscope.query.language.fields import Fields, Kind
    from rollscope.query.language.parser import parse

__all__ = [
    "TEXT_FIELDS",
    "Compiled",
    "Expr",
    "Fields",
    "Kind",
    "TextPredicate",
    "compile_filter",
    "parse",
]

_PLACES = {
    "TEXT_FIELDS": "rollscope.fields",
    "Expr": "rollscope.query.language.ast",
    "Compiled": "rollscope.query.language.compile",
    "TextPredicate": "rollscope.query.language.compile",
    "compile_filter": "rollscope.query.language.compile",
    "Fields": "rollscope.query.language.fields",
    "Kind": "rollscope.query.language.fields",
    "parse": "rollscope.query.language.parser",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(name)
    return getattr(import_module(_PLACES[name]), name)
