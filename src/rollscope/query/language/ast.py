"""A filter as a tree. Positions say where in the source a node stands and do not count for equality."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

Value = str | int | float | bool
Operator = Literal["=", "!=", "<", "<=", ">", ">="]
SpaceName = Literal["", "metrics", "rewards", "text", "token"]


@dataclass(frozen=True, slots=True)
class FieldName:
    """``reward``, or ``metrics.correct`` with ``space="metrics"`` and ``name="correct"``."""

    name: str
    space: SpaceName = ""
    position: int = dataclasses.field(default=0, compare=False)
    #: The whole filter, for messages about this field.
    source: str = dataclasses.field(default="", compare=False, repr=False)

    @property
    def column(self) -> str:
        return f"{self.space}.{self.name}" if self.space else self.name


@dataclass(frozen=True, slots=True)
class Constant:
    value: Value
    position: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``reward < 0.2``"""

    field: FieldName
    operator: Operator
    constant: Constant


@dataclass(frozen=True, slots=True)
class Membership:
    """``env in ("math", "code")``, ``env not in (…)``"""

    field: FieldName
    constants: tuple[Constant, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ValueState:
    """``advantage is missing``, ``reward is not nan``"""

    field: FieldName
    state: Literal["missing", "nan"]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Contains:
    """``response contains "I cannot"``; ``icontains`` ignores case."""

    field: FieldName
    text: str
    ignore_case: bool = False
    negated: bool = False
    position: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class MatchesPattern:
    r"""``text matches /\\boxed\{\d+\}/i``. ``flags`` are letters of ``ims``, each once, in this order."""

    field: FieldName
    pattern: str
    flags: str = ""
    negated: bool = False
    position: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean field alone: ``discarded``."""

    field: FieldName


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expr, ...]


Expr = Comparison | Membership | ValueState | Contains | MatchesPattern | Flag | Not | And | Or
