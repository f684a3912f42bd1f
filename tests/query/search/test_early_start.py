"""Workers start ahead of a large search, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs import write_relax

from rollscope.index.engines import engine_by_name
from rollscope.index.engines.base import Task
from rollscope.index.engines.local import LocalEngine
from rollscope.query.search import early_start


@pytest.fixture
def engine() -> LocalEngine:
    engine = engine_by_name("local")
    assert isinstance(engine, LocalEngine)
    engine.close()
    return engine


def test_a_small_run_starts_nobody(tmp_path: Path, engine: LocalEngine) -> None:
    early_start.expect_work([str(write_relax(tmp_path)), "/nowhere", "s3://bucket"], "local", module="zlib")
    assert engine._workers == []


def test_a_large_run_starts_every_worker_and_they_are_the_ones_that_work(
    tmp_path: Path, engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_start, "WORTH_BYTES", 1000)
    early_start.expect_work([str(write_relax(tmp_path))], "local", module="zlib")
    started = list(engine._workers)
    assert len(started) == engine.count
    assert engine.submit(Task("zlib:compress", b"x")).result()
    assert engine._workers == started
    engine.close()
