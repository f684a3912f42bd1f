"""What a training loop or a shell pays for an import: looked up in a fresh interpreter, where nothing hides."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl

HEAVY = ("duckdb", "pyarrow", "numpy", "textual", "starlette", "uvicorn", "watchfiles", "pandas", "polars", "torch")


def loaded_after(statement: str) -> set[str]:
    """Top-level modules in memory after ``statement``."""
    code = f"{statement}; import sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["rollscope", "rollscope.record", "rollscope.model", "rollscope.render"])
def test_importing_it_loads_none_of_the_heavy_parts(module: str) -> None:
    assert loaded_after(f"import {module}").isdisjoint(HEAVY)


def test_the_help_needs_nothing_but_the_standard_library() -> None:
    statement = "from rollscope.cli.main import run; run(['--help']); run(['samples', '--help'])"
    assert loaded_after(statement).isdisjoint({*HEAVY, "msgspec", "argparse", "asyncio"})


def test_opening_a_run_loads_neither_a_server_nor_a_terminal_viewer() -> None:
    web_and_terminal = {"textual", "starlette", "uvicorn", "watchfiles"}
    assert loaded_after("import rollscope.query.library").isdisjoint(web_and_terminal)


@pytest.mark.parametrize("command", ["ls", "samples", "metrics", "doctor"])
def test_no_command_loads_pandas_though_pyarrow_would(command: str, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "response": "r", "reward": 1.0}])
    statement = f"from rollscope.cli.main import run; run([{command!r}, {str(tmp_path)!r}])"
    assert loaded_after(statement).isdisjoint({"pandas", "polars", "textual", "starlette", "uvicorn"})


@pytest.mark.parametrize("words", [["ls"], ["steps"], ["samples", "--step", "0"], ["show", "train/0/0"]])
def test_a_short_command_loads_nothing_that_its_question_does_not_need(words: list[str], tmp_path: Path) -> None:
    record = {"rollout_id": 0, "sample_index": 0, "prompt": "p", "response": "r", "reward": 1.0, "group_index": 0}
    write_jsonl(
        tmp_path / "train" / "0.jsonl", [{**record, "response_length": 1, "total_length": 2, "status": "completed"}]
    )
    for path in (tmp_path / "train" / "0.jsonl", tmp_path / "train", tmp_path):
        os.utime(path, (1e9, 1e9))  # what was just written is looked at again
    asked = [words[0], str(tmp_path), *words[1:]]
    statement = f"from rollscope.cli.main import run; assert run({asked!r}) == 0"
    loaded_after(statement)  # the first time, every format is asked whether the run is its own
    needless = {"duckdb", "re2", "zstandard", "zipfile", "difflib", "html", "getpass", "hashlib", "logging"}
    assert loaded_after(statement) & needless == set()


def test_every_name_of_render_is_in_the_module_that_it_is_taken_from() -> None:
    import rollscope.render

    for name in rollscope.render.__all__:
        assert getattr(rollscope.render, name) is not None
    assert set(rollscope.render.__all__) == set(rollscope.render._HOMES)
    with pytest.raises(AttributeError, match="'split'"):
        rollscope.render.split  # noqa: B018


def test_an_index_is_opened_without_the_patterns_of_chat_templates() -> None:
    code = "import rollscope.index.index, rollscope.formats.lines.flat, sys; print('rollscope.render.templates' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_worker_that_searches_loads_neither_numpy_nor_pyarrow(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "response": "the word", "reward": 1.0}])
    code = f"""
import sys
from rollscope.formats.base import Source
from rollscope.index.rows.row_texts import FileRows
from rollscope.query.search.scan import Pattern, TextTask, decode_hits, engine_task
size = {(tmp_path / "0.jsonl").stat().st_size}
rows = FileRows(Source(path="0.jsonl"), [0], [size], [], ["train"], [0], [None])
task = TextTask("rollscope.formats.relax:RelaxFormat", {os.fsencode(tmp_path)!r}, Pattern("word"), [], [rows])
assert [hit.field for hit in decode_hits(engine_task(task).run())] == ["response"]
print(*{{"numpy", "pyarrow", "duckdb", "logging"}} & sys.modules.keys())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_check_sees_a_heavy_import() -> None:
    assert "pyarrow" in loaded_after("import pyarrow")
