"""Answers of Anthropic's interface in files that no format knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.conversations.test_openai_answers import ASKED, opened, said

from rollscope.formats.conversations.messages_api import bare, is_answer


def test_a_message_of_a_chat_is_no_answer_of_the_interface() -> None:
    message = {"role": "assistant", "content": "42"}
    assert not is_answer(message)
    assert not is_answer([message])
    assert is_answer({**message, "type": "message", "stop_reason": None})
    assert bare({**message, "id": "m", "usage": {}}) == message


def test_an_answer_of_anthropic_s_is_a_message_with_what_the_request_told_before_it(tmp_path: Path) -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "42"}]
    answer: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": content}
    answer |= {"stop_reason": "max_tokens", "usage": {"input_tokens": 9, "output_tokens": 2}}
    request: dict[str, Any] = {"system": [{"type": "text", "text": "Be brief."}], "messages": ASKED}
    run = opened(tmp_path, {"request": request, "response": answer, "reward": 1.0})
    sample = run.sample("train/0/0")
    assert [(message.role, message.text) for message in sample.messages[:2]] == [
        ("system", "Be brief."),
        ("user", ASKED[0]["content"]),
    ]
    assert [(part.type, part.text) for part in sample.messages[2].parts] == [("thinking", "hm"), ("text", "42")]
    assert (sample.prompt_tokens, sample.completion_tokens) == (9, 2)
    assert (sample.stop_reason, sample.status) == ("max_tokens", "truncated")
    assert [hit.field for hit in run.search('"max_tokens"')] == []


def test_the_line_of_anthropic_s_batch(tmp_path: Path) -> None:
    message = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "42"}], "stop_reason": None}
    run = opened(tmp_path, {"custom_id": "a", "result": {"type": "succeeded", "message": message}})
    assert said(run) == ["42"]
