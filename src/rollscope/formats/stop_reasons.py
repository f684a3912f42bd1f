"""What a stop reason says about a sample's status, in the words that engines and trainers use."""

from __future__ import annotations

from rollscope.model import Status

_STATUS: dict[str, Status] = {
    **dict.fromkeys(
        ("stop", "eos", "eos_token", "end", "end_turn", "stop_sequence", "completed", "complete", "finished", "done"),
        "completed",
    ),
    **dict.fromkeys(("length", "max_tokens", "max_length", "max_new_tokens", "max_output_tokens"), "truncated"),
    **dict.fromkeys(("max_turns", "max_turns_reached", "max_steps", "context_length", "truncated"), "truncated"),
    **dict.fromkeys(("abort", "aborted", "cancelled", "canceled", "timeout", "timed_out"), "aborted"),
    **dict.fromkeys(("error", "failed", "failure", "exception"), "failed"),
}


def status_of(stop_reason: object) -> Status | None:
    """None for a word that says nothing about it (`tool_calls`), and for none."""
    return _STATUS.get(stop_reason.strip().lower()) if isinstance(stop_reason, str) else None
