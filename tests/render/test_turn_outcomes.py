"""Which turns of a rollout went wrong, and where to look next."""

from __future__ import annotations

from rollscope.model import Message, Part, Sample, Turn
from rollscope.render.turn_outcomes import TurnOutcome, failing_turns, next_failing, turn_outcomes


def says(turn: int | None, role: str, text: str) -> Message:
    return Message(role=role, turn=turn, parts=[Part(type="text", text=text)])


def sample(messages: list[Message], turns: list[Turn]) -> Sample:
    made = Sample(address="train/0/0", split="train", step=0, index=0, messages=messages, turns=turns)
    made.failing_turns = failing_turns(made)
    return made


MESSAGES = [
    says(None, "user", "Error: this is the prompt and no turn"),
    says(0, "assistant", "Error handling is what I do first."),
    says(0, "tool", "42"),
    says(1, "assistant", "again"),
    says(1, "tool", "Traceback (most recent call last):\n  …"),
    says(2, "assistant", "and again"),
    says(2, "tool", '{"error": "no such file"}'),
    says(3, "assistant", "done"),
]


def test_each_turn_is_there_once_with_its_reward() -> None:
    found = turn_outcomes(sample(MESSAGES, [Turn(index=0, reward=0.5), Turn(index=3, reward=-1.0)]))
    assert [(outcome.turn, outcome.reward) for outcome in found] == [(0, 0.5), (1, None), (2, None), (3, -1.0)]


def test_a_turn_fails_by_what_its_tools_said_its_numbers_its_reward_and_not_by_the_models_words() -> None:
    found = turn_outcomes(sample(MESSAGES, [Turn(index=0), Turn(index=3, reward=-1.0)]))
    assert [outcome.turn for outcome in found if outcome.failure] == [1, 2, 3]
    assert found[3].failure == "reward -1"


def test_counts_of_errors_and_a_success_of_zero_are_failures() -> None:
    assert turn_outcomes(sample(MESSAGES, [Turn(index=0, metrics={"tool_errors": 2})]))[0].failure == "tool_errors 2"
    metrics = {"tool_ok": 0.0, "parsed": 0.0}
    assert turn_outcomes(sample(MESSAGES, [Turn(index=0, metrics=metrics)]))[0].failure == "tool_ok 0"
    assert turn_outcomes(sample(MESSAGES, [Turn(index=0, metrics={"tool_errors": 0.0})]))[0].failure is None


def test_the_next_failing_turn_goes_on_from_here_and_round() -> None:
    outcomes = [TurnOutcome(turn=turn, failure="x" if turn % 2 else None) for turn in range(4)]
    assert next_failing(outcomes, None) == 1
    assert next_failing(outcomes, 1) == 3
    assert next_failing(outcomes, 3) == 1
    assert next_failing([], 1) is None
