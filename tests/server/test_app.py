"""The assembled application: its guard in front of everything, and an end that leaves no thread."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.runs import settle, write_relax
from tests.server.asgi import ask

from rollscope.query.library import Library
from rollscope.query.samples.cache import SampleCache
from rollscope.server.app import Application
from rollscope.server.options import ServerOptions


def application(tmp_path: Path, **options: str) -> Application:
    library = Library([settle(write_relax(tmp_path / "run"))], index_dir=str(tmp_path / "index"))
    return Application(library, SampleCache(), ServerOptions(host="127.0.0.1", watching="polling", **options))  # type: ignore[arg-type]


def test_the_guard_stands_before_requests_and_pages(tmp_path: Path) -> None:
    app = application(tmp_path, token="secret").guarded(8080)
    assert [ask(app, path, host="127.0.0.1:8080").status for path in ("/api/runs", "/", "/healthz")] == [401, 401, 200]
    assert ask(app, "/api/runs", host="127.0.0.1:8080", authorization="Bearer secret").status == 200
    assert ask(application(tmp_path).guarded(8080), "/api/runs", host="evil.example").status == 421


def test_a_server_that_is_well_says_so_and_is_never_cached(tmp_path: Path) -> None:
    answer = ask(application(tmp_path).guarded(8080), "/healthz", host="127.0.0.1:8080")
    assert (answer.status, answer.body, answer.headers["cache-control"]) == (200, b"ok\n", "no-store")


def test_two_starts_are_told_apart(tmp_path: Path) -> None:
    assert application(tmp_path).context.instance != application(tmp_path).context.instance


def test_after_its_end_no_thread_is_left(tmp_path: Path) -> None:
    made = application(tmp_path)

    async def live() -> None:
        made.start()
        await asyncio.get_running_loop().run_in_executor(made.context.answers, lambda: None)
        await made.stop()

    asyncio.run(live())
    assert made.context.stopping.is_set()
    assert made.is_idle(within=30)
    with pytest.raises(RuntimeError):
        made.context.answers.submit(print)


def test_a_thread_that_still_works_is_not_idle(tmp_path: Path) -> None:
    import threading

    made = application(tmp_path)
    release = threading.Event()
    made.context.searches.submit(release.wait, 60)
    assert not made.is_idle(within=0.05)
    release.set()
    made.context.searches.shutdown()
    assert made.is_idle(within=30)
