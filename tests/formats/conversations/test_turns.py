"""Where the prompt of a conversation ends."""

from __future__ import annotations

from rollscope.formats.conversations.turns import conversation

SYSTEM = {"role": "system", "content": "Be brief."}
QUESTION = {"role": "user", "content": "2 + 2?"}
ANSWER = {"role": "assistant", "content": "4"}
FURTHER = {"role": "user", "content": "Sure?"}


def turns(messages: list[object], answered_from: int | None = None) -> list[tuple[str, int | None]]:
    return [(message.role, message.turn) for message in conversation(messages, answered_from=answered_from)]


def test_everything_before_the_first_answer_is_the_prompt() -> None:
    assert turns([SYSTEM, QUESTION, ANSWER]) == [("system", None), ("user", None), ("assistant", 0)]


def test_what_follows_an_answer_belongs_to_its_turn() -> None:
    assert turns([QUESTION, ANSWER, FURTHER, ANSWER]) == [
        ("user", None),
        ("assistant", 0),
        ("user", 0),
        ("assistant", 1),
    ]


def test_examples_that_the_policy_did_not_write_are_of_the_prompt() -> None:
    assert turns([QUESTION, ANSWER, FURTHER, ANSWER], answered_from=3)[:3] == [
        ("user", None),
        ("assistant", None),
        ("user", None),
    ]


def test_a_conversation_without_an_answer_is_all_prompt() -> None:
    assert turns([SYSTEM, QUESTION]) == [("system", None), ("user", None)]
