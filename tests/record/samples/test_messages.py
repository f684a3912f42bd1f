"""Messages in the shapes that training loops have become messages with parts; no text is changed or lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rollscope.model import Message, Part
from rollscope.record.samples.messages import conversation, message, number_turns, split_at_first_response


def parts(value: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [(part.type, part.content, part.name) for part in message(value, pytest.fail).parts]


def test_plain_text_is_one_part() -> None:
    assert parts({"role": "user", "content": "hi"}) == [("text", "hi", None)]


@pytest.mark.parametrize("value", [42, 0.5, [17, 4, 99], [[17], [4]], np.array([17, 4]), np.array(3), object()])
def test_what_is_no_text_and_no_message_is_recorded_as_one_text_and_told(value: Any) -> None:
    said: list[str] = []
    [recorded] = conversation(value, role="assistant", complain=said.append)
    assert (recorded.role, recorded.text) == ("assistant", str(value))
    assert said == [
        f"a response is a {type(value).__name__}, no text and no messages; it was recorded as str() shows it"
    ]


def test_bytes_are_text() -> None:
    value: Any = "año \N{SNOWMAN}".encode() + b"\xff"
    [recorded] = conversation(value, role="user", complain=pytest.fail)
    assert recorded.text == "año \N{SNOWMAN}\\xff"


def test_an_object_with_a_role_is_one_message_and_so_are_those_of_any_iterable() -> None:
    """A client's reply, which is a model whose fields can be looped over."""

    class Reply:
        role, content = "assistant", "4"

        def model_dump(self) -> dict[str, str]:
            return {"role": self.role, "content": self.content}

        def __iter__(self) -> Iterator[tuple[str, str]]:
            return iter(self.model_dump().items())

    for value in (Reply(), [Reply()], (item for item in [Reply()])):
        [recorded] = conversation(value, role="assistant", complain=pytest.fail)  # type: ignore[arg-type]
        assert (recorded.role, recorded.text) == ("assistant", "4")


def test_no_content_is_no_part() -> None:
    assert parts({"role": "assistant", "content": None}) == []


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_beside_the_content_comes_first(key: str) -> None:
    assert parts({"role": "assistant", key: "hm", "content": "yes"}) == [
        ("thinking", "hm", None),
        ("text", "yes", None),
    ]


def test_openai_tool_calls_and_results() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    asked = message({"role": "assistant", "content": "", "tool_calls": [call]}, pytest.fail)
    [part] = asked.parts
    assert (part.type, part.name, part.id) == ("tool_call", "add", "c1")
    assert part.text == 'add({"a": 1})'
    assert part.content == '{"a": 1}'
    told = message({"role": "tool", "tool_call_id": "c1", "name": "add", "content": "2"}, pytest.fail)
    assert told.parts == [Part(type="tool_result", text="2", name="add", id="c1")]
    assert told.tool_call_id == "c1"


def test_structured_arguments_are_written_as_json() -> None:
    assert parts({"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"x": [1, "ü"]}}}]}) == [
        ("tool_call", '{"x": [1, "ü"]}', "f")
    ]


def test_anthropic_parts() -> None:
    content = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "let me see"},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "x"}},
    ]
    assert parts({"role": "assistant", "content": content}) == [
        ("thinking", "hm", None),
        ("text", "let me see", None),
        ("tool_call", '{"q": "x"}', "search"),
    ]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"text": "found"}]}]}
    assert parts(result) == [("tool_result", "found", None)]


def test_a_message_of_several_parts_reads_as_one_text() -> None:
    told = {
        "role": "assistant",
        "reasoning_content": "hm",
        "content": "Let me see.",
        "tool_calls": [{"name": "f", "args": {}}],
    }
    assert message(told, pytest.fail).text == "<think>hm</think>Let me see.f({})"


def test_a_call_that_could_not_be_parsed_is_kept_and_marked() -> None:
    told = message({"role": "assistant", "unparsed_tool_calls": [{"raw_text": "<call", "error": "cut"}]}, pytest.fail)
    assert told.parts == [Part(type="tool_call", text="<call", closed=False)]


def test_an_image_is_summarised_and_its_bytes_left_out() -> None:
    data = "data:image/png;base64," + "A" * 4000
    [(kind, text, name)] = parts({"role": "user", "content": [{"type": "image_url", "image_url": {"url": data}}]})
    assert (kind, name) == ("media", "image")
    assert text == "image/png, 3,000 bytes"


def test_parts_of_our_own_shape_pass_through() -> None:
    own = Part(type="thinking", text="<think>a</think>", lead=7, tail=8)
    assert message(Message(role="assistant", parts=[own]), pytest.fail).parts == [own]
    as_dict = {"type": "thinking", "text": "<think>a</think>", "lead": 7, "tail": 8}
    assert message({"role": "assistant", "parts": [as_dict]}, pytest.fail).parts == [own]


def test_a_message_is_copied() -> None:
    source = Message(role="user", parts=[Part(text="before")])
    copy = message(source, pytest.fail)
    source.parts[0].text = "after"
    assert copy.text == "before"


def test_objects_with_the_shape_of_a_message() -> None:
    class Choice:
        def model_dump(self) -> dict[str, Any]:
            return {"role": "assistant", "content": "hello"}

    assert message(Choice(), pytest.fail).text == "hello"


def test_each_assistant_message_begins_a_turn() -> None:
    roles = ["assistant", "tool", "assistant", "tool", "tool", "assistant"]
    prompt = conversation("question", role="user", complain=pytest.fail)
    response = [Message(role=role) for role in roles]
    assert [item.turn for item in number_turns(prompt, response)] == [None, 0, 0, 1, 1, 1, 2]


def test_a_response_that_begins_with_the_environment_still_has_a_turn() -> None:
    assert [item.turn for item in number_turns([], [Message(role="tool"), Message(role="assistant")])] == [0, 1]


def test_a_whole_conversation_is_split_at_the_first_answer() -> None:
    whole = [Message(role=role) for role in ["system", "user", "assistant", "user", "assistant"]]
    prompt, response = split_at_first_response(whole)
    assert [item.role for item in prompt] == ["system", "user"]
    assert len(response) == 3


def test_turns_that_are_given_decide_where_the_response_begins() -> None:
    whole = [Message(role="user"), Message(role="assistant"), Message(role="user"), Message(role="assistant", turn=0)]
    prompt, response = split_at_first_response(whole)
    assert len(prompt) == 3
    assert len(response) == 1
