"""Starting and stopping the real command."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.server.client import Events, Server, eventually, serving
from tests.server.data import write_run

from rollscope.errors import UsageError
from rollscope.server.run import clean_base_path


@pytest.fixture
def run_path(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run-a", steps=1, samples=4)


def start(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rollscope", "view", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env={**os.environ, **environment}, check=False
    )


def test_port_0_picks_one_and_the_address_is_all_there_is_on_stdout(run_path: Path) -> None:
    with serving(run_path) as server:
        assert server.port > 0
        assert server.url == f"http://127.0.0.1:{server.port}/"
        assert server.get("/healthz").status == 200
        server.stop()
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""


def test_it_says_when_more_is_shown_than_was_given(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-a", steps=2, samples=4)
    with serving(next(run.rglob("*1.jsonl"))) as server:
        assert eventually(lambda: [line for line in server.said if "lies among 2 files with samples" in line])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_at_once_and_cleanly(run_path: Path, number: signal.Signals) -> None:
    with serving(run_path) as server, Events(server) as events:
        eventually(lambda: events.named("hello"))
        assert server.stop(number) == 0
        assert events.ended.wait(30), "streams end with the server"
        assert not [line for line in server.said if "Traceback" in line or "rror" in line], server.said


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see that the query runs")
def test_a_query_that_runs_does_not_keep_it_from_stopping(run_path: Path) -> None:
    endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
    with serving(run_path, flags=["--query-seconds", "600"]) as server:
        run = f"/api/runs/{server.run_id()}"
        server.json(f"{run}/sql", query="SELECT 1")
        asking = threading.Thread(target=ask_and_be_cut_off, args=(server, f"{run}/sql", endless))
        asking.start()
        before = cpu_seconds(server.process.pid)
        eventually(lambda: cpu_seconds(server.process.pid) > before + 0.5)
        assert server.stop() == 0
        asking.join()


def ask_and_be_cut_off(server: Server, path: str, query: str) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        server.get(path, query=query)


def cpu_seconds(pid: int) -> float:
    """Of the process and its children: a query that may need much memory runs in a process of its own."""
    children: list[str] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that ended meanwhile
            children += (task / "children").read_text().split()
    return sum(map(_own_seconds, {pid, *map(int, children)}))


def _own_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_taken_port_is_one_line(run_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = start(run_path, "--host", "127.0.0.1", "--port", port, "--no-browser")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"port {port} is taken" in done.stderr
    assert "--port" in done.stderr


@pytest.mark.parametrize(
    ("flags", "status", "said"),
    [
        (["--host", "203.0.113.7"], 1, "not an address of this machine"),
        (["--host", "no.such.host.invalid"], 1, "not an address of this machine"),
        (["--port", "65536"], 2, "65535"),
        (["--base-path", "/a b"], 2, "--base-path"),
        (["--base-path", "/../x"], 2, "--base-path"),
        (["--token", "x", "--no-auth"], 2, "exclude"),
        (["--token", " "], 2, "token"),
        (["--mask-str", "("], 2, "--mask-str"),
    ],
)
def test_what_cannot_be_served_is_one_line(run_path: Path, flags: list[str], status: int, said: str) -> None:
    done = start(run_path, "--port", "0", "--no-browser", *flags)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_a_path_without_runs_is_one_line(tmp_path: Path) -> None:
    done = start(tmp_path / "nothing", "--port", "0", "--no-browser")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_the_browser_is_opened_unless_there_is_none_or_it_is_not_wanted(run_path: Path, tmp_path: Path) -> None:
    """The browser is a script that notes what it was asked to open."""
    noted = tmp_path / "opened"
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" >> {noted}\n')
    script.chmod(0o755)
    command = [sys.executable, "-m", "rollscope", str(run_path), "--port", "0", "--host", "127.0.0.1"]

    def opened(*flags: str, **environment: str) -> str:
        clean = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        process = subprocess.Popen(
            [*command, *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**clean, **environment},
        )
        assert process.stdout is not None
        guard = threading.Timer(60, process.kill)
        guard.start()
        url = process.stdout.readline().strip()
        if "BROWSER" in environment and not flags:
            eventually(noted.exists)
        process.terminate()
        process.wait(60)
        process.stdout.close()
        guard.cancel()
        assert url
        return url

    url = opened(BROWSER=f"{script} %s")
    assert noted.read_text().strip() == url
    noted.unlink()
    opened("--no-browser", BROWSER=f"{script} %s")
    opened()
    assert not noted.exists()


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("", ""),
        ("/", ""),
        ("absproxy/8080", "/absproxy/8080"),
        ("/absproxy/8080/", "/absproxy/8080"),
        ("//a//b", "/a/b"),
    ],
)
def test_base_paths_are_brought_into_one_form(given: str, clean: str) -> None:
    assert clean_base_path(given) == clean


@pytest.mark.parametrize("given", ["/a?b", "/a#b", '/a"b', "/<x>", "/a/../b", "/%2e", "/a\nb"])
def test_base_paths_that_are_none(given: str) -> None:
    with pytest.raises(UsageError):
        clean_base_path(given)
