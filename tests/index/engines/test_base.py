"""A task names a function and carries bytes, so that it can run anywhere."""

from __future__ import annotations

import zlib

import msgspec
import pytest

from rollscope.index.engines.base import Task


def test_a_task_runs_where_it_is() -> None:
    assert Task("zlib:decompress", zlib.compress(b"hello")).run() == b"hello"


def test_a_task_can_be_sent() -> None:
    task = Task("zlib:compress", b"a" * 100)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(task), type=Task) == task


@pytest.mark.parametrize("function", ["unheard.module:name", "zlib:unheard"])
def test_a_function_that_is_not_there_is_an_error(function: str) -> None:
    with pytest.raises((ImportError, AttributeError)):
        Task(function, b"").run()
