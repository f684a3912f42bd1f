"""OpenRLHF, which dumps nothing itself: every sample with its reward and advantage, and evaluations.

    ray job submit --runtime-env-json '{"worker_process_setup_hook": "rollscope.record.integrations.openrlhf.install"}' …

or ``install("runs/my-run")`` before training, in the process that trains. The run lies where ``ROLLSCOPE_RUN`` says, else in
``rollscope`` below ``--ckpt.output_dir``.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

from rollscope.record.integrations.shared import (
    Target,
    constant,
    harmless,
    numbers_of,
    shared_run,
    turns_by_mask,
    wants_tokens,
    when_imported,
)
from rollscope.record.iteration import Iteration
from rollscope.record.run import Run
from rollscope.record.samples.fields import SampleFields


def install(run: Target = None) -> None:
    """Let OpenRLHF's PPO trainers record."""
    when_imported("openrlhf.trainer.ppo_trainer", lambda module: patch(module, run))


def patch(module: Any, run: Target = None) -> None:
    base = module.BasePPOTrainer
    train = base.train_step

    def recorded(self: Any, rollout_samples: Any, global_step: int, *more: Any, **named: Any) -> Any:
        maker = self.experience_maker
        make = maker.make_experience_batch
        made: list[Any] = []

        def kept(*arguments: Any, **options: Any) -> Any:
            made.extend(experiences := make(*arguments, **options))
            return experiences

        maker.make_experience_batch = kept
        try:
            result = train(self, rollout_samples, global_step, *more, **named)
        finally:
            maker.make_experience_batch = make
        with (
            harmless(lambda: _run(self, run), f"OpenRLHF's samples of step {global_step}"),
            _run(self, run).iteration(global_step) as iteration,
        ):
            _add(iteration, made, self.tokenizer)
            iteration.log_metrics(numbers_of(result[0] if isinstance(result, tuple) else result))
        return result

    base.train_step = recorded
    if hasattr(module, "compute_eval_metrics"):
        _patch_evaluation(module, run)


def _patch_evaluation(module: Any, run: Target) -> None:
    """Trainers are Ray actors, whose methods were copied before anybody could patch them; the function that judges an
    evaluation's samples is looked up by name in every process, and in asynchronous training too."""
    judge = module.compute_eval_metrics

    @functools.wraps(judge)  # Ray finds it by the name that it had
    def judged(eval_dataloader: Any, samples_list: Any, *more: Any, **named: Any) -> Any:
        result = judge(eval_dataloader, samples_list, *more, **named)
        caller, step = _evaluation_under_way(sys._getframe(1))
        with (
            harmless(lambda: _run(caller, run), f"OpenRLHF's evaluation at step {step}"),
            _run(caller, run).evaluation("eval", step) as iteration,
        ):
            _add(iteration, samples_list, caller.samples_generator.tokenizer)
            iteration.log_metrics(numbers_of(result))
        return result

    module.compute_eval_metrics = judged


def _evaluation_under_way(caller: FrameType) -> tuple[Any, int]:
    """(the actor that evaluates, its step): the function is not told. The asynchronous one keeps the step of its evaluation."""
    actor = caller.f_locals.get("self")
    step = caller.f_locals.get("global_step", getattr(actor, "_last_eval_step", None))
    return actor, step if isinstance(step, int) else 0


def _run(trainer: Any, target: Target) -> Run:
    checkpoints = getattr(getattr(getattr(trainer, "args", None), "ckpt", None), "output_dir", None)
    return shared_run(target, default=os.path.join(checkpoints, "rollscope") if checkpoints else "rollscope-run")


def _add(iteration: Iteration, experiences: Iterable[Any], tokenizer: Any) -> None:
    """Samples of one prompt are a group: OpenRLHF hands them on without one."""
    groups: dict[tuple[str, str], int] = {}
    for experience in experiences:
        for row, prompt in enumerate(experience.prompts):
            label = experience.labels[row] if row < len(experience.labels) else None
            group = groups.setdefault((str(prompt), str(label)), len(groups))
            iteration.add(group=group, **sample_fields(experience, row, tokenizer))


def sample_fields(experience: Any, row: int, tokenizer: Any) -> SampleFields:
    """One row of an ``Experience`` in the recorder's words."""
    sequence, attention = _row(experience.sequences, row), _row(experience.attention_mask, row)
    action = _row(experience.action_mask, row)
    # The mask covers the sequence's end; in current versions all but its first token.
    offset = len(sequence) - len(action)
    mask = [0] * offset + [int(bool(value)) for value in action]
    places = [place for place, kept in enumerate(attention) if kept]
    first = next((place for place in places if mask[place]), len(sequence))
    response = [place for place in places if place >= first]
    ids = [int(sequence[place]) for place in response]
    kept = [mask[place] for place in response]
    out: SampleFields = {
        "prompt": str(experience.prompts[row]),
        "response": turns_by_mask(ids, kept, tokenizer.decode),
        "prompt_tokens": len(places) - len(response),
        "completion_tokens": sum(kept),
        "total_tokens": len(places),
    }
    _add_outcome(out, experience, row)
    if advantages := _row(experience.advantages, row):
        found = [float(advantages[place - offset]) for place in response if mask[place]]
        if (advantage := constant(found)) is not None:
            out["advantage"] = advantage
    if wants_tokens():
        arrays: dict[str, Any] = {"ids": ids, "mask": kept}
        for name, values in (("logprobs", experience.rollout_log_probs), ("advantage", experience.advantages)):
            if found := _row(values, row):
                arrays[name] = [float(found[place - offset]) if place >= offset else 0.0 for place in response]
        out["tokens"] = arrays
    return out


def _add_outcome(out: SampleFields, experience: Any, row: int) -> None:
    """Reward, golden answer, why it ended, and every other number that is known of the row."""
    reward = _value(experience.rewards, row)
    if reward is None:
        reward = _value(experience.info.get("reward"), row)
    if reward is not None:
        out["reward"] = reward
    if row < len(experience.labels) and experience.labels[row] is not None:
        out["golden_answers"] = {"label": experience.labels[row]}
    truncated = _value(experience.truncated, row)
    if truncated is not None:
        out["stop_reason"] = "length" if truncated else "stop"
    metrics = {name: _value(values, row) for name, values in experience.info.items()}
    out["metrics"] = numbers_of({name: value for name, value in metrics.items() if name != "reward"})


def _row(tensor: Any, row: int) -> list[Any]:
    if tensor is None:
        return []
    found = tensor[row]
    return list(found.tolist() if hasattr(found, "tolist") else found)


def _value(column: Any, row: int) -> float | None:
    try:
        found = column[row]
    except (TypeError, IndexError, KeyError):
        return None
    found = found.item() if hasattr(found, "item") else found
    return float(found) if isinstance(found, (bool, int, float)) else None
