"""A callback that records TRL's ``GRPOTrainer``: every completion with its rewards by function and its advantage.

    from rollscope.record.integrations.trl import RollscopeCallback

    trainer = GRPOTrainer(...)
    RollscopeCallback("runs/my-run").attach(trainer)
    trainer.train()

A callback alone is not told about completions, so ``attach`` also wraps the trainer's generation, and reads what it has
just logged for itself. Needs ``trl`` (0.18 or later), which is no dependency of Rollscope.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from transformers import TrainerCallback

from rollscope.record.iteration import Iteration
from rollscope.record.problems import RecordError
from rollscope.record.run import Run, start
from rollscope.record.sample import SampleFields

#: Columns of the dataset that hold reference answers.
GOLDEN_COLUMNS = ("solution", "answer", "ground_truth", "target", "label")


class RollscopeCallback(TrainerCallback):  # type: ignore[misc]
    """Records into a directory, or into a run that is already open. Processes other than the main one record nothing:
    TRL gathers all completions there."""

    def __init__(
        self,
        run: str | os.PathLike[str] | Run,
        *,
        env: str | None = None,
        golden_columns: Sequence[str] = GOLDEN_COLUMNS,
        **options: Any,
    ) -> None:
        self._target = run
        self._options = options
        self._env = env
        self._golden = golden_columns
        self._run: Run | None = run if isinstance(run, Run) else None
        self._owns_run = not isinstance(run, Run)
        self._iteration: Iteration | None = None

    @property
    def run(self) -> Run:
        """The run, started when it is first needed."""
        if self._run is None:
            assert not isinstance(self._target, Run)
            self._run = start(self._target, **self._options)
        return self._run

    def attach(self, trainer: Any) -> RollscopeCallback:
        """Record ``trainer``. Its own behaviour is unchanged."""
        if self not in trainer.callback_handler.callbacks:
            trainer.add_callback(self)
        generate = trainer._generate_and_score_completions

        def recorded(inputs: Any) -> Any:
            output = generate(inputs)
            if trainer.accelerator.is_main_process:
                self._guarded(trainer, inputs, output)
            return output

        trainer._generate_and_score_completions = recorded
        return self

    # -- completions -------------------------------------------------------------------------------------------------------

    def _guarded(self, trainer: Any, inputs: Any, output: Any) -> None:
        try:
            self._record(trainer, inputs, output)
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001  # TRL's internals may change; training goes on
            self.run.report_problem(f"TRL's completions could not be recorded: {type(error).__name__}: {error}.")

    def _record(self, trainer: Any, inputs: Any, output: Any) -> None:
        training = trainer.model.training
        step = trainer.state.global_step + 1 if training else trainer.state.global_step
        iteration = self._open(step, training)
        count = len(inputs) * trainer.accelerator.num_processes
        logs = trainer._logs
        prompts, completions = list(logs["prompt"])[-count:], list(logs["completion"])[-count:]
        advantages = list(logs["advantages"])[-count:]
        rewards = {name: list(values)[-count:] for name, values in logs["rewards"].items()}
        weights = dict(zip(trainer.reward_func_names, trainer.reward_weights.tolist()))
        size = (
            trainer.num_generations if training else getattr(trainer, "num_generations_eval", trainer.num_generations)
        )
        local = trainer.accelerator.num_processes == 1
        sizes = _sizes(trainer, output) if local else [{} for _ in range(count)]
        for first in range(0, count, size):
            with iteration.group(**self._shared(inputs[first] if local else {}, step if training else None)) as group:
                for place in range(first, min(first + size, count)):
                    parts = {name: values[place] for name, values in rewards.items() if not math.isnan(values[place])}
                    sample: SampleFields = {
                        "prompt": prompts[place],
                        "response": completions[place],
                        "reward": sum(weights[name] * value for name, value in parts.items()) if parts else None,
                        "rewards": parts,
                        "advantage": advantages[place],
                        **sizes[place],
                    }
                    group.add(**sample)

    def _open(self, step: int, training: bool) -> Iteration:
        """One iteration per optimizer step, however many generations it takes."""
        wanted = self.run.iteration(step) if training else self.run.evaluation("eval", step)
        if self._iteration is not None and self._iteration is not wanted:
            self._iteration.close()
        self._iteration = wanted
        return wanted

    def _shared(self, row: Mapping[str, Any], step: int | None) -> SampleFields:
        out: SampleFields = {}
        if self._env is not None:
            out["env"] = self._env
        golden = {name: row[name] for name in self._golden if isinstance(row.get(name), (str, int, float))}
        if golden:
            out["golden_answers"] = golden
        if step is not None:
            out["sampling_step"] = step
        return out

    # -- the trainer's events ----------------------------------------------------------------------------------------------

    def on_train_begin(self, args: Any, state: Any, _control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            self.run.set_config({"trl": args.to_dict()})
            self.run.set_total_steps(state.max_steps)

    def on_step_end(self, _args: Any, _state: Any, _control: Any, **_: Any) -> None:
        self._close_iteration()

    def on_evaluate(self, _args: Any, _state: Any, _control: Any, **_: Any) -> None:
        self._close_iteration()

    def on_log(self, _args: Any, state: Any, _control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        if state.is_world_process_zero and logs:
            self.run.log_metrics(logs, step=state.global_step)

    def on_save(self, args: Any, state: Any, _control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            path = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
            self.run.checkpoint(step=state.global_step, state_path=path, loop_state={"epoch": state.epoch})

    def on_train_end(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
        self._close_iteration()
        if state.is_world_process_zero:
            if self._owns_run:
                self.run.close()
            else:
                self.run.flush()

    def _close_iteration(self) -> None:
        if self._iteration is not None:
            self._iteration.close()
            self._iteration = None


def _sizes(trainer: Any, output: Mapping[str, Any]) -> list[SampleFields]:
    """Token counts, and whether a completion was cut off, per sample."""
    mask, ids = output["completion_mask"], output["completion_ids"]
    prompt_sizes = output["prompt_mask"].sum(dim=1).tolist()
    processing = trainer.processing_class
    ends = {getattr(processing, name, None) for name in ("eos_token_id", "pad_token_id")} - {None}
    out: list[SampleFields] = []
    for place, size in enumerate(mask.sum(dim=1).tolist()):
        ended = size > 0 and int(ids[place, int(size) - 1]) in ends
        out.append(
            {
                "prompt_tokens": int(prompt_sizes[place]),
                "completion_tokens": int(size),
                "stop_reason": "stop" if ended else "length",
            }
        )
    return out
