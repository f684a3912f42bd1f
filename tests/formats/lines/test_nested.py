"""Lines that must be understood to be counted, and what their values are taken for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rollscope.formats.base import Place, Source
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import NestedLines
from rollscope.model import Message, Part, Sample
from rollscope.storage.memory import MemoryStore


class Baskets(NestedLines):
    name = "baskets"
    line_is_group = True

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        if "apples" not in record:
            raise Unreadable("no apples")
        parts = [[Part(text=str(apple))] for apple in record["apples"]]
        return [Sample(step=3, reward=1.0, messages=[Message(role="user", parts=found)]) for found in parts]


SOURCE = Source(path="a.jsonl")
LINES = [b'{"apples": ["x", "y"]}', b'{"pears": []}', b"", b'{"apples": ["x", "y"]}', b'{"apples": [NaN]}', b"{"]
DATA = b"\n".join(LINES) + b"\n"


def test_a_line_is_as_many_samples_as_it_holds_and_bad_ones_are_told() -> None:
    store = MemoryStore.of("nested", {"a.jsonl": DATA})
    scan = Baskets().scan(store, SOURCE, 0, len(DATA))
    assert (scan.rows, scan.end, scan.lines) == (5, len(DATA), 6)
    assert list(scan.columns["line"]) == [0, 0, 3, 3, 4]
    assert [member or "" for member in scan.columns["member"]] == ["", "1", "", "1", ""]
    assert list(scan.columns["lenient"]) == [False, False, False, False, True]
    assert list(scan.columns["step"]) == [3] * 5
    assert [(skipped.line, skipped.reason.split(" ")[0]) for skipped in scan.skipped] == [(2, "no"), (6, "malformed")]


def test_equal_lines_are_groups_of_their_own() -> None:
    store = MemoryStore.of("nested", {"a.jsonl": DATA})
    groups = list(Baskets().scan(store, SOURCE, 0, len(DATA)).columns["group"])
    assert groups[0] == groups[1] != groups[2] == groups[3] != groups[4]


def test_each_sample_of_a_line_loads_and_one_that_is_gone_says_so() -> None:
    place = Place(offset=0, length=len(LINES[0]), member="1")
    store = MemoryStore.of("nested", {"a.jsonl": DATA})
    assert Baskets().load(store, SOURCE, place).messages[0].text == "y"
    assert Baskets().line_texts(LINES[0], SOURCE, place) == [("prompt", "y")]
    assert Baskets().line_texts(b'{"pears": 1}', SOURCE, place) == []
    with pytest.raises(Unreadable, match="the line has 1 samples"):
        Baskets().sample({"apples": ["x"]}, SOURCE, place)
