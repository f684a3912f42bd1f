"""Spans of a trace: who asked and answered, whichever of the usual shapes a call's inputs and outputs have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollscope.formats.mlflow.spans import MlflowSpan, TraceTexts, plain, read_spans


def span(inputs: Any, outputs: Any, *, kind: str = "LLM", parent: str | None = None) -> MlflowSpan:
    attributes = {"mlflow.spanInputs": json.dumps(inputs), "mlflow.spanOutputs": json.dumps(outputs)}
    return parent, kind, {"attributes": attributes}


def texts(found: TraceTexts) -> list[tuple[str, str, int | None]]:
    return [(message.role, message.text, message.turn) for message in found.messages]


ASKED = {"messages": [{"role": "user", "content": "2 + 2?"}]}
ONE_TURN = [("user", "2 + 2?", None), ("assistant", "4", 0)]


@pytest.mark.parametrize(
    ("inputs", "outputs", "stop"),
    [
        (
            ASKED,
            {
                "id": "msg_1",
                "type": "message",
                "model": "m",
                "role": "assistant",
                "usage": {"output_tokens": 1},
                "content": [{"type": "text", "text": "4"}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
            },
            "end_turn",
        ),
        (ASKED, {"choices": [{"message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}]}, "stop"),
        (ASKED, {"choices": [{"text": "4", "finish_reason": "length"}]}, "length"),
        (ASKED, "4", None),
        ({"input": "2 + 2?"}, {"output": [{"type": "message", "role": "assistant", "content": "4"}]}, None),
        ("2 + 2?", "4", None),
    ],
)
def test_a_call_of_a_model_is_its_question_and_answer(inputs: Any, outputs: Any, stop: str | None) -> None:
    found = read_spans([span(inputs, outputs)])
    assert (texts(found), found.stop_reason) == (ONE_TURN, stop)


def test_of_several_calls_the_last_has_the_whole_conversation() -> None:
    longer = {
        "messages": [*ASKED["messages"], {"role": "assistant", "content": "4"}, {"role": "user", "content": "Sure?"}]
    }
    found = read_spans([span(None, None, kind="AGENT"), span(ASKED, "4", parent="a"), span(longer, "Yes", parent="a")])
    assert [text for _, text, _ in texts(found)] == ["2 + 2?", "4", "Sure?", "Yes"]
    assert next(turn for _, _, turn in texts(found)) is None


def test_instructions_are_the_system_s_words() -> None:
    inputs = {"instructions": "Be brief.", "input": "2 + 2?"}
    found = read_spans([span(inputs, {"output": [{"type": "message", "role": "assistant", "content": "4"}]})])
    assert texts(found)[0][:2] == ("system", "Be brief.")


def test_verl_s_loop_has_tokens_and_its_own_text() -> None:
    outputs = {
        "prompt_ids": [1, 2, 3],
        "response_ids": [4, 5],
        "response_mask": [1, 0],
        "response_logprobs": [-0.5],
        "reward_score": 0.5,
        "prompt_text": "2 + 2?",
        "response_text": "4",
    }
    found = read_spans([span({}, outputs, kind="UNKNOWN", parent="a")])
    assert [message.text for message in found.messages] == ["2 + 2?", "4"]
    assert (found.reward, found.prompt_tokens, found.completion_tokens, found.notes) == (0.5, 3, 1, [])
    assert found.tokens is not None
    assert (found.tokens.ids, found.tokens.mask, found.tokens.logprobs) == ([4, 5], [1, 0], []), (
        "one log-probability only"
    )


def test_a_loop_around_calls_of_a_model_is_judged_and_counted_and_the_calls_say_what_was_said() -> None:
    result = {"prompt_ids": [1, 2], "response_ids": [4, 5], "reward_score": 0.5}
    found = read_spans([span({}, result, kind="UNKNOWN"), span(ASKED, "4", parent="a")])
    assert (texts(found), found.reward, found.completion_tokens, found.notes) == (ONE_TURN, 0.5, 2, [])


def test_an_answer_of_tokens_only_is_said_to_be_one() -> None:
    found = read_spans([span({"kwargs": {"raw_prompt": ASKED["messages"]}}, {"response_ids": [4]}, kind="UNKNOWN")])
    assert [message.text for message in found.messages] == ["2 + 2?"]
    assert "rollout.trace.token2text" in found.notes[0]


def test_a_trace_without_spans_says_nothing() -> None:
    assert read_spans([]) == TraceTexts()
    assert (plain(None), plain("a"), plain({"a": 1})) == ("", "a", '{"a": 1}')
