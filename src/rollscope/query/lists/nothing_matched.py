"""Why a filter matched nothing: the values in it that no sample has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rollscope.fields import ALIASES, STORED
from rollscope.query.language.ast import And, Comparison, Constant, Expr, FieldName, Membership, Or
from rollscope.query.language.parser import parse

if TYPE_CHECKING:
    from rollscope.query.run import Run

_WORDS: Final = frozenset(field.name for field in STORED if field.kind == "category" and field.type == "string")
#: Values that a sentence names, the most frequent first.
_NAMED: Final = 8


def values_no_sample_has(runs: Sequence[Run], where: str) -> list[str]:
    """A sentence for each value that is asked for and does not occur, kept and discarded samples alike."""
    sentences = []
    for field, constants in _asked(parse(where)):
        name = ALIASES.get(field.column, field.column)
        asked = [str(constant.value) for constant in constants if isinstance(constant.value, str)]
        if name not in _WORDS or not asked:
            continue
        query = f'SELECT "{name}", count(*) FROM samples WHERE "{name}" IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1'
        known = list(dict.fromkeys(str(row[0]) for run in runs for row in run.sql(query, only_shown=True).rows))
        missing = [f'"{value}"' for value in asked if value not in known]
        if not known:
            sentences.append(f"no sample has {name}")
        elif len(missing) == len(constants):
            more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
            sentences.append(f"no sample has {name} {' or '.join(missing)}: there is {', '.join(known[:_NAMED])}{more}")
    return list(dict.fromkeys(sentences))


def _asked(expr: Expr) -> Iterator[tuple[FieldName, tuple[Constant, ...]]]:
    """The conditions that ask for one of some values; what is negated does not."""
    if isinstance(expr, And | Or):
        for operand in expr.operands:
            yield from _asked(operand)
    elif isinstance(expr, Comparison) and expr.operator == "=":
        yield expr.field, (expr.constant,)
    elif isinstance(expr, Membership) and not expr.negated:
        yield expr.field, expr.constants
