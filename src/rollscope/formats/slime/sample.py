"""One sample of slime: its numbers, and all of it, joined with what the trainer made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rollscope import render
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import items
from rollscope.formats.lines.flat import content_text, golden_answers
from rollscope.formats.lines.jsonl import prompt_hash
from rollscope.formats.lines.lenient import printable
from rollscope.model import STATUSES, Message, Sample, TokenArrays, as_integer, as_number, numbers, split_reward

_REMOVED = "removed by the rollout (remove_sample)"
_SCALARS = ("reward", "advantage", "status", "discard_reason", "prompt_tokens", "completion_tokens", "total_tokens",
            "dataset")  # fmt: skip


def values(record: dict[str, Any], trained: dict[str, Any]) -> dict[str, Any]:
    """The index columns."""
    total, parts = split_reward(record.get("reward"))
    # Which value of a dict is the reward, the trainer's arguments say, and what came of them.
    if (taken := as_number(trained.get("raw_reward"))) in parts.values():
        total = taken
    tokens, length = items(record.get("tokens")), as_integer(record.get("response_length"))
    prompt = record.get("prompt")
    status = record.get("status")
    versions = _versions(record.get("weight_versions") or record.get("legacy_weight_versions"))
    metadata = record.get("metadata")
    sources = (metadata.get(key) for key in ("data_source", "dataset", "source")) if isinstance(metadata, dict) else ()
    source = next((name for name in sources if isinstance(name, str) and name), None)
    found: dict[str, Any] = {
        "group": record.get("group_index"),
        "reward": total,
        "advantage": _one_advantage(trained),
        "status": status if status in STATUSES else None,
        "discard_reason": _REMOVED if record.get("remove_sample") else None,
        "prompt_tokens": len(tokens) - length if tokens and length is not None and length <= len(tokens) else None,
        "completion_tokens": _written(record, length),
        "total_tokens": len(tokens) or None,
        "dataset": source,
        "prompt_hash": prompt_hash(content_text(prompt).encode("utf-8", "replace") + b"  ") if prompt else None,
        "response_bytes": len(str(record.get("response") or "").encode("utf-8", "replace")),
    }
    found |= {f"rewards.{name}": number for name, number in parts.items()}
    found |= {f"metrics.{name}": number for name, number in numbers(metadata if isinstance(metadata, dict) else {})}
    # It counts how often weights were sent, from 1 and again from 1 after a resume: it is no step.
    if (version := next(versions, None)) is not None:
        found["metrics.weight_version"] = float(version)
    return found


def build_sample(
    record: dict[str, Any], trained: dict[str, Any], dashboard: dict[str, Any], recorded: list[Any]
) -> Sample:
    """`recorded` is the conversation as the environment had it, where it was kept beside the sample."""
    found = values(record, trained)
    sample = Sample(
        messages=_recorded(record, recorded) or _messages(record.get("prompt"), record.get("response")),
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


def _written(record: dict[str, Any], length: int | None) -> int | None:
    """Tokens that the model wrote. Those of tools are in the response too: they are masked, and no probability was sampled
    for them. A mask of zeros leaves a whole sample out of the loss."""
    mask, logprobs = items(record.get("loss_mask")), items(record.get("rollout_log_probs"))
    if length is None or len(mask) != length or not any(mask):
        return length
    known = len(logprobs) == length
    return sum(bool(flag or (known and logprobs[place] != 0)) for place, flag in enumerate(mask))


def _versions(told: Any) -> Iterator[int]:
    """The policy's versions in order of generation: texts, or (miles) spans of tokens per call."""
    if isinstance(told, dict):
        yield from _versions(told["version"] if "version" in told else told.get("spans"))
    elif isinstance(told, list):
        for item in told:
            yield from _versions(item)
    elif (version := as_integer(told)) is not None:
        yield version


def _recorded(record: dict[str, Any], recorded: list[Any]) -> list[Message]:
    """The recorded conversation, where it is the sample's: its last answer stands in the response."""
    metadata = record.get("metadata")
    told = recorded or items(metadata.get("messages") if isinstance(metadata, dict) else None)
    answers = [item for item in told if isinstance(item, dict) and item.get("role") == "assistant"]
    last = answers[-1].get("content") if answers else None
    if not isinstance(last, str) or not last.strip() or last.strip() not in str(record.get("response")):
        return []
    prompt = record.get("prompt")
    asked = prompt if isinstance(prompt, list) and told[: len(prompt)] == prompt else None
    return conversation(told, answered_from=None if asked is None else len(asked))


def _messages(prompt: Any, response: Any) -> list[Message]:
    said = response if isinstance(response, str) else "" if response is None else msgspec.json.encode(response).decode()
    if isinstance(prompt, list):
        return [*render.messages_from_chat(prompt, turn=None), *render.split_conversation("", said)]
    return render.split_conversation(prompt if isinstance(prompt, str) else content_text(prompt), said)


def _one_advantage(trained: dict[str, Any]) -> float | None:
    advantages, mask = items(trained.get("advantages")), items(trained.get("loss_masks"))
    if len(mask) == len(advantages):
        advantages = [value for value, flag in zip(advantages, mask) if flag]
    seen = {number for value in advantages if (number := as_number(value)) is not None}
    return seen.pop() if len(seen) == 1 else None


def _tokens(record: dict[str, Any], trained: dict[str, Any], dashboard: dict[str, Any]) -> TokenArrays | None:
    """The response's tokens; other lists are as long as it."""
    length = as_integer(record.get("response_length"))
    ids = [number for item in items(record.get("tokens")) if (number := as_integer(item)) is not None]
    if not length or length > len(ids):
        return None

    def stream(*candidates: Any) -> list[float | None]:
        found = next((item for item in map(items, candidates) if len(item) == length), [])
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
