"""The filter language: one for the command line, the page's filter box, the terminal and Python.

``parse`` makes the tree, ``compile_filter`` an SQL condition over the index and a list of texts to look for.
See ``docs/filter-language.md``.
"""

from __future__ import annotations

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
