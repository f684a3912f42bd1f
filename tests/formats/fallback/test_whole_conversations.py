"""Conversations of no known trainer, in whatever shape."""

from __future__ import annotations

from typing import Any

import pytest

from rollscope.formats.fallback.whole_conversations import (
    are_parallel,
    as_messages,
    interleaved,
    is_trajectory,
    split_conversation,
)

ASKED = {"role": "user", "content": "q"}
SAID = {"role": "assistant", "content": "a"}


def test_the_answer_begins_with_the_assistants_first_words() -> None:
    assert split_conversation([ASKED, SAID, ASKED, SAID]) == ([ASKED], [SAID, ASKED, SAID])
    assert split_conversation([ASKED]) == ([ASKED], None)
    assert split_conversation([SAID]) == ([], [SAID])
    text = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na"
    assert split_conversation(text) == (text[:-1], "a")
    assert split_conversation("bare") == ("bare", None)
    assert split_conversation(None) == (None, None)


def test_speakers_of_other_writers_have_the_usual_roles() -> None:
    told = as_messages(
        [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a", "weight": 1}, {"from": "judge", "value": "ok"}]
    )
    assert told == [ASKED, {**SAID, "weight": 1}, {"role": "judge", "content": "ok"}]


@pytest.mark.parametrize(
    "told",
    [
        [{"role": "User", "content": "q"}, {"role": "Assistant", "content": "a"}],
        [{"role": "user", "content": "q"}, {"role": "model", "content": "a"}],
        [{"role": "human", "text": "q"}, {"role": "ai", "text": "a"}],
        [{"speaker": "user", "text": "q"}, {"speaker": "bot", "text": "a"}],
        [{"type": "human", "content": "q"}, {"type": "ai", "content": "a"}],
        [{"user": "q", "assistant": "a"}],
        {"role": ["user", "assistant"], "content": ["q", "a"]},
        "[{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': 'a'}]",
        "[{'role': 'user', 'content': 'q'}\n {'role': 'assistant', 'content': 'a'}]",
        [{"role": "user", "content": "q"}, {"type": "message", "role": "assistant", "content": "a"}],
    ],
)
def test_conversations_in_other_words(told: Any) -> None:
    assert as_messages(told) == [ASKED, SAID]


def test_items_of_the_responses_api_and_geminis_parts_are_messages() -> None:
    items = [
        {"type": "function_call", "name": "add", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "4"},
    ]
    assert [message["role"] for message in as_messages(items)] == ["assistant", "tool"]
    parts = as_messages([{"role": "model", "parts": [{"text": "a"}, {"functionCall": {"name": "add"}}]}])
    assert parts == [
        {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"functionCall": {"name": "add"}}]}
    ]


def test_events_are_no_conversation() -> None:
    events = [{"type": "click", "text": "a"}, {"type": "human", "x": 1}]
    assert as_messages(events) is events


@pytest.mark.parametrize(
    "value",
    ["[{'role': __import__('os')}]", {"role": ["user"], "content": "q"},
     '[{"role": "user"', '["role"]', '[{"role": "\ud83d"}]', '"role"', "[" * 5_000 + '"role"', [{"from": "x"}], [], 3, None],
)  # fmt: skip
def test_what_is_no_conversation_stays_as_it_is(value: Any) -> None:
    assert as_messages(value) == value


def test_a_conversation_that_was_written_as_text_is_one_again() -> None:
    assert as_messages('[{"role": "user", "content": "q"}]') == [ASKED]


def test_steps_of_a_trajectory_are_messages_and_nothing_is_said_twice() -> None:
    steps = [
        {"observation": "room", "thought": "look", "action": {"go": "north"}, "next_observation": "hall"},
        {"observation": "hall", "action": "stop"},
    ]
    assert is_trajectory(steps)
    assert as_messages(steps) == [
        {"role": "user", "content": "room"},
        {"role": "assistant", "content": '{"go":"north"}', "reasoning_content": "look"},
        {"role": "user", "content": "hall"},
        {"role": "assistant", "content": "stop"},
    ]
    for other in ([{"observation": "room"}], [{"action": "go"}], [], [{**SAID, "action": "x", "obs": "y"}]):
        assert not is_trajectory(other)


def test_lists_of_what_was_seen_and_done_are_turns() -> None:
    assert interleaved(["s", 2, "end"], ["a", "b"]) == [
        {"role": "user", "content": "s"},
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "2"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "end"},
    ]
    assert [are_parallel([1] * seen, ["x"] * done) for seen, done in ((2, 2), (3, 2), (2, 3), (1, 0))] == [
        True, True, False, False,
    ]  # fmt: skip


def test_what_was_seen_follows_what_was_done_where_a_step_says_it_so() -> None:
    def roles(*steps: dict[str, Any]) -> list[tuple[str, str]]:
        return [(message["role"], message["content"]) for message in as_messages(list(steps))]

    last = {"thought": "so", "action": "answer", "observation": None}
    follows = {"thought": "hm", "action": "search", "observation": "found"}
    assert roles(follows, last) == [("assistant", "search"), ("user", "found"), ("assistant", "answer")]
    before = {"observation": "found", "thought": "hm", "action": "answer"}
    assert roles(before) == [("user", "found"), ("assistant", "answer")]
    assert roles({"action": "answer", "observation": "found"}) == [("user", "found"), ("assistant", "answer")]


def test_pairs_of_a_speaker_and_a_text_are_messages() -> None:
    found = as_messages([["Human", "2+2?"], ["assistant", "4"]])
    assert found == [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
    assert as_messages([["a", "b"], ["user", "c"]]) == [["a", "b"], ["user", "c"]]
