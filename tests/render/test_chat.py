"""Messages that came as structure: every dialect, and nothing dropped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures import fixture_path

from rollscope.model import Message
from rollscope.render import messages_from_chat


def one(message: Any) -> Message:
    (ours,) = messages_from_chat([message], turn=None)
    return ours


def shape(message: Message) -> list[tuple[str, str]]:
    return [(part.type, part.content) for part in message.parts]


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ({"role": "user", "content": "Hi"}, [("text", "Hi")]),
        ({"role": "user", "content": ""}, []),
        ({"role": "user", "content": None}, []),
        ({"role": "user"}, []),
        ({"role": "system", "content": "Use <think>."}, [("text", "Use <think>.")]),
        ({"role": "assistant", "content": "<think>a</think>b"}, [("thinking", "a"), ("text", "b")]),
        ({"role": "assistant", "content": "b", "reasoning_content": "a"}, [("thinking", "a"), ("text", "b")]),
        ({"role": "assistant", "reasoning": "a", "reasoning_content": "a"}, [("thinking", "a")]),
        ({"role": "user", "content": [{"type": "text", "text": "a"}, "b"]}, [("text", "a"), ("text", "b")]),
        (
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "a"}, {"type": "text", "text": "b"}]},
            [("thinking", "a"), ("text", "b")],
        ),
        ({"role": "tool", "content": "42"}, [("tool_result", "42")]),
        ({"role": "tool", "content": [{"type": "text", "text": "42"}]}, [("tool_result", "42")]),
        ({"role": "user", "content": {"odd": 1}}, [("text", '{"odd": 1}')]),
        ({"role": "user", "content": 5}, [("text", "5")]),
        ({"role": "user", "content": [{"type": "weird", "x": 1}]}, [("text", '{"type": "weird", "x": 1}')]),
        ({"role": "user", "content": [None, 3]}, [("text", "null"), ("text", "3")]),
        (
            {"role": "assistant", "content": "No.", "refusal": "policy"},
            [("text", "No."), ("text", '\n{"refusal": "policy"}')],
        ),
        ({"role": "assistant", "content": "x", "refusal": None, "annotations": []}, [("text", "x")]),
        ({"role": "assistant", "reasoning": {"steps": 2}}, [("text", '\n{"reasoning": {"steps": 2}}')]),
        ("just words", [("text", "just words")]),
        (["a"], [("text", '["a"]')]),
    ],
)
def test_contents(message: Any, parts: list[tuple[str, str]]) -> None:
    assert shape(one(message)) == parts


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "c1", "type": "function", "name": "f", "arguments": '{"x": 1}'},
        {"id": "c1", "index": 0, "function": {"name": "f", "arguments": {"x": 1}}},
        '{"id": "c1", "name": "f", "arguments": "{\\"x\\": 1}"}',
    ],
)
def test_calls_of_every_dialect(call: Any) -> None:
    message = one({"role": "assistant", "content": "", "tool_calls": [call]})
    (part,) = message.parts
    assert (part.type, part.name, part.id) == ("tool_call", "f", "c1")
    assert (part.text, part.content) == ('f({"x": 1})', '{"x": 1}')


def test_anthropic_calls_and_results() -> None:
    call, result = messages_from_chat(
        [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"x": 1}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "42"}]},
        ],
        turn=0,
    )
    assert (call.parts[0].name, call.parts[0].id, call.parts[0].content) == ("f", "c1", '{"x": 1}')
    assert (result.role, shape(result), result.parts[0].id) == ("tool", [("tool_result", "42")], "c1")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ({"id": "c", "function": {"name": "f", "arguments": "{}"}, "cost": 3}, None),
        ({"function": {"name": "f", "arguments": "{}", "strict": True}}, None),
        ({"odd": 1}, None),
        ("not json", "not json"),
        ("[1]", "[1]"),
        (7, "7"),
    ],
)
def test_a_call_of_an_unknown_shape_is_kept_whole(call: Any, text: str | None) -> None:
    (part,) = one({"role": "assistant", "tool_calls": [call]}).parts
    assert part.type == "tool_call"
    assert part.text == (json.dumps(call) if text is None else text)


def test_a_tool_s_answer_knows_its_call() -> None:
    message = one({"role": "tool", "tool_call_id": "c1", "name": "f", "content": "42"})
    assert (message.tool_call_id, message.name, message.parts[0].id) == ("c1", "f", "c1")


@pytest.mark.parametrize(
    ("item", "kind", "text"),
    [
        ({"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}, "image", "[image: https://x.org/a.png]"),
        ({"type": "image", "image": "data:image/png;base64," + "A" * 4000}, "image", "[image: image/png, 3,000 bytes]"),
        ({"type": "image"}, "image", "[image]"),
        ({"type": "input_audio", "input_audio": {"data": "A" * 80_000, "format": "wav"}}, "audio", "[audio: 60 kB]"),
        ({"type": "video", "video": "/data/a.mp4"}, "video", "[video: /data/a.mp4]"),
    ],
)
def test_of_media_a_summary_stays(item: Any, kind: str, text: str) -> None:
    (part,) = one({"role": "user", "content": [item]}).parts
    assert (part.type, part.name, part.text) == ("media", kind, text)


def test_a_long_address_is_cut_and_says_so() -> None:
    url = "https://x.org/" + "a/" * 500
    (part,) = one({"role": "user", "content": [{"type": "image_url", "image_url": url}]}).parts
    assert part.text == f"[image: {url[:200]}… ({len(url)} characters)]"


def test_turns_begin_with_the_assistant_after_others() -> None:
    chat = [{"role": role} for role in ("assistant", "tool", "tool", "assistant", "assistant", "user", "assistant")]
    assert [message.turn for message in messages_from_chat(chat, turn=2)] == [2, 2, 2, 3, 3, 3, 4]
    assert [message.turn for message in messages_from_chat(chat, turn=None)] == [None] * 7
    assert [message.turn for message in messages_from_chat([{"role": "user"}, {"role": "assistant"}], turn=0)] == [0, 0]


def test_whether_a_message_is_trained_on_is_kept() -> None:
    assert one({"role": "assistant", "content": "x", "trainable": False}).trainable is False
    assert one({"role": "assistant", "content": "x"}).trainable is None


def test_nesting_too_deep_for_json_is_no_crash() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert "nested too deeply" in one({"role": "user", "content": {"x": deep}}).text
    text = "[" * 100_000
    assert one({"role": "assistant", "tool_calls": [text]}).text == text


def test_bare_nan_and_half_characters_stay_as_they_are() -> None:
    assert one({"role": "user", "content": {"x": float("nan"), "y": "\ud800"}}).text == '{"x": NaN, "y": "\ud800"}'


words = st.text(st.characters(), max_size=6)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
known_keys = st.sampled_from(
    ["role", "content", "name", "tool_calls", "tool_call_id", "reasoning_content", "type", "text", "x"]
)


@given(st.lists(st.dictionaries(known_keys, json_values) | json_values))
def test_any_json_gives_messages(chat: list[Any]) -> None:
    messages = messages_from_chat(chat, turn=0)
    assert len(messages) == len(chat)
    for source, message in zip(chat, messages, strict=True):
        if isinstance(source, dict) and isinstance(source.get("content"), str):
            assert source["content"] in message.text


def test_the_calls_of_a_verifiers_run_are_read() -> None:
    calls = []
    for path in sorted(fixture_path("verifiers_legacy").rglob("results.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for message in messages_from_chat(json.loads(line)["completion"], turn=0):
                calls += [part for part in message.parts if part.type == "tool_call"]
    assert calls
    assert {part.name for part in calls} == {"calculator"}
    assert all("expression" in json.loads(part.content) for part in calls)
