"""Odd forms of answers: each is a filter, and runs that never mark their answers are not blamed for it."""

from __future__ import annotations

from tests.query.insights.findings.splits import split_data

from rollscope.features.base import SampleTexts
from rollscope.query.insights.findings.detectors.answer_form import forms
from rollscope.query.insights.findings.model import SplitData

STEPS = [step for step in range(10) for _ in range(10)]


def data(forms_of_row: list[list[str]], answers: list[str | None] | None = None) -> SplitData:
    return split_data(STEPS, text__format=forms_of_row, text__answer=answers or ["4"] * len(STEPS))


def test_each_form_is_found_with_the_rows_that_have_it() -> None:
    rows = [["unclosed_think"] if place >= 50 else [] for place in range(100)]
    rows[99] = ["empty_think", "unclosed_think"]
    found = {item.where: item for item in forms(data(rows))}
    assert set(found) == {'text.format contains "unclosed_think"', 'text.format contains "empty_think"'}
    item = found['text.format contains "unclosed_think"']
    assert (int(item.mask.sum()), item.kind, item.rise) == (50, "format", 0.0)
    assert item.spans is not None
    assert [texts.value for texts in item.spans(SampleTexts("q", "<think>so"))] != []


def test_a_form_that_may_be_natural_must_rise() -> None:
    (item,) = forms(data([["several_answers"] if place >= 50 else [] for place in range(100)]))
    assert item.rise > 0


def test_a_run_that_marks_no_answers_is_asked_for_those_that_are_not_stated_either() -> None:
    unmarked = [["no_answer"]] * 100
    (item,) = forms(data(unmarked, ["4"] * 90 + [None] * 10))
    assert item.where == 'text.format contains "no_answer" and text.answer is missing'
    assert item.mask.nonzero()[0].tolist() == list(range(90, 100))
    assert list(forms(data(unmarked, [None] * 100))) == [], "it states none either, from the first steps on"


def test_a_form_that_most_answers_have_from_the_start_is_how_the_run_is_set_up() -> None:
    (always,) = forms(data([["empty_think"]] * 100))
    (later,) = forms(data([["empty_think"] if place >= 50 else [] for place in range(100)]))
    assert (always.at_most, later.at_most) == ("low", "high")
