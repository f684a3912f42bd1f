"""What is odd in the form of an answer, and where that is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl

import rollscope
from rollscope.features.base import SampleTexts
from rollscope.features.form import form, oddities


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ("<think>six sevens</think>\\boxed{42}", []),
        ("<think>six sevens and so on", ["no_answer", "unclosed_think"]),
        ("<think> </think>\\boxed{42}", ["empty_think"]),
        ("<think>six sevens</think>", ["empty_answer", "no_answer"]),
        ("<think>six sevens</think>Solution:", ["empty_answer", "no_answer"]),
        ("\\boxed{42} or rather \\boxed{43}", ["several_answers"]),
        ("\\boxed{42}, so \\boxed{42}", []),
        ("It is \\boxed{42}. <think>six sevens</think>\\boxed{42}", ["answer_before_think"]),
        ("So it is \\boxed{ }, which is all there is to say.", ["empty_answer"]),
        ("It is shown above what it is. <answer>\n</answer>", ["empty_answer"]),
        ("Let us think step by step.", ["empty_answer", "no_answer"]),
        ("forty-two, I believe", ["no_answer"]),
        ("One opens it with `<think>`, so \\boxed{42}", []),
        ('The tag "<think>" goes with "</think>", so \\boxed{42}', []),
        ("Every answer has the <think> tag, so \\boxed{42}", []),
        ("It stands between <think> and </think>, so \\boxed{42}", []),
        ("<think>I must close `<think>` with `</think>` in the end</think>\\boxed{42}", []),
        ("<think>the result is `x`</think>`x`, so \\boxed{42}", []),
        ("<think>six sevens</think>It is\n<think> and so on", ["no_answer", "unclosed_think"]),
        ("Well. <think>six sevens and so on", ["no_answer", "unclosed_think"]),
    ],
)
def test_each_oddity_has_its_name(response: str, found: list[str]) -> None:
    assert form(SampleTexts("", response)) == found


def test_an_oddity_is_seen_where_it_is() -> None:
    response = "\\boxed{42} or rather \\boxed{43}"
    span = oddities(SampleTexts("", response))["several_answers"]
    assert (response[span.start : span.end], span.value) == ("42} or rather \\boxed{43", "2 answers")


def test_messages_that_say_nothing_are_an_empty_answer(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "What is 1 + 2?"}
    said = ("", "So it is \\boxed{3}", "")
    rows = [{"step": 0, "messages": [asked, {"role": "assistant", "content": text}], "reward": 0.5} for text in said]
    write_jsonl(tmp_path / "run" / "samples.jsonl", rows)
    found = rollscope.open(tmp_path / "run").samples(where='text.format contains "empty_answer"')
    assert [row.address for row in found] == ["train/0/0", "train/0/2"]
