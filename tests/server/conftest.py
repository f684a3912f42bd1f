"""One server on one small run for the tests that only ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.server.client import Server, serving
from tests.server.data import settled, write_run


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A loopback server on a run with 3 steps of 24 samples; nothing may change its files."""
    run = settled(write_run(tmp_path_factory.mktemp("served") / "run-a"))
    home = tmp_path_factory.mktemp("home")
    index = tmp_path_factory.mktemp("index")
    environment = {"XDG_DATA_HOME": str(home), "ROLLSCOPE_INDEX_DIR": str(index)}
    with serving(run, env=environment) as running:
        yield running


@pytest.fixture(scope="module")
def run(server: Server) -> str:
    """The path of its run's requests."""
    return f"/api/runs/{server.run_id()}"


@pytest.fixture(autouse=True)
def data_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts that a test saves are not the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
