"""slime, miles and Relax: two flags, no code.

    --custom-rollout-log-function-path rollscope.record.integrations.slime.log_rollouts
    --custom-eval-rollout-log-function-path rollscope.record.integrations.slime.log_eval_rollouts

The run lies where ``ROLLSCOPE_RUN`` says, else in ``rollscope`` below the trainer's ``--save``. Their own logging goes on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from rollscope.record.integrations.shared import harmless, log_numbers, numbers_of, shared_run, wants_tokens
from rollscope.record.iteration import Iteration
from rollscope.record.run import Run
from rollscope.record.samples.fields import SampleFields

#: The reason given for samples that the trainer leaves out of its loss.
REMOVED = "remove_sample"


def log_rollouts(
    rollout_id: int, args: Any, samples: Iterable[Any], rollout_extra_metrics: Any = None, rollout_time: Any = None
) -> bool:
    """Record the samples of one rollout. False: the trainer's own logging is still wanted."""

    def run() -> Run:
        return _run(args)

    with harmless(run, f"Rollout {rollout_id}"), run().iteration(rollout_id) as iteration:
        _add(iteration, args, samples)
        log_numbers(iteration, rollout_extra_metrics)
        if rollout_time is not None:
            iteration.log_metrics({"time/rollout": rollout_time})
    return False


def log_eval_rollouts(rollout_id: int, args: Any, data: Mapping[str, Any], extra_metrics: Any = None) -> bool:
    """Record an evaluation: ``data`` has rewards, and mostly samples, by dataset."""

    def run() -> Run:
        return _run(args)

    for name, found in data.items():
        with harmless(run, f"Evaluation {name} at {rollout_id}"), run().evaluation(name, rollout_id) as evaluation:
            _add(evaluation, args, found.get("samples") or ())
            rewards = [value for value in found.get("rewards") or () if isinstance(value, (int, float))]
            if rewards and not found.get("samples"):
                evaluation.log_metrics({"reward": sum(rewards) / len(rewards)})
    if numbers := numbers_of(extra_metrics):
        with harmless(run, f"Metrics of evaluation {rollout_id}"):
            run().log_metrics(numbers, step=rollout_id)
    return False


def _run(args: Any) -> Run:
    save = getattr(args, "save", None)
    return shared_run(default=os.path.join(save, "rollscope") if isinstance(save, str) and save else "rollscope-run")


def _add(iteration: Iteration, args: Any, samples: Iterable[Any]) -> None:
    groups: dict[Any, list[Any]] = {}
    for sample in _flat(samples):
        groups.setdefault(getattr(sample, "group_index", None), []).append(sample)
    for identity, members in groups.items():
        if identity is None:  # an evaluation may know none
            for sample in members:
                iteration.add(**sample_fields(sample, args))
            continue
        with iteration.group(identity) as group:
            for sample in members:
                group.add(**sample_fields(sample, args))


def _flat(samples: Iterable[Any]) -> Iterable[Any]:
    """Some versions hand over groups, and groups of segments."""
    for item in samples:
        if isinstance(item, (list, tuple)):
            yield from _flat(item)
        else:
            yield item


def sample_fields(sample: Any, args: Any = None) -> SampleFields:
    """A trainer's ``Sample`` in the recorder's words."""
    tokens, length = list(getattr(sample, "tokens", None) or ()), int(getattr(sample, "response_length", 0) or 0)
    mask = getattr(sample, "loss_mask", None)
    out: SampleFields = {"prompt": sample.prompt, "response": sample.response}
    _add_reward(out, sample.reward, getattr(args, "reward_key", None))
    if (label := getattr(sample, "label", None)) is not None:
        out["golden_answers"] = {"label": label}
    status = getattr(sample, "status", None)
    if status is not None:
        out["status"] = str(getattr(status, "value", status))
    if getattr(sample, "remove_sample", False):
        out["discard_reason"] = REMOVED
    versions = [int(item) for item in getattr(sample, "weight_versions", None) or () if str(item).isdigit()]
    if versions:
        out["metrics"] = {"weight_version/first": versions[0], "weight_version/last": versions[-1]}
    if tokens and 0 < length <= len(tokens):
        out["prompt_tokens"] = len(tokens) - length
        out["completion_tokens"] = sum(mask) if mask is not None else length
        out["total_tokens"] = len(tokens)
        if wants_tokens():
            arrays = {"ids": tokens[-length:], "logprobs": getattr(sample, "rollout_log_probs", None), "mask": mask}
            out["tokens"] = {name: values for name, values in arrays.items() if values is not None}
    metadata = getattr(sample, "metadata", None)
    if isinstance(metadata, Mapping):
        source = metadata.get("data_source", metadata.get("dataset"))
        if isinstance(source, str):
            out["dataset"] = source
    return out


def _add_reward(out: SampleFields, reward: Any, key: str | None) -> None:
    if not isinstance(reward, Mapping):
        out["reward"] = reward
        return
    parts = numbers_of(reward)
    if key is not None and key in parts:
        out["reward"] = parts.pop(key)
    out["rewards"] = parts
