"""A trace as files: valid whatever was logged, and whole or not there."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from rollscope.record.logtree.export import html_bytes, json_bytes, write_html, write_trace_json
from rollscope.record.logtree.tree import Node, Trace


def trace(**data: object) -> Trace:
    found = Trace("A <title>", path=None)
    found.root.add(Node("p", {}, ["text \ud83d & more"], data={"type": "facts", **data}))
    return found


def test_json_is_valid_whatever_was_logged() -> None:
    for text in ("whole", "\ud83d"):
        found = json.loads(json_bytes(trace(loss=math.nan, path=Path("a/b"), text=text)))
        (node,) = found["root"]["children"]
        assert node["data"]["loss"] is None
        assert node["data"]["path"] == "a/b"


def test_html_holds_text_that_utf_8_does_not() -> None:
    page = html_bytes(trace()).decode()
    assert "&lt;title&gt;" in page
    assert "<title>A <title>" not in page
    assert "&amp; more" in page


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_html(trace(), tmp_path / "a.html")
    write_trace_json(trace(), tmp_path / "a.json")
    assert (tmp_path / "a.html").read_bytes() == html_bytes(trace())
    assert json.loads((tmp_path / "a.json").read_bytes())
    with pytest.raises(OSError, match="none"):
        write_html(trace(), tmp_path / "none" / "a.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json"]


def test_a_trace_without_a_path_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="say where its JSON should go"):
        write_trace_json(trace())
