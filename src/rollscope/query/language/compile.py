"""From the tree to a DuckDB condition, and to the texts that have to be looked at.

Conditions have two values: a comparison with a missing value is false and its ``not`` is true, so every condition is
wrapped in ``coalesce``. Values stand in the SQL as literals (see ``sql``), never as anything that could be code.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from rollscope.fields import FEATURE_PREFIXES, FEATURE_SPACES, TEXT_FIELDS
from rollscope.query.language.ast import (
    And,
    Comparison,
    Contains,
    Expr,
    FieldName,
    Flag,
    MatchesPattern,
    Membership,
    Not,
    Or,
    ValueState,
)
from rollscope.query.language.conditions import compare, in_list, in_string, is_missing, is_nan, one_of, wrong_use
from rollscope.query.language.fields import Column, Fields
from rollscope.query.language.lexer import mistake
from rollscope.query.language.sql import all_of, any_of, identifier, true_or_false

Condition = Comparison | Membership | ValueState | Contains | MatchesPattern | Flag


class TextPredicate(Struct, frozen=True):
    """Something to look for in a text field; its answer is the column ``__text0``, ``__text1`` … in order."""

    field: str
    kind: Literal["literal", "regex"]
    pattern: str
    ignore_case: bool = False


class Compiled(Struct, frozen=True):
    """A filter ready to run: ``WHERE {sql}``."""

    sql: str
    text: tuple[TextPredicate, ...]
    #: A condition without text columns that holds wherever the filter may: rows outside it need no reading.
    candidates: str
    #: The columns of the index that ``sql`` reads, without the text columns. In the table it runs over, each has the name
    #: that ``sql.column_name`` gives it.
    columns: tuple[str, ...]
    #: As ``candidates``, and without features, too: only rows inside it need theirs.
    feature_candidates: str = "TRUE"

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that are computed from texts."""
        return tuple(name for name in self.columns if name.startswith(FEATURE_PREFIXES))


def compile_filter(expr: Expr, fields: Fields) -> Compiled:
    """``expr`` over these fields; an unknown field or a value of the wrong kind is a FilterError with its position."""
    compiler = _Compiler(fields)
    sql = compiler.exact(expr)
    candidates = compiler.implied(expr, wanted=True)
    before_features = compiler.implied(expr, wanted=True, features=False)
    return Compiled(sql, tuple(compiler.text), candidates, tuple(sorted(compiler.columns)), before_features)


class _Compiler:
    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.text: dict[TextPredicate, str] = {}
        self.columns: set[str] = set()

    def exact(self, expr: Expr) -> str:
        match expr:
            case And(operands):
                return f"({' AND '.join(map(self.exact, operands))})"
            case Or(operands):
                return f"({' OR '.join(map(self.exact, operands))})"
            case Not(operand):
                return f"(NOT {self.exact(operand)})"
            case _:
                return self._condition(expr)

    def implied(self, expr: Expr, *, wanted: bool, features: bool = True) -> str:
        """What must hold in the scalars alone for ``expr`` to be ``wanted``. Text may be anything, so a condition on it
        is TRUE whether it stands below a ``not`` or not; ``not`` itself is pushed inwards to the conditions. Without
        ``features`` the same is said of what is computed from texts."""
        match expr:
            case Not(operand):
                return self.implied(operand, wanted=not wanted, features=features)
            case And(operands):
                conditions = [self.implied(operand, wanted=wanted, features=features) for operand in operands]
                return all_of(conditions) if wanted else any_of(conditions)
            case Or(operands):
                conditions = [self.implied(operand, wanted=wanted, features=features) for operand in operands]
                return any_of(conditions) if wanted else all_of(conditions)
            case Contains() | MatchesPattern() if _is_text(expr.field):
                return "TRUE"
            case _ if not features and expr.field.space in FEATURE_SPACES:
                return "TRUE"
            case _:
                return self._condition(expr) if wanted else f"(NOT {self._condition(expr)})"

    # Conditions

    def _condition(self, condition: Condition) -> str:
        if isinstance(condition, Contains | MatchesPattern):
            return self._search(condition)
        if _is_text(condition.field):
            place = condition.field
            advice = f'such as: {place.name} contains "I cannot", {place.name} matches /cannot|can\'t/i'
            raise mistake(
                place.source, place.position, f"{place.name} is a text: it takes only contains and matches", advice
            )
        column = self._column(condition.field)
        match condition:
            case Comparison(field, operator, constant):
                return true_or_false(compare(field, column, operator, constant))
            case Membership(field, constants, negated):
                return true_or_false(one_of(field, column, constants, negated=negated))
            case ValueState(field, state, negated):
                holds = is_missing(column) if state == "missing" else is_nan(field, column)
                if state == "nan" and negated:  # a missing value is no other number
                    return f"(NOT {holds} AND NOT {is_missing(column)})"
                return f"(NOT {holds})" if negated else holds
            case Flag(field):
                if column.kind != "boolean":
                    raise wrong_use(field, column)
                return true_or_false(column.sql)

    def _column(self, field: FieldName) -> Column:
        column = self.fields.column(field)
        self.columns.update(column.reads)
        return column

    def _search(self, condition: Contains | MatchesPattern) -> str:
        predicate = _predicate(condition)
        if _is_text(condition.field):
            name = self.text.setdefault(predicate, f"__text{len(self.text)}")
            found = true_or_false(identifier(name))
            return f"(NOT {found})" if condition.negated else found
        field, column = condition.field, self._column(condition.field)
        if column.kind not in ("string", "list"):
            raise wrong_use(field, column)
        found = in_string(column.sql, predicate) if column.kind == "string" else in_list(column.sql, predicate)
        if condition.negated:
            found = f"(NOT {is_missing(column)} AND NOT {found})"
        return true_or_false(found)


def _is_text(field: FieldName) -> bool:
    return not field.space and field.name in TEXT_FIELDS


def _predicate(condition: Contains | MatchesPattern) -> TextPredicate:
    if isinstance(condition, Contains):
        return TextPredicate(condition.field.name, "literal", condition.text, condition.ignore_case)
    inline = condition.flags.replace("i", "")
    pattern = f"(?{inline}){condition.pattern}" if inline else condition.pattern
    _check_pattern(condition, pattern)
    return TextPredicate(condition.field.name, "regex", pattern, "i" in condition.flags)


def _check_pattern(condition: MatchesPattern, pattern: str) -> None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if error.args else "no reason given"
        advice = "patterns are RE2's: no look-around and no back-references"
        message = f"this pattern does not work: {reason}"
        raise mistake(condition.field.source, condition.position, message, advice) from None
