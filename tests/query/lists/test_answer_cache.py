"""Answers that did not change are not made again, and one that is being made is not made twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from rollscope.query.lists.answer_cache import AnswerCache


def cache_of(max_bytes: int = 1_000) -> AnswerCache[str]:
    return AnswerCache(len, max_bytes)


def counted(answer: str) -> tuple[list[str], Callable[[], str]]:
    made: list[str] = []

    def make() -> str:
        made.append(answer)
        return answer

    return made, make


def test_the_same_question_about_the_same_state_is_answered_once() -> None:
    cache = cache_of()
    made, make = counted("answer")
    assert [cache.ask("question", lambda: 1, make)[0] for _ in range(3)] == ["answer"] * 3
    assert len(made) == 1
    cache.ask("another question", lambda: 1, make)
    cache.ask("question", lambda: 2, make)
    assert len(made) == 3


def test_without_a_state_every_question_is_answered_anew() -> None:
    cache = cache_of()
    made, make = counted("answer")
    assert [cache.ask("question", lambda: None, make) for _ in range(2)] == [("answer", None)] * 2
    assert len(made) == 2
    assert len(cache.kept) == 0


def test_an_answer_made_while_the_state_changed_is_not_kept() -> None:
    cache = cache_of()
    states = iter([1, 2, 1])
    made, make = counted("answer")
    cache.ask("question", lambda: next(states), make)
    assert len(cache.kept) == 0
    cache.ask("question", lambda: 1, make)
    assert len(made) == 2


def test_what_failed_is_tried_again() -> None:
    cache = cache_of()

    def fail() -> str:
        raise ValueError("no such field")

    with pytest.raises(ValueError, match="no such field"):
        cache.ask("question", lambda: 1, fail)
    assert cache.ask("question", lambda: 1, lambda: "answer")[0] == "answer"


def test_equal_questions_at_once_wait_for_one_answer() -> None:
    cache = cache_of()
    asked, may_end = threading.Barrier(9), threading.Event()
    made: list[int] = []

    def look() -> int:
        return 1

    def make() -> str:
        made.append(1)
        assert may_end.wait(60)
        return "answer"

    def ask() -> str:
        asked.wait(60)
        return cache.ask("question", look, make)[0]

    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(ask) for _ in range(8)]
        asked.wait(60)
        may_end.set()
        assert {answer.result(60) for answer in answers} == {"answer"}
    assert len(made) == 1


def test_it_keeps_to_its_bytes_also_when_answers_grow() -> None:
    cache = cache_of(100)
    for number in range(20):
        _, key = cache.ask(number, lambda: 1, lambda: "x" * 10)
        assert key is not None
        cache.replace(key, "x" * 30)
    assert cache.kept.bytes <= 100
    assert len(cache.kept) == 3


def test_an_answer_of_an_older_state_makes_room_for_the_newer_one() -> None:
    """A step that grows has a state with each sample."""
    cache = cache_of()
    for state in range(50):
        _, key = cache.ask("question", lambda state=state: state, lambda: "answer")  # type: ignore[misc]
    assert (len(cache.kept), cache.kept.bytes) == (1, len("answer"))
    assert key is not None
    cache.replace(("question", 3), "an older answer")
    assert cache.ask("question", lambda: 49, lambda: "new")[0] == "answer"
