"""Values of a query's result that Arrow or Python would change, as DuckDB writes them: a date after the year 9999, a time
with its zone, an integer of 128 bits without a sign, a string of bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rollscope.query.language.sql import identifier

if TYPE_CHECKING:
    import duckdb

#: Types whose values are the same in DuckDB, Arrow, Python and JSON; any other leaf becomes text.
_SAME = frozenset(
    [
        "boolean",
        "tinyint",
        "smallint",
        "integer",
        "bigint",
        "hugeint",
        "utinyint",
        "usmallint",
        "uinteger",
        "ubigint",
        "float",
        "double",
        "decimal",
        "varchar",
        "enum",
        "uuid",
        "null",
    ]
)


def as_shown(result: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The result, with text in place of what could not be handed on as it is. Its columns keep their names and order."""
    types = [_text_type(column) for column in result.types]
    if not any(types):
        return result
    return result.project(
        ", ".join(
            # By position: two columns may have the same name.
            (f"CAST(#{place} AS {text})" if text else f"#{place}") + f" AS {identifier(name)}"
            for place, (name, text) in enumerate(zip(result.columns, types), start=1)
        )
    )


def _text_type(column: Any) -> str | None:
    """The type to cast to; None if the values can stay."""
    if column.id in _SAME:
        return None
    if column.id in {"list", "array"}:
        (_, item), *size = column.children
        text = _text_type(item)
        return text and f"{text}[{size[0][1] if size else ''}]"
    if column.id == "map":
        (_, key), (_, value) = column.children
        if not (_text_type(key) or _text_type(value)):
            return None
        return f"MAP({_text_type(key) or key}, {_text_type(value) or value})"
    if column.id == "struct":
        if not any(_text_type(child) for _, child in column.children):
            return None
        return f"STRUCT({', '.join(f'{identifier(name)} {_text_type(child) or child}' for name, child in column.children)})"
    return "VARCHAR"
