"""SkyRL: a trajectory logger that records.

class Experiment(BasePPOExp):
    def get_trajectory_logger(self):
        return RollscopeTrajectoryLogger("runs/my-run", also=super().get_trajectory_logger())
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rollscope.record.integrations.shared import (
    harmless,
    log_numbers,
    numbers_of,
    shared_run,
    turns_by_mask,
    wants_tokens,
)
from rollscope.record.iteration import Iteration
from rollscope.record.run import Run
from rollscope.record.samples.fields import SampleFields


class RollscopeTrajectoryLogger:
    """Has the one method that SkyRL calls. ``also`` is another logger that is called in the same way, such as SkyRL's own."""

    def __init__(self, run: str | os.PathLike[str] | Run | None = None, *, also: Any = None) -> None:
        self._target = run
        self._also = also

    @property
    def run(self) -> Run:
        """Started when it is first needed: in the process that trains, not the one that configures."""
        return shared_run(self._target)

    def log(
        self,
        *,
        prompts: Sequence[Any],
        generator_output: Mapping[str, Any],
        tokenizer: Any,
        global_step: int | None,
        wandb_key: str,
        **others: Any,
    ) -> None:
        if self._also is not None:
            self._also.log(
                prompts=prompts, generator_output=generator_output, tokenizer=tokenizer, global_step=global_step,
                wandb_key=wandb_key, **others,
            )  # fmt: skip
        step, name = global_step or 0, wandb_key.rpartition("/")[2]
        with (
            harmless(lambda: self.run, f"SkyRL's trajectories of step {step}"),
            self.run.iteration(step) if name == "train" else self.run.evaluation(name, step) as iteration,
        ):
            _add(iteration, _Rows(prompts, generator_output, tokenizer), others.get("num_turns_list"))
            log_numbers(iteration, generator_output.get("rollout_metrics"))


class _Rows:
    """The columns of a ``GeneratorOutput``; a trajectory has one row, or one per turn in step-wise training."""

    def __init__(self, prompts: Sequence[Any], output: Mapping[str, Any], tokenizer: Any) -> None:
        self.prompts = prompts
        self.tokenizer = tokenizer
        self.responses: Sequence[Sequence[int]] = output.get("response_ids") or ()
        self._output = output

    def at(self, name: str, row: int) -> Any:
        column = self._output.get(name)
        return None if column is None or row >= len(column) else column[row]

    def column(self, name: str) -> Sequence[Any]:
        return self._output.get(name) or ()

    def trajectories(self) -> list[list[int]]:
        """The rows of each trajectory, in order."""
        if self._output.get("is_last_step") is None:
            return [[row] for row in range(len(self.responses))]
        found: list[list[int]] = [[]]
        for row in range(len(self.responses)):
            found[-1].append(row)
            if self.at("is_last_step", row):
                found.append([])
        return [rows for rows in found if rows]


def _add(iteration: Iteration, rows: _Rows, turns: Any = None) -> None:
    """``turns`` is how many each trajectory had, where only the last ones are given: what was said before them is in the
    tokens of their prompts alone."""
    trajectories = rows.trajectories()
    aligned = len(rows.prompts) == len(trajectories)
    cut = [count > 1 for count in turns] if isinstance(turns, list) and len(turns) == len(trajectories) else []
    seconds = rows.column("trajectory_generation_times")
    for number, members in enumerate(trajectories):
        prompt = rows.prompts[number] if aligned and not (cut and cut[number]) else None
        identity = rows.at("trajectory_ids", members[-1])
        sample = _sample(rows, members, prompt)
        if len(seconds) == len(trajectories) and seconds[number] is not None:
            sample["timings"] = {"generation": seconds[number]}
        if identity is None:
            iteration.add(**sample)
        else:
            iteration.add(group=str(getattr(identity, "instance_id", identity)), **sample)


def _sample(rows: _Rows, members: list[int], prompt: Any) -> SampleFields:
    decode = rows.tokenizer.decode
    first, last = members[0], members[-1]
    prompt_ids = rows.at("prompt_token_ids", first)
    if prompt is None and prompt_ids is not None:
        prompt = decode(list(prompt_ids), skip_special_tokens=False)
    masks = [rows.at("loss_masks", row) or [1] * len(rows.responses[row]) for row in members]
    reward = rows.at("rewards", last)
    out: SampleFields = {
        "prompt": prompt if isinstance(prompt, (str, list)) else str(prompt),
        "response": [
            message
            for place, row in enumerate(members)
            for message in [
                *_between(rows, members[place - 1] if place else None, row),
                *turns_by_mask(rows.responses[row], masks[place], decode),
            ]
        ],
        "reward": sum(reward) if isinstance(reward, (list, tuple)) else reward,
        "completion_tokens": sum(sum(mask) for mask in masks),
    }
    if prompt_ids is not None:
        out["prompt_tokens"] = len(prompt_ids)
        if len(members) == 1:
            out["total_tokens"] = len(prompt_ids) + len(rows.responses[last])
    if isinstance(stop := rows.at("stop_reasons", last), str):
        out["stop_reason"] = stop
    if metrics := numbers_of(rows.at("env_metrics", last)):
        out["metrics"] = metrics
    if wants_tokens() and len(members) == 1:
        out["tokens"] = {"ids": list(rows.responses[last]), "mask": masks[0]}
        if (logprobs := rows.at("rollout_logprobs", last)) is not None:
            out["tokens"] = {"ids": list(rows.responses[last]), "mask": masks[0], "logprobs": logprobs}
    return out


def _between(rows: _Rows, before: int | None, row: int) -> list[dict[str, str]]:
    """What the environment said between two turns, where the next prompt goes on from the last turn."""
    if before is None:
        return []
    context = [*(rows.at("prompt_token_ids", before) or ()), *rows.responses[before]]
    following = list(rows.at("prompt_token_ids", row) or ())
    if following[: len(context)] != context or len(following) == len(context):
        return []
    return [{"role": "user", "content": rows.tokenizer.decode(following[len(context) :], skip_special_tokens=False)}]
