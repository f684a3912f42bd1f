"""The operators of the filter language and what each may be asked about: completion, documentation and tests read this."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from rollscope.fields import Field

#: What a field is to a filter; "text" is read from the source files.
Asked = Literal["number", "string", "list", "boolean", "text"]
#: What stands behind an operator.
Operand = Literal["value", "values", "text", "pattern", "nothing"]


class FilterOperator(Struct, frozen=True, kw_only=True):
    word: str
    takes: tuple[Asked, ...]
    operand: Operand
    about: str


_ORDERED: Final[tuple[Asked, ...]] = ("number", "string")
_STORED: Final[tuple[Asked, ...]] = ("number", "string", "list", "boolean")
_WORDS: Final[tuple[Asked, ...]] = ("string", "list", "text")


def _operator(word: str, takes: tuple[Asked, ...], operand: Operand, about: str) -> FilterOperator:
    return FilterOperator(word=word, takes=takes, operand=operand, about=about)


OPERATORS: Final = (
    _operator("=", _STORED, "value", "the value is the same"),
    _operator("!=", _STORED, "value", "the value is another"),
    _operator("<", _ORDERED, "value", "less"),
    _operator("<=", _ORDERED, "value", "less, or the same"),
    _operator(">", _ORDERED, "value", "greater"),
    _operator(">=", _ORDERED, "value", "greater, or the same"),
    _operator("in", _STORED, "values", "one of these"),
    _operator("not in", _STORED, "values", "none of these"),
    _operator("contains", _WORDS, "text", "this text is somewhere in it"),
    _operator("icontains", _WORDS, "text", "this text is somewhere in it, in small or capital letters"),
    _operator("matches", _WORDS, "pattern", "this pattern is somewhere in it"),
    _operator("not contains", _WORDS, "text", "this text is nowhere in it"),
    _operator("not icontains", _WORDS, "text", "this text is nowhere in it, in small or capital letters"),
    _operator("not matches", _WORDS, "pattern", "this pattern is nowhere in it"),
    _operator("is missing", _STORED, "nothing", "the source did not say"),
    _operator("is not missing", _STORED, "nothing", "the source did say"),
    _operator("is nan", ("number",), "nothing", "the source said NaN"),
    _operator("is not nan", ("number",), "nothing", "the source said another number than NaN"),
)

#: Words that join conditions.
JOINERS: Final = ("and", "or")

_ASKED: Final[dict[str, Asked]] = {
    "number": "number", "integer": "number", "string": "string", "strings": "list", "boolean": "boolean",
}  # fmt: skip


def asked_as(field: Field) -> Asked:
    return "text" if field.origin == "text" else _ASKED[field.type]


def operators_of(asked: Asked) -> list[str]:
    return [operator.word for operator in OPERATORS if asked in operator.takes]
