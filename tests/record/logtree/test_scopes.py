"""logtree: one tree, two files; scopes follow tasks and threads; without a trace nothing happens."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.record.logtree.nodes import find, texts

from rollscope.record import logtree


def section(root: Any, title: str) -> Any:
    return next(item for item in find(root, "section") if texts(item["children"][0])[0] == title)


def test_the_tree_of_a_report() -> None:
    with logtree.init_trace("Report") as trace:
        logtree.log_text("top")
        with logtree.scope_header("Outer", class_="mine", data__kind="x"):
            with logtree.scope_header("Inner"):
                logtree.log_text("deep")
            with logtree.scope_details("Fold"):
                logtree.details("text", summary="More")
            with logtree.scope_div(class_="box"):
                logtree.header("Heading")
    tree = trace.to_dict()
    assert tree["title"] == "Report"
    assert tree["path"] is None
    root = tree["root"]
    outer = section(root, "Outer")
    assert outer["attrs"] == {"class": "mine", "data-kind": "x"}
    assert [node["tag"] for node in outer["children"]] == ["h2", "div"]
    assert section(root, "Inner")["children"][0]["tag"] == "h3"
    assert find(root, "div", "box")[0]["children"][0]["tag"] == "h3"
    assert texts(root) == ["top", "Outer", "Inner", "deep", "Fold", "More", "text", "Heading"]


def test_both_files_are_written(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    with logtree.init_trace("Report", path):
        logtree.log_text("hello <world>")
    tree = json.loads((tmp_path / "report_logtree.json").read_text())
    assert set(tree) == {"title", "started_at", "path", "root"}
    assert tree["path"] == str(path)
    assert texts(tree["root"]) == ["hello <world>"]
    assert "hello &lt;world&gt;" in path.read_text()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["report.html", "report_logtree.json"]


def test_an_exception_is_recorded_where_it_happened_and_both_files_written(tmp_path: Path) -> None:
    def fail() -> None:
        with (
            logtree.init_trace("Report", tmp_path / "r.html"),
            logtree.scope_header("Outer"),
            logtree.scope_header("Inner"),
        ):
            raise ValueError("the reason")

    with pytest.raises(ValueError, match="the reason"):
        fail()
    root = json.loads((tmp_path / "r_logtree.json").read_text())["root"]
    assert len(find(root, "details", "lt-exc")) == 1
    [exception] = find(section(root, "Inner"), "details", "lt-exc")
    assert texts(exception)[0] == "ValueError: the reason"
    assert "the reason" in (tmp_path / "r.html").read_text()


def test_an_exception_outside_any_scope_is_recorded_too(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="top"), logtree.init_trace("Report", tmp_path / "r.html"):
        raise ValueError("top")
    root = json.loads((tmp_path / "r_logtree.json").read_text())["root"]
    assert len(find(root, "details", "lt-exc")) == 1


def test_without_a_trace_every_call_does_nothing() -> None:
    logtree.log_text("x")
    logtree.log_html("<b>x</b>")
    logtree.details("x")
    logtree.header("x")
    logtree.table([{"a": 1}])
    logtree.table_from_dict({"a": 1})
    logtree.table_from_dict_of_lists({"a": [1]})
    logtree.log_conversation([{"role": "user", "content": "x"}])
    with logtree.scope_header("x"), logtree.scope_div(), logtree.scope_details("x"), logtree.scope_disable():
        logtree.log_text("x")
    assert logtree.flush_trace() is False


def test_a_disabled_scope_logs_nothing() -> None:
    with logtree.init_trace("Report") as trace:
        with logtree.scope_disable():
            logtree.log_text("hidden")
            with logtree.scope_header("hidden"):
                logtree.log_text("hidden")
        with logtree.optional_enable_logging(False):
            logtree.log_text("hidden")
        with logtree.optional_enable_logging(True):
            logtree.log_text("shown")
    assert texts(trace.to_dict()["root"]) == ["shown"]


def test_nested_traces_are_independent() -> None:
    with logtree.init_trace("Outer") as outer:
        logtree.log_text("a")
        with logtree.init_trace("Inner") as inner:
            logtree.log_text("b")
        logtree.log_text("c")
    assert texts(outer.to_dict()["root"]) == ["a", "c"]
    assert texts(inner.to_dict()["root"]) == ["b"]


def test_concurrent_tasks_never_interleave() -> None:
    async def rollout(number: int) -> None:
        with logtree.scope_header(f"Rollout {number}"):
            for turn in range(5):
                logtree.log_text(f"{number}:{turn}")
                await asyncio.sleep(0)

    async def main() -> None:
        with logtree.scope_header("Group"):
            await asyncio.gather(*(rollout(number) for number in range(8)))

    with logtree.init_trace("Report") as trace:
        asyncio.run(main())
    root = trace.to_dict()["root"]
    for number in range(8):
        assert texts(section(root, f"Rollout {number}"))[1:] == [f"{number}:{turn}" for turn in range(5)]


def test_threads_log_where_they_were_wrapped() -> None:
    def work(number: int) -> None:
        with logtree.scope_header(f"Thread {number}"):
            for turn in range(50):
                logtree.log_text(f"{number}:{turn}")

    with logtree.init_trace("Report") as trace, logtree.scope_header("Pool"):
        threads = [threading.Thread(target=logtree.propagate(work), args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(logtree.propagate(work), range(4, 8)))
        bare = threading.Thread(target=work, args=(99,))
        bare.start()
        bare.join()
    pool_section = section(trace.to_dict()["root"], "Pool")
    for number in range(8):
        assert texts(section(pool_section, f"Thread {number}"))[1:] == [f"{number}:{turn}" for turn in range(50)]
    assert "Thread 99" not in texts(pool_section)


def test_run_in_executor_and_to_thread() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        with logtree.scope_header("Executor"):
            await loop.run_in_executor(None, logtree.propagate(lambda: logtree.log_text("through the helper")))
            await asyncio.to_thread(logtree.log_text, "to_thread needs none")

    with logtree.init_trace("Report") as trace:
        asyncio.run(main())
    assert texts(section(trace.to_dict()["root"], "Executor"))[1:] == ["through the helper", "to_thread needs none"]


def test_decorated_functions_have_their_section() -> None:
    @logtree.scope_header_decorator
    def grade() -> int:
        logtree.log_text("graded")
        return 3

    @logtree.scope_header_decorator("Named")
    async def later() -> int:
        logtree.log_text("awaited")
        return 4

    with logtree.init_trace("Report") as trace:
        assert grade() == 3
        assert asyncio.run(later()) == 4
    root = trace.to_dict()["root"]
    assert texts(section(root, "grade")) == ["grade", "graded"]
    assert texts(section(root, "Named")) == ["Named", "awaited"]


def test_a_trace_can_be_written_while_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    with logtree.init_trace("Report", path):
        logtree.log_text("early")
        assert logtree.flush_trace() is True
        assert "early" in path.read_text()
        logtree.log_text("late")
    assert "late" in path.read_text()


def test_lone_surrogates_and_nan_leave_valid_files(tmp_path: Path) -> None:
    with logtree.init_trace("bad \ud800", tmp_path / "r.html"):
        logtree.log_text("x \udfff")
        logtree.log_conversation([{"role": "user", "content": "\ud800"}], reward=float("nan"))
    text = (tmp_path / "r_logtree.json").read_text("utf-8")
    json.loads(text, parse_constant=pytest.fail)
    assert "\\ud800" in (tmp_path / "r.html").read_text("utf-8")
