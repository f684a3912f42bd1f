"""The ends of a process, as far as they can be tried inside one; the rest is in `tests/crash`."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from rollscope.record import lifecycle
from rollscope.record.output.problems import RecordError


class Told:
    def __init__(self, error: RecordError | None = None) -> None:
        self.calls: list[str] = []
        self.error = error

    def flush(self) -> bool:
        self.calls.append("flush")
        return True

    def close(self) -> None:
        self.calls.append("close")
        lifecycle.unwatch(self)
        if self.error is not None:
            raise self.error

    def after_fork(self) -> None:
        self.calls.append("after_fork")


@pytest.fixture(autouse=True)
def _own_hooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(lifecycle, "_live", {})
    monkeypatch.setattr(lifecycle, "_previous_sigterm", None)
    yield
    signal.signal(signal.SIGTERM, before)


def test_every_run_is_closed_though_a_strict_one_raises(capsys: pytest.CaptureFixture[str]) -> None:
    strict, other, done = Told(RecordError("The disk is full.")), Told(), Told()
    for run in (strict, other, done):
        lifecycle.watch(run, sigterm=False)
    lifecycle.unwatch(done)
    lifecycle.close_all()
    assert (strict.calls, other.calls, done.calls) == (["close"], ["close"], [])
    assert capsys.readouterr().err == "rollscope: The disk is full.\n"


def test_a_program_s_own_handler_comes_after_what_was_accepted_is_written() -> None:
    run = Told()
    signal.signal(signal.SIGTERM, lambda *_: run.calls.append("handler"))
    lifecycle.watch(run, sigterm=True)
    lifecycle.watch(run, sigterm=True)  # once is enough: its own handler must not be called by itself
    signal.raise_signal(signal.SIGTERM)
    assert run.calls == ["flush", "handler"]


def test_a_run_that_does_not_ask_for_it_leaves_the_handler_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    lifecycle.watch(Told(), sigterm=False)
    assert signal.getsignal(signal.SIGTERM) is before
