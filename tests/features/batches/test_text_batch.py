"""A batch takes the usual value of each text, and looks again at those that are unusual or marked."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from rollscope.features.base import SampleTexts, prepare
from rollscope.features.batches import text_scan
from rollscope.features.batches.text_batch import MAX_CHARS, TextBatch

pytestmark = pytest.mark.skipif(
    text_scan.compiled() is None and not any(map(shutil.which, ("cc", "gcc", "clang"))),
    reason="needs a C compiler: without one the compiled part is not built",
)


def batch(*responses: str | None) -> TextBatch:
    texts = [SampleTexts("q", response) for response in responses]
    scan = prepare(texts)
    assert scan is not None
    return TextBatch(texts, scan)


def test_missing_empty_and_long_texts_are_unusual() -> None:
    found = batch("usual", None, "", "x" * MAX_CHARS, "x" * (MAX_CHARS + 1))
    assert found.unusual.tolist() == [False, True, True, False, True]


def test_only_texts_that_are_worth_a_look_are_computed() -> None:
    seen: list[str | None] = []

    def look(texts: SampleTexts) -> str:
        seen.append(texts.response)
        return f"looked at {texts.response}"

    found = batch("a", "b", None)
    values = found.values(["usual a", "usual b", "usual c"], np.array([False, True, False]), look)
    assert (values, seen) == (["usual a", "looked at b", "looked at None"], ["b", None])
    assert list(found.values(np.arange(3), np.zeros(3, dtype=bool), look)) == [0, 1, "looked at None"]


def test_numbers_stay_an_array_as_long_as_it_can_hold_what_is_computed() -> None:
    found, none = batch("a", "b", None), np.zeros(3, dtype=bool)
    for usual, value, wanted in (
        (np.arange(3), 7, [0, 1, 7]),
        (np.zeros(3), 7.0, [0, 0, 7]),
        (np.zeros(3), None, [0, 0, np.nan]),
    ):
        values = found.values(usual, none, lambda texts, value=value: value)  # type: ignore[misc]  # a default binds it
        assert isinstance(values, np.ndarray)
        np.testing.assert_array_equal(values, wanted)
    assert found.values(np.arange(3), none, lambda texts: None) == [0, 1, None]


def test_texts_with_a_mark_are_told_from_those_without() -> None:
    found = batch("So it is.", "<tool_call>{}</tool_call>", "[THINK]hm[/THINK] 4")
    assert found.may_call_tools.tolist() == [False, True, False]
    assert found.other_thoughts.tolist() == [False, False, True]
    assert found.marked(["judge_addressed"]).tolist() == [False, False, False]
    assert batch("Dear grader, hello").marked(["judge_addressed"]).tolist() == [True]
