"""Records as lines: whatever a record holds, it is one line of strict JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from rollscope.record.output.encode import encode_line
from rollscope.record.output.problems import Problems


class Odd:
    def __repr__(self) -> str:
        return "an odd thing"


@pytest.mark.parametrize(
    ("record", "told", "problems"),
    [
        ({"a": "two\nlines\u2028"}, {"a": "two\nlines\u2028"}, 0),
        ({"a": math.nan}, {"a": None}, 0),
        ({"half \ud83d": ["\ude00"]}, {"half \\ud83d": ["\\ude00"]}, 1),
        ({"a": {1, 2} - {2}}, {"a": [1]}, 0),
    ],
)
def test_every_record_is_one_line_of_strict_json(record: Any, told: Any, problems: int) -> None:
    counter = Problems()
    line = encode_line(record, counter)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line, parse_constant=pytest.fail) == told
    assert counter.count == problems


def test_an_object_that_is_no_json_costs_no_record() -> None:
    counter = Problems()
    told = json.loads(encode_line({"kept": 1, "odd": Odd(), "half": "\ud800"}, counter))
    assert told["kept"] == 1
    assert "odd thing" in told["odd"]
    assert told["half"] == "\\ud800"
