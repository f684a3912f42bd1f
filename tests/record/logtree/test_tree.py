"""The tree behind a report."""

from __future__ import annotations

from pathlib import Path

from rollscope.record.logtree.tree import Trace, attributes, json_path, node, raw_node


def test_python_names_become_those_of_html() -> None:
    given = {"class_": "mine", "data__group": 3, "for_": "x", "title": None}
    assert attributes(given, "usual") == {"class": "mine", "data-group": "3", "for": "x"}
    assert attributes({}, "usual") == {"class": "usual"}
    assert attributes({}) == {}


def test_a_tree_is_plain_dicts_and_says_where_its_html_is_raw() -> None:
    trace = Trace("Report", Path("folder/step.html"))
    trace.root.add(node("p", "a < b", css="lt-p"))
    trace.root.add(raw_node("<b>x</b>", "lt-html", {"type": "board"}))
    tree = trace.to_dict()
    assert tree["path"] == str(Path("folder/step.html").absolute())
    assert tree["root"]["children"] == [
        {"tag": "p", "attrs": {"class": "lt-p"}, "children": ["a < b"]},
        {
            "tag": "div",
            "attrs": {"class": "lt-html", "data-format": "html"},
            "children": ["<b>x</b>"],
            "data": {"type": "board"},
        },
    ]


def test_the_json_of_a_report_lies_beside_its_html() -> None:
    assert Trace("Report", Path("a/train_iteration_000010.html")).json_path == Path(
        "a/train_iteration_000010_logtree.json"
    )
    assert Trace("Report").json_path is None
    assert json_path(Path("step.1.html")) == Path("step.1_logtree.json")
