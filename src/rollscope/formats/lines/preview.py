"""The beginning of a record whose line is too long to be read whole for a list: what a preview needs and no more."""

from __future__ import annotations

import json
import re
from typing import Any

from rollscope.formats.base import Place, Source
from rollscope.formats.lines.lenient import clean, decode_line
from rollscope.formats.lines.sealed import read_line
from rollscope.storage.store import Store

#: A longer line is cut here for previews: a response of 2 GB costs as much as one of 1 MB.
HEAD_BYTES = 1 << 20
#: Lists and objects inside one another that are cut open; what lies deeper is left out.
MAX_OPENED = 16

_decoder = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[\s,:]*")
_DIGITS_TO_THE_END = re.compile(r"[-+.eE\d]*\Z")
#: An escape sequence needs at most this many characters to be whole.
_ESCAPE = 6


def record_beginning(store: Store, source: Source, place: Place) -> dict[str, Any]:
    """The record, whole where its line is short, else as much of it as lies in the line's first megabyte."""
    if place.length <= HEAD_BYTES:
        return decode_line(read_line(store, source, place))[0]
    return beginning(read_line(store, source, place, HEAD_BYTES))


def beginning(head: bytes) -> dict[str, Any]:
    """The members of a cut record: whole ones as they are, the last one as far as it goes."""
    text = head.decode("utf-8", "ignore").removeprefix("\ufeff")
    value, _ = _read(text, _past_space(text, 0), 0)
    return {key: clean(item) for key, item in value.items()} if isinstance(value, dict) else {}


def _read(text: str, at: int, opened: int) -> tuple[Any, int]:
    """(the value that begins here, or its beginning; where it ends, or the text's end where it was cut)."""
    try:
        value, end = _decoder.raw_decode(text, at)
    except (json.JSONDecodeError, RecursionError, ValueError):
        pass
    else:
        if type(value) not in (int, float) or not _DIGITS_TO_THE_END.match(text, end):
            return value, end
        return None, len(text)  # more digits may have been cut off
    sign = text[at : at + 1]
    if sign == '"':
        return _cut_text(text[at + 1 :]), len(text)
    if opened < MAX_OPENED and sign == "[":
        return _read_list(text, at + 1, opened), len(text)
    if opened < MAX_OPENED and sign == "{":
        return _read_object(text, at + 1, opened), len(text)
    return None, len(text)


def _read_list(text: str, at: int, opened: int) -> list[Any]:
    items = []
    while (at := _past_space(text, at)) < len(text):
        item, at = _read(text, at, opened + 1)
        items.append(item)
    return items


def _read_object(text: str, at: int, opened: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    while (at := _past_space(text, at)) < len(text):
        try:
            key, at = _decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError, ValueError):
            break
        at = _past_space(text, at)
        if at < len(text):
            members[str(key)], at = _read(text, at, opened + 1)
    return members


def _past_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _cut_text(rest: str) -> str:
    """The characters of a string that was cut, perhaps within an escape sequence."""
    for cut in range(_ESCAPE + 1):
        try:
            text = str(_decoder.decode(f'"{rest[: len(rest) - cut]}"'))
        except json.JSONDecodeError:
            continue
        return text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text
    return ""
