"""Tinker Cookbook: its metrics logger replaced, and its rollouts with their text.

    from rollscope.record.integrations.tinker import install

    install("runs/my-run", tokenizer)     # every trajectory of training and of its evaluators, whole

``RollscopeLogger`` is matched by its methods, so that the cookbook need not be installed; where its ``MultiplexLogger`` or a
training loop takes a logger, it takes this one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rollscope.record.integrations.shared import harmless, numbers_of, shared_run, wants_tokens, when_imported
from rollscope.record.output import file_names
from rollscope.record.run import Run, start
from rollscope.record.samples.fields import SampleFields


class RollscopeLogger:
    """``RollscopeLogger(log_dir)``, or around a run that is already being recorded: ``RollscopeLogger(run)``."""

    def __init__(self, log_dir: str | os.PathLike[str] | Run, **options: Any) -> None:
        self.run = log_dir if isinstance(log_dir, Run) else start(log_dir, **options)

    def log_hparams(self, config: Any) -> None:
        """The training config, into ``config.json``."""
        self.run.set_config(config)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Into the step's row of ``metrics.jsonl``."""
        self.run.log_metrics(metrics, step)

    def log_long_text(self, key: str, text: str) -> None:
        """A text of its own: ``<key>.txt`` in the run's directory."""
        self.run.write_text(f"{file_names.sanitize(key)}.txt", text)

    def sync(self) -> None:
        self.run.flush()

    def close(self) -> None:
        self.run.close()

    def get_logger_url(self) -> str | None:
        """The run's directory; ``rollscope`` opens it."""
        return self.run.directory.as_uri()


def install(run: str | os.PathLike[str] | Run | None, tokenizer: Any) -> None:
    """Record the trajectories that the cookbook's RL loop and its evaluators summarise (``rollout_json_export``, on
    unless told). ``tokenizer`` turns their tokens into text. Call it before the loop is imported."""

    def patch(module: Any) -> None:
        serialize = module.serialize_rollout_summaries

        def recorded(**named: Any) -> Any:
            target, step = shared_run(run), named["iteration"]
            with harmless(lambda: target, f"Tinker's rollouts of iteration {step}"):
                groups = named["trajectory_groups_P"]
                record_groups(
                    target,
                    step,
                    groups,
                    tokenizer.decode,
                    split=named["split"].removeprefix("eval/"),
                    tags=named.get("taglist_P"),
                    sampling_steps=named.get("sampling_client_steps_P"),
                )
            return serialize(**named)

        module.serialize_rollout_summaries = recorded

    when_imported("tinker_cookbook.rl.rollout_logging", patch)


def record_groups(
    run: Run,
    step: int,
    groups: Sequence[Any],
    decode: Callable[[list[int]], str],
    *,
    split: str = "train",
    tags: Sequence[Sequence[str]] | None = None,
    sampling_steps: Sequence[int | None] | None = None,
) -> None:
    """``TrajectoryGroup`` objects as one iteration, or as the evaluation ``split``. Advantages of training are the
    cookbook's: the reward less the group's mean."""
    with run.iteration(step) if split == "train" else run.evaluation(split, step) as iteration:
        for number, group in enumerate(groups):
            rewards = group.get_total_rewards()
            mean = sum(rewards) / len(rewards) if rewards else 0.0
            shared: SampleFields = {"tags": list(tags[number])} if tags is not None else {}
            if sampling_steps is not None and sampling_steps[number] is not None:
                shared["sampling_step"] = sampling_steps[number]
            with iteration.group(number, **shared) as opened:
                for trajectory, reward, final, metrics in zip(
                    group.trajectories_G, rewards, group.final_rewards_G, group.metrics_G
                ):
                    sample = sample_fields(trajectory, decode)
                    sample["reward"], sample["final_reward"] = reward, final
                    sample["metrics"] = numbers_of(metrics)
                    if split == "train":
                        sample["advantage"] = reward - mean
                    opened.add(**sample)


def sample_fields(trajectory: Any, decode: Callable[[list[int]], str]) -> SampleFields:
    """A trajectory's text: each observation goes on from what came before it, where the environment keeps to that."""
    seen: list[int] = []
    messages: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    ids: list[int] = []
    mask: list[int] = []
    logprobs: list[float] = []
    for transition in trajectory.transitions:
        observed, action = _tokens(transition.ob), list(transition.ac.tokens)
        grown = bool(seen) and observed[: len(seen)] == seen
        fresh = observed[len(seen) :] if grown else observed
        if fresh:
            messages.append({"role": "user", "content": decode(fresh), "tokens": len(fresh)})
        messages.append({"role": "assistant", "content": decode(action), "tokens": len(action)})
        if turns:
            ids, mask, logprobs = ids + fresh, mask + [0] * len(fresh), logprobs + [0.0] * len(fresh)
        ids, mask = ids + action, mask + [1] * len(action)
        logprobs += getattr(transition.ac, "maybe_logprobs", None) or [0.0] * len(action)
        seen = observed + action
        turns.append(
            {
                "reward": transition.reward, "metrics": numbers_of(transition.metrics), "logs": dict(transition.logs),
                "prompt_tokens": transition.ob.length, "completion_tokens": len(action),
            }
        )  # fmt: skip
    out: SampleFields = {"prompt": messages[:1], "response": messages[1:], "turns": turns}
    last = trajectory.transitions[-1].ac if trajectory.transitions else None
    stop = getattr(trajectory, "stop_reason", None) or getattr(last, "stop_reason", None)
    if stop is not None:
        out["stop_reason"] = str(stop)
    if wants_tokens():
        out["tokens"] = {"ids": ids, "mask": mask, "logprobs": logprobs}
    return out


def _tokens(observation: Any) -> list[int]:
    """A ``ModelInput``'s ids; a list of ids where an environment has that. Images have none and are left out."""
    if callable(to_ints := getattr(observation, "to_ints", None)):
        return list(to_ints())
    return list(observation)
