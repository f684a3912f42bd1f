"""The words of Rollscope for programs: fields with their titles, and what a filter may say of each.

The page's completion, columns and titles come from here; it keeps no list of its own.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from rollscope.fields import ALIASES, FIELDS, SPACES, Field, FieldKind, FieldType, Origin, ShownIn
from rollscope.model import STATUSES
from rollscope.query.language.operators import JOINERS, OPERATORS, Operand, asked_as, operators_of
from rollscope.query.samples.columns import SORT_ALIASES


class VocabularyField(Struct, kw_only=True):
    """A field that every run may have."""

    name: str
    type: FieldType
    title: str
    short: str
    kind: FieldKind
    about: str
    shown: Annotated[
        list[ShownIn],
        Meta(
            description="head, list, dots, details, folded, charts: where it is shown unless a person chooses otherwise."
        ),
    ]
    origin: Origin
    operators: Annotated[
        list[str],
        Meta(description="What may stand behind it in a filter; empty for what is known only of an opened sample."),
    ]
    values: Annotated[list[str], Meta(description="Values that are always possible, for completion.")] = []


class VocabularySpace(Struct, kw_only=True):
    """Fields that a run brings along, by a name after a dot: `metrics.correct`. They are numbers."""

    prefix: str
    title: str
    about: str
    operators: list[str]


class VocabularyOperator(Struct, kw_only=True):
    word: str
    operand: Annotated[
        Operand,
        Meta(
            description="What stands behind it: a value, several in parentheses, a text in quotes, a /pattern/, nothing."
        ),
    ]
    about: str


class Vocabulary(Struct, kw_only=True):
    fields: list[VocabularyField]
    spaces: list[VocabularySpace]
    operators: list[VocabularyOperator]
    joiners: Annotated[list[str], Meta(description="Words between conditions, and the word that turns one around.")]
    negation: str
    aliases: Annotated[dict[str, str], Meta(description="Other words for fields: in filters and sorts.")]
    sorts: Annotated[
        list[str], Meta(description="Further sort keys; with a minus sign before it, any key sorts downwards.")
    ]


def vocabulary() -> Vocabulary:
    return Vocabulary(
        fields=[_field(field) for field in (*FIELDS, *_features())],
        spaces=[
            VocabularySpace(prefix=space.prefix, title=space.title, about=space.about, operators=operators_of("number"))
            for space in SPACES.values()
        ],
        operators=[
            VocabularyOperator(word=operator.word, operand=operator.operand, about=operator.about)
            for operator in OPERATORS
        ],
        joiners=list(JOINERS),
        negation="not",
        aliases=dict(ALIASES),
        sorts=list(SORT_ALIASES),
    )


def _features() -> list[Field]:
    """What is computed from texts, plug-ins' features too."""
    from rollscope.features.registry import registry

    return [feature.as_field() for feature in registry().features.values()]


def _field(field: Field) -> VocabularyField:
    return VocabularyField(
        name=field.name,
        type=field.type,
        title=field.title,
        short=field.short,
        kind=field.kind,
        about=field.about,
        shown=list(field.shown),
        origin=field.origin,
        operators=[] if field.origin == "sample" else operators_of(asked_as(field)),
        values=list(STATUSES) if field.name == "status" else [],
    )
