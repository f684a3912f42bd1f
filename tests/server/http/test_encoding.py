"""Bytes for the wire: valid JSON whatever comes, and compression."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from rollscope.model import Message, Part, Sample, encode_json
from rollscope.server.http.encoding import _pieces, accepted_encoding, compress, json_body

ANY_TEXT = st.text(st.characters(exclude_categories=()))
ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=20,
)


def strictly(body: bytes) -> Any:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(body.decode("utf-8", "strict"), parse_constant=refuse)


@given(ANY_VALUE)
def test_any_value_becomes_valid_json(value: Any) -> None:
    strictly(json_body({"record": value}))


def test_text_that_is_no_unicode_is_shown_with_escapes_and_the_rest_stays() -> None:
    sample = Sample(
        address="train/0/0",
        messages=[Message(role="user", parts=[Part(text="a\ud800b"), Part(type="thinking", text="fine")])],
        record={"key\udcff": "ü", "n": 1},
    )
    sent = strictly(json_body(sample))
    assert sent["messages"] == [
        {"role": "user", "parts": [{"text": "a\\ud800b"}, {"type": "thinking", "text": "fine"}]}
    ]
    assert sent["record"] == {"key\\udcff": "ü", "n": 1}
    # The slow way sends the same fields as the fast one.
    assert sent.keys() == strictly(json_body(Sample())).keys()


@pytest.mark.parametrize("depth", [500, 5_000, 50_000])
def test_nesting_of_any_depth_is_sent_whole(depth: int) -> None:
    value: Any = "bottom"
    for level in range(depth):
        value = [value, 1] if level % 2 else {"a": value}
    body = json_body({"record": value})
    assert b'"bottom"' in body
    assert body.count(b"[") == body.count(b"]") == body.count(b"{") - 1 == depth // 2


@given(ANY_VALUE)
def test_the_slow_way_says_the_same_as_the_fast_one(value: Any) -> None:
    try:
        fast = encode_json({"record": value})
    except UnicodeEncodeError:
        return
    assert strictly(b"".join(_pieces({"record": value}))) == strictly(fast)


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("GZIP;q=0.5", "gzip"),
        ("zstd;q=0, gzip;q=0.8", "gzip"),
        ("zstd; q=0.0, gzip; q=0", None),
        ("br", None),
        ("x-gzip", None),
    ],
)
def test_an_encoding_is_used_only_when_it_is_offered(header: str, encoding: str | None) -> None:
    assert accepted_encoding(header) == encoding


@given(st.binary(max_size=5_000))
def test_compressed_bodies_come_back(body: bytes) -> None:
    assert gzip.decompress(compress(body, "gzip")) == body
    assert zstandard.ZstdDecompressor().decompress(compress(body, "zstd"), max_output_size=10_000) == body
