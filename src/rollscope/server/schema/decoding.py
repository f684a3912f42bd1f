"""What a request says, as the types of `parameters`; what is wrong with it, as a sentence.

A parameter without a value (``where=``) counts as not given.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, Literal, TypeVar

import msgspec

from rollscope.errors import UsageError
from rollscope.server.schema.parameters import Query


def names(values: tuple[str, ...]) -> tuple[str, ...]:
    """Names given as ``columns=a&columns=b`` or as ``columns=a,b``."""
    return tuple(values[0].split(",")) if len(values) == 1 else values


QueryT = TypeVar("QueryT", bound=Query)


def decode_query(pairs: list[tuple[str, str]], kind: type[QueryT]) -> QueryT:
    """The query string's pairs as ``kind``; a :class:`UsageError` names what is wrong and what is known."""
    known = _known_parameters(kind)
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name not in known:
            raise UsageError(f"unknown query parameter {name!r}", hint=_known_hint(kind))
        if value == "":
            continue
        if known[name] == "many":
            values.setdefault(name, []).append(value)
        elif name in values:
            raise UsageError(f"query parameter {name!r} is given twice", hint="give it once")
        else:
            values[name] = value
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(_sentence(str(error), kind, values), hint=_known_hint(kind)) from None


BodyT = TypeVar("BodyT")


def decode_body(body: bytes, kind: type[BodyT], example: str) -> BodyT:
    """A request's JSON as ``kind``."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the body is not what is wanted here: {error}",
            hint=f"send {example} as JSON (Content-Type: application/json)",
        ) from None


@cache
def _known_parameters(kind: type[Query]) -> dict[str, Literal["one", "many"]]:
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    found: dict[str, Literal["one", "many"]] = {}
    for field in info.fields:
        found[field.name] = "many" if isinstance(_plain(field.type), msgspec.inspect.VarTupleType) else "one"
    return found


def _plain(kind: msgspec.inspect.Type) -> msgspec.inspect.Type:
    return kind.type if isinstance(kind, msgspec.inspect.Metadata) else kind


def _words(kind: type[Query], name: str) -> list[str]:
    """The words that a parameter may be, if it is one of a few."""
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    (field,) = (field for field in info.fields if field.name == name)
    plain = _plain(field.type)
    options = plain.types if isinstance(plain, msgspec.inspect.UnionType) else (plain,)
    return [str(value) for each in options if isinstance(each, msgspec.inspect.LiteralType) for value in each.values]


def _known_hint(kind: type[Query]) -> str:
    names = ", ".join(_known_parameters(kind))
    return f"known parameters: {names}" if names else "this request takes no parameters"


#: What msgspec calls a type, and what people do.
_TYPES: Final = {"int": "a whole number", "float": "a number", "bool": "true or false", "array": "several values"}


def _sentence(message: str, kind: type[Query], values: dict[str, Any]) -> str:
    """msgspec's "Expected `int | null`, got `str` - at `$.step`" → "query parameter 'step': expected a whole number, not
    'twelve'"."""
    what, _, where = message.partition(" - at `$.")
    if not where:
        return message.replace("Object missing required field", "missing query parameter").replace("`", "'")
    name = where.rstrip("`")
    if words := _words(kind, name):
        expected = f"expected one of {', '.join(words)}"
    else:
        asked = what.partition(",")[0].replace(" | null", "").replace("`", "")
        expected = re.sub(r"\b(int|float|bool|array)\b", lambda match: _TYPES[match[0]], asked[0].lower() + asked[1:])
    return f"query parameter {name!r}: {expected}, not {values.get(name)!r}"
