"""Reading what strict readers refuse: nothing that Python's json takes is lost, and what is lost has its reason."""

from __future__ import annotations

import json
import math
import shutil
from typing import Any

import hypothesis
import hypothesis.strategies as st
import msgspec
import pytest

from rollscope.formats.lines import lenient
from rollscope.formats.lines.lenient import (
    MAX_DEPTH,
    PIECE,
    Unreadable,
    decode_line,
    invalid_utf8,
    printable,
    read_record,
    why_repaired,
)
from rollscope.model import as_number


def nested(depth: int, inner: str = "1") -> str:
    return "[" * depth + inner + "]" * depth


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (b'{"a": Infinity, "b": -Infinity}', {"a": math.inf, "b": -math.inf}),
        (b'{"a": "\\ud800 alone"}', {"a": "\\ud800 alone"}),
        (b'{"\\udc00": 1}', {"\\udc00": 1}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "\N{GRINNING FACE}"}),
        (b'{"a": "raw\x01control\ttab"}', {"a": "raw\x01control\ttab"}),
        (b'\xef\xbb\xbf{"a": 1}\r', {"a": 1}),
        (b'\x00\x00{"a": 1}\x00', {"a": 1}),
        (b'{"a": "caf\xe9"}', {"a": "caf\N{REPLACEMENT CHARACTER}"}),
        (b'{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_what_strict_readers_refuse_is_read(line: bytes, record: dict[str, Any]) -> None:
    assert read_record(line) == record


def test_nan_is_a_number_that_is_none() -> None:
    assert math.isnan(read_record(b'{"a": NaN}')["a"])


def test_an_integer_of_many_digits_stays_as_it_is_written() -> None:
    digits = "9" * 5000
    assert read_record(f'{{"a": {digits}, "b": -{digits}}}'.encode()) == {"a": digits, "b": f"-{digits}"}
    assert as_number(digits) is None
    assert as_number("-Infinity") == -math.inf


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1]", "not a JSON object but an array"),
        (b'"text"', "not a JSON object but a string"),
        (b"null", "not a JSON object but null"),
        (b"true", "not a JSON object but a boolean"),
        (b"12", "not a JSON object but a number"),
        (b'{"a": ', "malformed JSON at column"),
        (b'{"a": 1} {"b": 2}', "extra data"),
        (b"\x00\x00\x00", "only NUL bytes"),
        (b"hello", "malformed JSON at column 1"),
        (nested(5000).encode(), "not a JSON object but an array"),
        (b'{"a": ' + b"[" * 200_000 + b"}", "brackets do not close"),
    ],
)
def test_what_cannot_be_read_says_why(line: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason.replace("[", "\\[")):
        read_record(line)


@pytest.mark.parametrize("depth", [MAX_DEPTH - 2, MAX_DEPTH + 1, 490, 700, 985, 1000, 3000, 50_000])
@pytest.mark.parametrize("extra", ["", ', "nan": NaN'])
def test_nesting_of_any_depth_leaves_the_other_members_alone(depth: int, extra: str) -> None:
    line = f'{{"a": "x, }}]", "deep": {nested(depth)}, "reward": 0.5{extra}}}'.encode()
    record, strict = decode_line(line)
    assert (record["a"], record["reward"]) == ("x, }]", 0.5)
    if depth < MAX_DEPTH - 1:
        assert record["deep"] == json.loads(nested(depth))
    else:
        assert record["deep"] == nested(depth), "too deep for a browser: the text as it is"
    assert strict == (depth < MAX_DEPTH - 1 and not extra)
    assert json.loads(msgspec.json.encode(printable(record)))["reward"] == 0.5


def test_strict_lines_come_back_untouched() -> None:
    assert decode_line(b'{"a": [1, {"b": null}]}') == ({"a": [1, {"b": None}]}, True)


def test_values_json_has_no_word_for_are_shown_by_name() -> None:
    assert printable({"a": [math.nan, 1], "b": {"c": -math.inf}}) == {"a": ["NaN", 1], "b": {"c": "-Infinity"}}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": "\xff"}', "invalid UTF-8 at byte 8, shown as U+FFFD"),
        (b'\x00{"a": 1}', "NUL byte at byte 1"),
        (b'{"a": "\x01"}', "unescaped control character at byte 8"),
        (b'{"a": NaN}\r', None),
    ],
)
def test_a_repair_is_named_and_a_mere_oddity_is_none(line: bytes, reason: str | None) -> None:
    assert why_repaired(line) == reason


@pytest.mark.parametrize("at", [0, 5, PIECE - 2, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 7])
def test_long_lines_are_checked_piece_by_piece(at: int) -> None:
    """With characters of three bytes lying across the seams."""
    text = bytearray("数".encode() * (PIECE + 10))
    assert invalid_utf8(bytes(text)) is None
    place = at - at % 3
    text[place] = 0xFF
    assert invalid_utf8(memoryview(bytes(text))) == place


@hypothesis.given(st.binary(max_size=40))
def test_the_first_bad_byte_is_where_python_finds_it(line: bytes) -> None:
    try:
        line.decode()
        expected = None
    except UnicodeDecodeError as error:
        expected = error.start
    assert invalid_utf8(line) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@hypothesis.given(st.dictionaries(st.text(), json_values, max_size=6), st.booleans())
def test_every_record_python_writes_comes_back(record: dict[str, Any], ascii_only: bool) -> None:
    line = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    read = decode_line(line)[0]
    assert repr(printable(read)) == repr(printable(shown(record, line)))


def shown(value: Any, line: bytes) -> Any:
    """Lone surrogates as a reader sees them: as their escape, or as U+FFFD thrice where they were written as bytes."""
    if isinstance(value, str):
        raw = b"\\ud" not in line.lower()
        if raw:
            return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return "".join(f"\\u{ord(sign):04x}" if "\ud800" <= sign <= "\udfff" else sign for sign in value)
    if isinstance(value, list):
        return [shown(item, line) for item in value]
    if isinstance(value, dict):
        return {shown(key, line): shown(item, line) for key, item in value.items()}
    return value


CHARACTERS = [*"aé€漢ไ힣🙂\u0800\ud7ff\ue000\U0010ffff", "plain text of some length, "]
BROKEN = [
    "c3",
    "80",
    "c080",
    "e08080",
    "e09fbf",
    "eda080",
    "f08fbfbf",
    "f4908080",
    "f5808080",
    "ff",
    "e282",
    "f09f99",
    "c1bf",
]
PIECES = st.sampled_from([*map(str.encode, CHARACTERS), *map(bytes.fromhex, BROKEN)])


@pytest.mark.parametrize("compiled", [True, False])
@hypothesis.given(
    st.lists(PIECES, max_size=12).map(b"".join) | st.binary(max_size=20), st.integers(-24, 4), st.booleans()
)
def test_bytes_are_utf8_where_python_decodes_them(compiled: bool, some: bytes, edge: int, after: bool) -> None:
    """Also over the edge of the blocks that compiled code looks at."""
    data = b"x" * (4096 + edge) + some + b"y" * (5000 * after)
    try:
        data.decode()
        valid = True
    except UnicodeDecodeError:
        valid = False
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(lenient, "_utf8_check", lambda: None)
        assert lenient.all_utf8(memoryview(data)) == valid
        assert lenient.all_utf8(memoryview(some)) == (invalid_utf8(some) is None)


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
def test_the_compiled_check_is_there_where_a_compiler_is() -> None:
    assert lenient._utf8_check() is not None
