"""What the words that engines and trainers use say about a sample's status."""

from __future__ import annotations

from typing import Any

from rollscope.model import STATUSES, Status

_STATUS: dict[str, Status] = {
    **dict.fromkeys(
        ("stop", "eos", "eos_token", "end", "end_turn", "stop_sequence", "completed", "complete", "finished", "done"),
        "completed",
    ),
    **dict.fromkeys(("length", "max_tokens", "max_length", "max_new_tokens", "max_output_tokens"), "truncated"),
    **dict.fromkeys(("max_turns", "max_turns_reached", "max_steps", "context_length", "truncated"), "truncated"),
    **dict.fromkeys(("max_iterations", "max_iterations_reached"), "truncated"),
    **dict.fromkeys(("abort", "aborted", "cancelled", "canceled", "timeout", "timed_out"), "aborted"),
    **dict.fromkeys(("error", "failed", "failure", "exception"), "failed"),
}


def status_of(stop_reason: object) -> Status | None:
    """None for a word that says nothing about it (`tool_calls`), and for none."""
    return _STATUS.get(stop_reason.strip().lower()) if isinstance(stop_reason, str) else None


_OURS = frozenset(STATUSES)


def in_our_words(status: Any) -> Any:
    """A status that means one of ours, in our word: `TRUNCATED`, `Status.TRUNCATED`, `length`. Any other as it is."""
    if type(status) is not str or status in _OURS:
        return status
    owner, _, word = status.strip().lower().rpartition(".")
    if owner and not owner.replace(".", "_").isidentifier():
        return status
    return word if word in _OURS else status_of(word) or status
