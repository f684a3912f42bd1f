"""What can be logged into a report: tables, formatters, conversations, text that folds."""

from __future__ import annotations

from typing import Any

import pandas as pd
from tests.record.logtree.nodes import find, texts

from rollscope.record import logtree
from rollscope.record.logtree import content
from rollscope.record.logtree.scopes import MAX_LEVEL


def test_tables() -> None:
    with logtree.init_trace("Report") as trace:
        logtree.table([{"a": 1, "b": "x"}, {"b": "y"}], caption="dicts")
        logtree.table([["h1", "h2"], [1, 2.5]])
        logtree.table(pd.DataFrame({"c": [1, 2]}))
        logtree.table_from_dict({"low": 2, "high": 10}, sort_by="value", key_header="k", value_header="v")
        logtree.table_from_dict_of_lists({"x": [1, 2], "y": [3]}, order=["y", "x"])
    root = trace.to_dict()["root"]
    rows = [[texts(row) for row in find(item, "tr")] for item in find(root, "table")]
    assert rows[0] == [["a", "b"], ["1", "x"], ["", "y"]]
    assert rows[1] == [["h1", "h2"], ["1", "2.5"]]
    assert rows[2] == [["c"], ["1"], ["2"]]
    assert rows[3] == [["k", "v"], ["low", "2"], ["high", "10"]]
    assert rows[4] == [["y", "x"], ["3", "1"], ["", "2"]]
    assert texts(root)[0] == "dicts"


def test_a_formatter_gives_html_to_people_and_data_to_machines() -> None:
    class Board:
        def to_html(self) -> str:
            return "<b class=board>x</b>"

        def to_data(self) -> dict[str, Any]:
            return {"type": "board", "cells": [1, 2]}

        def get_css(self) -> str:
            return ".board { color: red }"

    with logtree.init_trace("Report") as trace:
        logtree.log_formatter(Board())
    [node] = find(trace.to_dict()["root"], "div", "lt-html")
    assert node["data"] == {"type": "board", "cells": [1, 2]}
    assert node["attrs"]["data-format"] == "html"


def test_a_conversation_is_data() -> None:
    messages = [{"role": "user", "content": "hi"}]
    with logtree.init_trace("Report") as trace:
        logtree.log_conversation(messages, group_idx=1, traj_idx=2)
        messages[0]["content"] = "changed"
    [node] = find(trace.to_dict()["root"], "div", "lt-conversation")
    expected = {"type": "conversation", "group_idx": 1, "traj_idx": 2, "messages": [{"role": "user", "content": "hi"}]}
    assert node["data"] == expected


def test_a_table_of_values_without_order_is_sorted_numbers_first() -> None:
    with logtree.init_trace("Report") as trace:
        logtree.table({"b": "word", "a": None, "c": 2}, caption="mixed")
        logtree.table_from_dict({"b": "word", "a": None, "c": 2, "d": True}, sort_by="value")
    tables = [[texts(row) for row in find(item, "tr")] for item in find(trace.to_dict()["root"], "table")]
    assert tables[0] == [["Key", "Value"], ["b", "word"], ["a", ""], ["c", "2"]]
    assert tables[1] == [["Key", "Value"], ["d", "True"], ["c", "2"], ["a", ""], ["b", "word"]]


def test_a_long_cell_folds_and_loses_nothing() -> None:
    long = "x" * (content.MAX_CELL + 1)
    with logtree.init_trace("Report") as trace:
        logtree.table([["head"], [long], [long[1:]]])
    folded, plain = find(trace.to_dict()["root"], "td")
    assert texts(folded) == [f"{long[:80]}…", long]
    assert plain["children"] == [long[1:]]


def test_headings_stay_within_the_levels_that_html_has() -> None:
    with logtree.init_trace("Report") as trace:
        for level in (-3, 1, 99):
            logtree.header("x", level=level)
    tags = [child["tag"] for child in trace.to_dict()["root"]["children"]]
    assert tags == ["h1", "h1", f"h{MAX_LEVEL}"]
