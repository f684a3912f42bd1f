"""Which fields a filter may name, what kind each is, and which one was probably meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, cast, get_args

from msgspec import Struct

from rollscope.fields import ALIASES, FEATURE_PREFIXES, FEATURE_SPACES, SPACE_PREFIXES, TEXT_FIELDS
from rollscope.query.language.ast import FieldName
from rollscope.query.language.lexer import mistake
from rollscope.query.language.sql import column_name, identifier
from rollscope.query.language.writing import member

ColumnKind = Literal["number", "string", "boolean", "list"]


class Column(Struct, frozen=True):
    """What a field is in SQL, and the columns of the table that this reads."""

    kind: ColumnKind
    sql: str
    reads: tuple[str, ...]


#: Fields made of columns, for tables that have the columns and not the field.
DERIVED: Final = {
    "discarded": Column("boolean", '("discard_reason" IS NOT NULL)', ("discard_reason",)),
    "address": Column(
        "string",
        """("split" || '/' || CAST("step" AS VARCHAR) || '/' || CAST("index" AS VARCHAR))""",
        ("split", "step", "index"),
    ),
}


class Fields(Struct, frozen=True, kw_only=True):
    """The columns of the table: scalars by name, the names of metrics and reward components, features with their prefix."""

    scalars: Mapping[str, ColumnKind]
    metrics: Sequence[str] = ()
    rewards: Sequence[str] = ()
    features: Mapping[str, ColumnKind] = {}

    @classmethod
    def of_columns(cls, columns: Mapping[str, str]) -> Fields:
        """From a table's columns, where metrics and rewards are the columns ``metrics.NAME`` and ``rewards.NAME``."""
        if wrong := set(columns.values()) - set(get_args(ColumnKind)):
            raise ValueError(f"no such kind of column: {', '.join(sorted(wrong))}")
        kinds = {
            name: cast("ColumnKind", kind) for name, kind in columns.items() if not name.startswith(SPACE_PREFIXES)
        }
        scalars = {name: kind for name, kind in kinds.items() if not name.startswith(FEATURE_PREFIXES)}
        features = {name: kind for name, kind in kinds.items() if name.startswith(FEATURE_PREFIXES)}
        metrics = [name.removeprefix("metrics.") for name in columns if name.startswith("metrics.")]
        rewards = [name.removeprefix("rewards.") for name in columns if name.startswith("rewards.")]
        return cls(scalars=scalars, metrics=metrics, rewards=rewards, features=features)

    def names(self) -> Iterator[str]:
        """Every field as it is written in a filter."""
        yield from self.scalars
        yield from (name for name, column in DERIVED.items() if self._derivable(name, column))
        yield from TEXT_FIELDS
        yield from self.features
        for space, names in (("metrics", self.metrics), ("rewards", self.rewards)):
            yield from (member(space, name) for name in names)

    def column(self, field: FieldName) -> Column:
        """What ``field`` is here; a field that is not here is an error that names the nearest ones."""
        if field.space in FEATURE_SPACES:
            if kind := self.features.get(field.column):
                return Column(kind, identifier(column_name(field.column)), (field.column,))
        elif field.space:
            known = self.metrics if field.space == "metrics" else self.rewards
            if field.name in known:
                return Column("number", identifier(column_name(field.column)), (field.column,))
        else:
            name = ALIASES.get(field.name, field.name)
            if kind := self.scalars.get(name):
                return Column(kind, identifier(name), (name,))
            if (derived := DERIVED.get(name)) and self._derivable(name, derived):
                return derived
        raise mistake(field.source, field.position, f"there is no field {field.column!r} here", self._advice(field))

    def _derivable(self, name: str, column: Column) -> bool:
        return name not in self.scalars and all(read in self.scalars for read in column.reads)

    def _advice(self, field: FieldName) -> str:
        names = list(self.names())
        tail = field.name.rpartition(".")[2]
        same = [name for name in names if name.endswith((f".{tail}", f'."{tail}"'))]
        by_lower = {name.lower(): name for name in names}
        import difflib

        close = difflib.get_close_matches(field.column.lower(), by_lower, n=3, cutoff=0.6)
        meant = same or list(_meant(field.column, names))
        near = list(dict.fromkeys([*meant, *(by_lower[name] for name in close)]))[:3]
        if near:
            return f"did you mean {' or '.join(near)}?"
        shown = names[:_SHOWN_NAMES]
        more = f", and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        return f"fields: {', '.join(shown)}{more}"


_SHOWN_NAMES: Final = 30


def _meant(word: str, names: Sequence[str]) -> Iterator[str]:
    """What a word stands for that is no field here: a field's title, a trainer's name for a field, a status."""
    from rollscope.fields import FIELDS
    from rollscope.formats.mapping import CANDIDATES
    from rollscope.model import STATUSES

    said = word.lower()
    titled = [field.name for field in FIELDS if said in (field.title.lower(), field.title.lower().replace(" ", "_"))]
    yield from (name for name in titled if name in names and name != said)
    yield from (name for name, keys in CANDIDATES.items() if said in keys and name in names and name not in titled)
    if said in STATUSES and "status" in names:
        yield f'status = "{said}"'
