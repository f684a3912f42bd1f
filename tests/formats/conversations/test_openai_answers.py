"""Answers of OpenAI's interface in files that no format knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fixtures import write_jsonl

import rollscope
from rollscope.formats.conversations.openai_answers import answer_keys, choices_of
from rollscope.query.run import Run

ASKED = [{"role": "user", "content": "What is 17 + 25?"}]


def choice(text: str, place: int = 0, reason: str = "stop") -> dict[str, Any]:
    return {"index": place, "finish_reason": reason, "message": {"role": "assistant", "content": text}}


def opened(folder: Path, *records: dict[str, Any]) -> Run:
    write_jsonl(folder / "out.jsonl", records)
    return rollscope.open(folder)


def said(run: Run) -> list[str]:
    samples = [run.sample(row.address) for row in run.samples().rows]
    return ["".join(part.text for part in sample.messages[-1].parts) for sample in samples]


def test_an_answer_beside_its_messages(tmp_path: Path) -> None:
    run = opened(tmp_path, {"messages": ASKED, "choices": [choice("42", reason="length")], "score": 1})
    sample = run.sample("train/0/0")
    assert said(run) == ["42"]
    assert (sample.reward, sample.stop_reason, sample.status) == (1.0, "length", "truncated")


def test_the_line_of_a_batch(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    body = {"choices": [choice("42")], "usage": usage}
    run = opened(tmp_path, {"custom_id": "a", "body": {"messages": ASKED}, "response": {"body": body}})
    sample = run.sample("train/0/0")
    assert [message.role for message in sample.messages] == ["user", "assistant"]
    assert (sample.prompt_tokens, sample.completion_tokens) == (9, 2)


def test_each_choice_is_a_sample_with_its_own_score(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 7}
    choices = [choice("42"), choice("41", 1, "length")]
    run = opened(tmp_path, {"prompt": "17 + 25?", "choices": choices, "scores": [1.0, 0.0], "usage": usage})
    rows = run.samples().rows
    assert said(run) == ["42", "41"]
    assert [row.reward for row in rows] == [1.0, 0.0]
    assert [row.stop_reason for row in rows] == ["stop", "length"]
    assert len({row.group for row in rows}) == 1
    # Seven tokens were counted over both.
    assert [(row.prompt_tokens, row.completion_tokens) for row in rows] == [(9, None), (9, None)]


def test_the_choices_of_a_question_are_no_answers() -> None:
    question = {"question": "Which?", "choices": [{"text": "a", "label": "A"}, {"text": "b", "label": "B"}]}
    assert choices_of(question) is None
    assert answer_keys([question, {"choices": ["a", "b"]}, {"choices": []}, {"response": "B"}]) == {}
