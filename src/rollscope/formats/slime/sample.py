"""One sample of slime: its numbers, and all of it, joined with what the trainer made of it."""

from __future__ import annotations

from typing import Any

import msgspec

from rollscope import render
from rollscope.formats.completion_table import integer
from rollscope.formats.lines.flat import content_text, golden_answers
from rollscope.formats.lines.jsonl import prompt_hash
from rollscope.formats.lines.lenient import printable
from rollscope.model import STATUSES, Message, Sample, TokenArrays, as_number, numbers, split_reward

_REMOVED = "removed by the rollout (remove_sample)"
_SCALARS = ("reward", "advantage", "status", "discard_reason", "sampling_step", "prompt_tokens", "completion_tokens",
            "total_tokens", "dataset")  # fmt: skip


def values(record: dict[str, Any], trained: dict[str, Any]) -> dict[str, Any]:
    """The index columns."""
    total, parts = split_reward(record.get("reward"))
    tokens, length = _list(record.get("tokens")), integer(record.get("response_length"))
    prompt = record.get("prompt")
    status = record.get("status")
    versions = [integer(version) for version in _list(record.get("weight_versions"))]
    metadata = record.get("metadata")
    source = metadata.get("data_source", metadata.get("dataset")) if isinstance(metadata, dict) else None
    found: dict[str, Any] = {
        "group": record.get("group_index"),
        "reward": total,
        "advantage": _one_advantage(trained),
        "status": status if status in STATUSES else None,
        "discard_reason": _REMOVED if record.get("remove_sample") else None,
        "sampling_step": next((version for version in versions if version is not None), None),
        "prompt_tokens": len(tokens) - length if tokens and length is not None and length <= len(tokens) else None,
        "completion_tokens": length,
        "total_tokens": len(tokens) or None,
        "dataset": source if isinstance(source, str) else None,
        "prompt_hash": prompt_hash(content_text(prompt).encode("utf-8", "replace") + b"  ") if prompt else None,
        "response_bytes": len(str(record.get("response") or "").encode("utf-8", "replace")),
    }
    found |= {f"rewards.{name}": number for name, number in parts.items()}
    found |= {f"metrics.{name}": number for name, number in numbers(metadata if isinstance(metadata, dict) else {})}
    return found


def build_sample(record: dict[str, Any], trained: dict[str, Any], dashboard: dict[str, Any]) -> Sample:
    found = values(record, trained)
    sample = Sample(
        messages=_messages(record.get("prompt"), record.get("response")),
        golden_answers=golden_answers("label", record.get("label")),
        tokens=_tokens(record, trained, dashboard),
        record=printable({**record, "trained": trained} if trained else record),
    )
    for name in _SCALARS:
        setattr(sample, name, found[name])
    sample.rewards = {name[8:]: value for name, value in found.items() if name.startswith("rewards.")}
    sample.metrics = {name[8:]: value for name, value in found.items() if name.startswith("metrics.")}
    if (seconds := as_number(record.get("non_generation_time"))) is not None and seconds > 0:
        sample.timings["non_generation"] = seconds
    return sample


def _messages(prompt: Any, response: Any) -> list[Message]:
    said = response if isinstance(response, str) else "" if response is None else msgspec.json.encode(response).decode()
    if isinstance(prompt, list):
        return [*render.messages_from_chat(prompt, turn=None), *render.split_conversation("", said)]
    return render.split_conversation(prompt if isinstance(prompt, str) else content_text(prompt), said)


def _one_advantage(trained: dict[str, Any]) -> float | None:
    advantages, mask = _list(trained.get("advantages")), _list(trained.get("loss_masks"))
    if len(mask) == len(advantages):
        advantages = [value for value, flag in zip(advantages, mask) if flag]
    seen = {number for value in advantages if (number := as_number(value)) is not None}
    return seen.pop() if len(seen) == 1 else None


def _tokens(record: dict[str, Any], trained: dict[str, Any], dashboard: dict[str, Any]) -> TokenArrays | None:
    """The response's tokens; other lists are as long as it."""
    length = integer(record.get("response_length"))
    ids = [number for item in _list(record.get("tokens")) if (number := integer(item)) is not None]
    if not length or length > len(ids):
        return None

    def stream(*candidates: Any) -> list[float | None]:
        found = next((item for item in map(_list, candidates) if len(item) == length), [])
        return [as_number(value) for value in found]

    mask = stream(trained.get("loss_masks"), record.get("loss_mask"), dashboard.get("loss_mask"))
    return TokenArrays(
        ids=ids[-length:],
        logprobs=stream(record.get("rollout_log_probs"), dashboard.get("rollout_log_probs")),
        trainer_logprobs=stream(trained.get("log_probs"), dashboard.get("log_probs")),
        reference_logprobs=stream(trained.get("ref_log_probs"), dashboard.get("ref_log_probs")),
        entropy=stream(trained.get("entropy"), dashboard.get("entropy")),
        mask=[int(bool(flag)) for flag in mask],
        advantage=stream(trained.get("advantages"), dashboard.get("advantages")),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
