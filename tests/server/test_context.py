"""What every request finds: its run, and the parts that live as long as the server."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs import settle, write_relax

from rollscope.errors import NotFoundError
from rollscope.query.library import Library
from rollscope.query.samples.cache import SampleCache
from rollscope.server.app import Application
from rollscope.server.context import ApiCall, Context
from rollscope.server.options import ServerOptions


@pytest.fixture
def context(tmp_path: Path) -> Context:
    library = Library([settle(write_relax(tmp_path / "run"))], index_dir=str(tmp_path / "index"))
    return Application(library, SampleCache(), ServerOptions()).context


def test_a_call_is_about_the_run_of_its_path(context: Context) -> None:
    (run,) = context.library.runs()
    assert ApiCall(context, {"run": run.id}).run is run
    with pytest.raises(NotFoundError):
        _ = ApiCall(context, {"run": "unheard"}).run


def test_searches_do_not_hold_up_answers(context: Context) -> None:
    assert context.answers is not context.searches
    for pool, name in ((context.answers, "answer"), (context.searches, "search")):
        import threading

        assert pool.submit(lambda: threading.current_thread().name).result(30).startswith(name)
