"""What a training loop or a shell pays for an import: looked up in a fresh interpreter, where nothing hides."""

from __future__ import annotations

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


def test_the_check_sees_a_heavy_import() -> None:
    assert "pyarrow" in loaded_after("import pyarrow")
