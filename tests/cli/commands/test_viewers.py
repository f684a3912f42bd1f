"""`view`, `tui`, `demo`: the command line hands over and comes back clean."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, Cli

LOCAL = ["--host", "127.0.0.1", "--port", "0", "--no-browser"]


@contextmanager
def serving(*words: object, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A viewer that has printed its address; ended at the end."""
    process = subprocess.Popen(
        list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, env=os.environ
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, process.communicate()[1]
        yield process, url
    finally:
        process.kill()
        process.communicate()


def get(url: str) -> str:
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([*COMMAND, "view"], id="rollscope view PATH"),
        pytest.param(COMMAND, id="rollscope PATH"),
        pytest.param([sys.executable, "-m", "rollscope.visualize"], id="python -m rollscope.visualize PATH"),
    ],
)
def test_the_address_is_printed_and_serves_the_run_until_a_signal(
    command: list[str], run_path: Path, tmp_path: Path
) -> None:
    with serving(*command, run_path, *LOCAL, cwd=tmp_path) as (process, url):
        assert '"run-a"' in get(f"{url}api/runs")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_settings_reach_the_server(run_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSCOPE_BASE_PATH", "/absproxy/8080")
    with serving(*COMMAND, run_path, *LOCAL, cwd=tmp_path) as (_, url):
        assert "/absproxy/8080/" in url
        assert '"run-a"' in get(f"{url}api/runs")


def test_the_terminal_viewer_needs_a_terminal(cli: Cli, run_path: Path) -> None:
    for words in (["tui", run_path], ["view", run_path, "--tui"], [run_path, "--tui"]):
        assert "terminal" in cli(*words, status=2).err


def test_demo_writes_a_run_that_opens_and_has_nothing_wrong(cli: Cli, tmp_path: Path) -> None:
    assert f"`rollscope {tmp_path / 'demo'}` opens it" in cli("demo", tmp_path / "demo", "--no-serve").err
    (run,) = cli("ls", tmp_path / "demo", "--json").json
    assert run["format"] == "rollscope"
    splits = {split["split"]: split for split in run["splits"]}
    assert splits["train"]["steps"] == 40
    assert splits["train"]["discarded"] > 0
    assert len(splits) == 4, "train and three evals"
    assert cli("doctor", tmp_path / "demo").out.endswith("nothing wrong\n")


def test_demo_written_twice_is_the_same_run(cli: Cli, tmp_path: Path) -> None:
    cli("demo", tmp_path / "demo", "--no-serve")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "demo").iterdir()}
    assert "already" in cli("demo", tmp_path / "demo", "--no-serve").err
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "demo").iterdir()} == before

    # In a clone no shell finds `rollscope`: what is printed can be typed there, too.
    command = str(Path(sys.executable).with_name("rollscope"))
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(
        [command, "demo", tmp_path / "demo", "--no-serve"], env=environment, capture_output=True, check=True
    )
    assert f"`{command} {tmp_path / 'demo'}` opens it" in done.stderr.decode()


def test_demo_leaves_a_folder_with_other_things_alone(cli: Cli, run_path: Path) -> None:
    before = sorted(run_path.rglob("*"))
    assert "not empty" in cli("demo", run_path, "--no-serve", status=2).err
    assert sorted(run_path.rglob("*")) == before


def test_demo_opens_what_it_wrote(tmp_path: Path) -> None:
    with serving(*COMMAND, "demo", *LOCAL, cwd=tmp_path) as (_, url):
        assert "rollscope-demo" in get(f"{url}api/runs")
    assert (tmp_path / "rollscope-demo" / "metrics.jsonl").exists()
