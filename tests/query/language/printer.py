"""A tree printed as a filter, for the test that parsing the print gives the same tree."""

from __future__ import annotations

import math
import re
from typing import Final

from rollscope.query.language.ast import (
    And,
    Comparison,
    Constant,
    Contains,
    Expr,
    FieldName,
    Flag,
    MatchesPattern,
    Membership,
    Not,
    Or,
    Value,
    ValueState,
)
from rollscope.query.language.lexer import PLAIN_MEMBER

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})
_PATTERN_PIECE: Final = re.compile(r"\\?.|\\", re.DOTALL)


def to_source(expr: Expr) -> str:
    """The filter's text, with only the parentheses it needs."""
    match expr:
        case Or(operands):
            return " or ".join(_inside(operand, Or) for operand in operands)
        case And(operands):
            return " and ".join(_inside(operand, Or, And) for operand in operands)
        case Not(operand):
            return f"not {_inside(operand, Or, And)}"
        case Comparison(field, operator, constant):
            return f"{_field(field)} {operator} {_constant(constant)}"
        case Membership(field, constants, negated):
            return f"{_field(field)} {_not(negated)}in ({', '.join(map(_constant, constants))})"
        case ValueState(field, state, negated):
            return f"{_field(field)} is {_not(negated)}{state}"
        case Contains(field, text, ignore_case, negated):
            return f"{_field(field)} {_not(negated)}{'i' if ignore_case else ''}contains {_text(text)}"
        case MatchesPattern(field, pattern, flags, negated):
            return f"{_field(field)} {_not(negated)}matches {_pattern(pattern, flags)}"
        case Flag(field):
            return _field(field)


def _inside(expr: Expr, *weaker: type[Or | And]) -> str:
    return f"({to_source(expr)})" if isinstance(expr, weaker) else to_source(expr)


def _not(negated: bool) -> str:
    return "not " if negated else ""


def _field(field: FieldName) -> str:
    if not field.space:
        return field.name
    return f"{field.space}.{field.name if PLAIN_MEMBER.fullmatch(field.name) else _text(field.name)}"


def _constant(constant: Constant) -> str:
    return _value(constant.value)


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return repr(value)


def _text(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _pattern(pattern: str, flags: str) -> str:
    pieces = _PATTERN_PIECE.findall(pattern)
    # A pattern that has its slashes escaped already came from a text in quotes, and a text it stays.
    if "\\/" in pieces or "\\" in pieces:
        return _text(pattern)
    return "/" + "".join("\\/" if piece == "/" else piece for piece in pieces) + "/" + flags
