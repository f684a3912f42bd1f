"""The texts of a line read by themselves are those of its whole record."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.formats.base import Place, Source
from rollscope.formats.lines.flat import text_decoder
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.relax import RelaxFormat

SOURCE = Source(path="train/0.jsonl", split="train", step=0)
PLACE = Place(offset=0, length=1)
VALUES = (
    st.text(max_size=8)
    | st.none()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": st.text(max_size=5)}), max_size=2)
    | st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2)
)
RECORDS = st.dictionaries(st.sampled_from(["prompt", "response", "label", "reward", "x"]), VALUES, max_size=5)


@given(RECORDS)
def test_texts_of_a_line_are_those_of_its_record(record: dict[str, Any]) -> None:
    format_ = RelaxFormat()
    line = msgspec.json.encode(record)
    assert text_decoder(RelaxFormat, format_.keys) is not None
    assert format_.line_texts(line, SOURCE, PLACE) == format_.record_texts(decode_line(line)[0], SOURCE)


@pytest.mark.parametrize(
    "line",
    [
        b'{"prompt":"a","response":NaN,"label":"b"}',
        b'{"prompt":"a\xff","response":"b"}',
        b"[1]",
        b"",
        b'{"prompt":"\\ud800"}',
    ],
)
def test_a_line_that_is_no_strict_json_is_read_as_ever(line: bytes) -> None:
    try:
        wanted = RelaxFormat().record_texts(decode_line(line)[0], SOURCE)
    except Unreadable:
        wanted = []
    assert RelaxFormat().line_texts(line, SOURCE, PLACE) == wanted


def test_golden_answers_by_name_are_a_text_each() -> None:
    line = msgspec.json.encode({"prompt": "q", "response": "a", "label": {"answer": "42", "unit": "km", "none": None}})
    texts = RelaxFormat().line_texts(line, SOURCE, PLACE)
    assert texts == [("prompt", "q"), ("response", "a"), ("golden", "42"), ("golden", "km")]
    assert [text for name, text in texts if name == "golden"] == list(
        RelaxFormat().sample(decode_line(line)[0], SOURCE, PLACE).golden_answers.values()
    )


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        (["4", "four"], "4\nfour"),
        (["4"], "4"),
        ([4, 0.5, True], "4\n0.5\ntrue"),
        ([["4"], None], '[["4"],null]'),
        ([{"role": "user", "content": "4"}], '[{"role":"user","content":"4"}]'),
        ([], "[]"),
        (4, "4"),
    ],
)
def test_golden_answers_are_searched_as_they_are_shown(label: Any, wanted: str) -> None:
    line = msgspec.json.encode({"prompt": "q", "response": "a", "label": label})
    shown = RelaxFormat().sample(decode_line(line)[0], SOURCE, PLACE).golden_answers
    searched = [text for name, text in RelaxFormat().line_texts(line, SOURCE, PLACE) if name == "golden"]
    assert searched == [*shown.values()] == [wanted]
