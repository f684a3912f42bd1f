"""The turns of a long rollout at a glance: what each earned, and where something went wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from rollscope.model import Message, Sample, Turn

#: Beginnings of what tools and interpreters say when a call went wrong. Only the text says so: it is a guess.
_ERROR = re.compile(
    r'\s*(?:<[^>]*>\s*)?(?:\{?\s*"?(?:error|exception)\b|traceback \(most recent|\w*(?:error|exception)\s*[:(]'
    r"|command failed|exit (?:code|status):? *[1-9])",
    re.IGNORECASE,
)
#: Characters of an answer in which an error would begin.
_BEGINNING = 200
_COUNTS_ERRORS = re.compile(r"error|fail", re.IGNORECASE)
_WENT_WELL = re.compile(r"(?:^|_)(?:ok|success)$", re.IGNORECASE)
_LOGS_ERROR = re.compile(r"error|exception", re.IGNORECASE)


class TurnOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of one turn."""

    #: 0-based, as the source counts.
    turn: int
    reward: float | None = None
    #: Why the turn counts as failing, in words; None when nothing says so.
    failure: str | None = None


def turn_outcomes(sample: Sample) -> list[TurnOutcome]:
    """Every turn that has words, in order."""
    rewards = {turn.index: turn.reward for turn in sample.turns}
    turns = sorted({message.turn for message in sample.messages if message.turn is not None})
    return [TurnOutcome(turn=turn, reward=rewards.get(turn), failure=sample.failing_turns.get(turn)) for turn in turns]


def failing_turns(sample: Sample) -> dict[int, str]:
    """Why each turn that counts as failing does."""
    answers: dict[int, list[Message]] = {}
    for message in sample.messages:
        if message.turn is not None:
            results = answers.setdefault(message.turn, [])
            if message.role != "assistant":
                results.append(message)
    by_index = {turn.index: turn for turn in sample.turns}
    found = {number: _failure(by_index.get(number), answers[number]) for number in sorted(answers)}
    return {number: failure for number, failure in found.items() if failure is not None}


def next_failing(outcomes: Sequence[TurnOutcome], at: int | None) -> int | None:
    """The next failing turn after this one; round the end to the first."""
    failing = [outcome.turn for outcome in outcomes if outcome.failure is not None]
    after = [turn for turn in failing if at is None or turn > at]
    return next(iter(after or failing), None)


def _failure(turn: Turn | None, answers: Sequence[Message]) -> str | None:
    """Numbers take precedence over what the text looks like, and a negative reward comes last."""
    if turn is not None:
        counted = next((name for name, value in turn.metrics.items() if _is_failure(name, value)), None)
        if counted is not None:
            return f"{counted} {turn.metrics[counted]:g}"
        logged = next((name for name, value in turn.logs.items() if value and _LOGS_ERROR.search(name)), None)
        if logged is not None:
            return logged
    if any(_ERROR.match(_beginning(message)) for message in answers):
        return "its text begins like an error"
    if turn is not None and turn.reward is not None and turn.reward < 0:
        return f"reward {turn.reward:g}"
    return None


def _is_failure(name: str, value: float) -> bool:
    """A count of errors, or a "went well" that says no."""
    return value > 0 if _COUNTS_ERRORS.search(name) else value == 0 and _WENT_WELL.search(name) is not None


def _beginning(message: Message) -> str:
    return "".join(part.text[:_BEGINNING] for part in message.parts[:_BEGINNING])[:_BEGINNING]
