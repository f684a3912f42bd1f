"""Samples from what other trainers hand around: OpenAI-style lists of messages, and verl's records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from rollscope.record.samples.fields import SampleFields


def sample_from_messages(messages: Iterable[Mapping[str, Any]], **fields: Unpack[SampleFields]) -> SampleFields:
    """A conversation as a sample: ``group.add(**sample_from_messages(messages, reward=1.0))``.

    The response begins with the first assistant message; system, user and few-shot messages before it are the prompt. A
    last assistant message with ``finish_reason`` gives the stop reason."""
    items = list(messages)
    first = next((place for place, item in enumerate(items) if item.get("role") == "assistant"), len(items))
    out: SampleFields = {"prompt": items[:first], "response": items[first:]}
    finish = items[-1].get("finish_reason") if items else None
    if isinstance(finish, str):
        out["stop_reason"] = finish
    return {**out, **fields}


def sample_from_verl(record: Mapping[str, Any], **fields: Unpack[SampleFields]) -> SampleFields:
    """A verl record as a sample: ``messages``, or ``prompt``/``input`` and ``response``/``output``; ``data_source``,
    ``reward_model.ground_truth`` (or ``gts``), ``score``, ``extra_info.index``. Numbers it also has become metrics."""
    out: SampleFields = {}
    messages = record.get("messages")
    if isinstance(messages, (list, tuple)):
        out = sample_from_messages(messages)
    else:
        if (prompt := record.get("prompt", record.get("input"))) is not None:
            out["prompt"] = prompt
        if (response := record.get("response", record.get("output"))) is not None:
            out["response"] = response
    if isinstance(source := record.get("data_source"), str):
        out["dataset"] = source
    reward_model = record.get("reward_model")
    truth = reward_model.get("ground_truth") if isinstance(reward_model, Mapping) else record.get("gts")
    if truth is not None:
        out["golden_answers"] = {"ground_truth": truth}
    if record.get("score") is not None:
        out["reward"] = record["score"]
    extra = record.get("extra_info")
    if isinstance(extra, Mapping) and extra.get("index") is not None:
        out["prompt_id"] = str(extra["index"])
    metrics = {
        key: value
        for key, value in record.items()
        if key not in ("score", "step") and isinstance(value, (bool, int, float))
    }
    if metrics:
        out["metrics"] = metrics
    return {**out, **fields}
