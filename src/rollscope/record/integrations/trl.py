"""A callback that records TRL's ``GRPOTrainer`` and ``RLOOTrainer``: every completion, in training and in evaluation.

    from rollscope.record.integrations.trl import RollscopeCallback

    trainer = GRPOTrainer(...)
    RollscopeCallback("runs/my-run").attach(trainer)
    trainer.train()

A callback alone does not see completions, so ``attach`` also watches the trainer's generation. Needs ``trl``, which
is no dependency of Rollscope. With several processes, attach it in each; the main one records for all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rollscope.record.integrations.trl_generation import Completion, Generation
from rollscope.record.iteration import Iteration
from rollscope.record.output.problems import RecordError
from rollscope.record.run import Run, start
from rollscope.record.samples.fields import SampleFields

if TYPE_CHECKING:
    TrainerCallback = object
else:
    try:
        from transformers import TrainerCallback
    except ImportError:  # no trainer either: this is a test of ours, or somebody's documentation build
        TrainerCallback = object

#: Columns of the dataset that hold reference answers.
GOLDEN_COLUMNS = ("solution", "answer", "ground_truth", "target", "label")


class RollscopeCallback(TrainerCallback):
    """Records into a directory, or into a run that is already open.

    ``env`` names the environment; ``golden_columns`` are the dataset's columns with reference answers; ``tokens`` records
    each completion's token ids, the sampler's log-probabilities and the mask of tool output too. ``options`` are those of
    :func:`rollscope.record.start`."""

    def __init__(
        self,
        run: str | os.PathLike[str] | Run,
        *,
        env: str | None = None,
        golden_columns: Sequence[str] = GOLDEN_COLUMNS,
        tokens: bool = False,
        **options: Any,
    ) -> None:
        self._target = run
        self._options = options
        self._env = env
        self._golden = golden_columns
        self._tokens = tokens
        self._run: Run | None = run if isinstance(run, Run) else None
        self._iteration: Iteration | None = None
        self._evaluator = "eval"
        self._trainer: Any = None

    @property
    def run(self) -> Run:
        """The run, started when it is first needed."""
        if self._run is None:
            assert not isinstance(self._target, Run)
            self._run = start(self._target, **self._options)
        return self._run

    def attach(self, trainer: Any) -> RollscopeCallback:
        """Record ``trainer``. Its own behaviour is unchanged."""
        if self._trainer is trainer:
            return self
        self._trainer = trainer
        if self not in trainer.callback_handler.callbacks:
            trainer.add_callback(self)
        generation = Generation(trainer, self._golden, tokens=self._tokens)
        generate = trainer._generate_and_score_completions

        def recorded(inputs: Any) -> Any:
            with generation.watch():
                output = generate(inputs)
            if trainer.accelerator.is_main_process:
                self._guarded(trainer, generation, output)
            return output

        trainer._generate_and_score_completions = recorded
        if (evaluate := getattr(trainer, "evaluation_loop", None)) is not None:

            def named(*arguments: Any, **options: Any) -> Any:
                prefix = options.get("metric_key_prefix") or (arguments[4] if len(arguments) > 4 else "eval")
                self._evaluator = str(prefix).removeprefix("eval_")
                return evaluate(*arguments, **options)

            trainer.evaluation_loop = named
        return self

    # -- completions ---------------------------------------------------------------------------------------------------

    def _guarded(self, trainer: Any, generation: Generation, output: Any) -> None:
        try:
            self._record(trainer, generation, output)
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001  # TRL's internals may change; training goes on
            self.run.report_problem(f"TRL's completions could not be recorded: {type(error).__name__}: {error}.")

    def _record(self, trainer: Any, generation: Generation, output: Any) -> None:
        training = trainer.model.training
        step = trainer.state.global_step + 1 if training else trainer.state.global_step
        completions = generation.completions(output)
        iteration = self._open(step, training)
        size = (
            trainer.num_generations if training else getattr(trainer, "num_generations_eval", trainer.num_generations)
        )
        shared: SampleFields = {} if self._env is None else {"env": self._env}
        if training:
            shared["sampling_step"] = step
        for first in range(0, len(completions), size):
            with iteration.group(**shared) as group:
                for completion in completions[first : first + size]:
                    group.add(**_sample(completion))
        for column in generation.left_out(len(completions)):
            self.run.report_problem(f"log_extra({column!r}, …) did not give one value per completion; it is left out.")

    def _open(self, step: int, training: bool) -> Iteration:
        """One iteration per optimizer step, however many generations it takes."""
        wanted = self.run.iteration(step) if training else self.run.evaluation(self._evaluator, step)
        if self._iteration is not None and self._iteration is not wanted:
            self._iteration.close()
        self._iteration = wanted
        return wanted

    # -- the trainer's events ------------------------------------------------------------------------------------------

    def on_train_begin(self, args: Any, state: Any, _control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            self.run.set_config({"trl": args.to_dict()})
            self.run.set_total_steps(state.max_steps)

    def on_step_end(self, _args: Any, _state: Any, _control: Any, **_: Any) -> None:
        self._close_iteration()

    def on_evaluate(self, _args: Any, _state: Any, _control: Any, **_: Any) -> None:
        self._close_iteration()
        self._evaluator = "eval"

    def on_predict(self, _args: Any, _state: Any, _control: Any, *_: Any, **__: Any) -> None:
        self._close_iteration()

    def on_log(self, _args: Any, state: Any, _control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        if state.is_world_process_zero and logs:
            self.run.log_metrics({self._named(name): value for name, value in logs.items()}, step=state.global_step)

    def _named(self, metric: str) -> str:
        """TRL calls the reward of every evaluation ``eval_reward``; two of one step must not take each other's place."""
        own = f"eval_{self._evaluator}_"
        if self._evaluator == "eval" or not metric.startswith("eval_") or metric.startswith(own):
            return metric
        return own + metric.removeprefix("eval_")

    def on_save(self, args: Any, state: Any, _control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            path = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
            self.run.checkpoint(step=state.global_step, state_path=path, loop_state={"epoch": state.epoch})

    def on_train_end(self, _args: Any, state: Any, _control: Any, **_: Any) -> None:
        # The run stays open: an evaluation may follow, or more training. It is closed with the process.
        self._close_iteration()
        if state.is_world_process_zero:
            self.run.flush()

    def close(self) -> None:
        """Close the run, where the end of the process is too late for that."""
        self._close_iteration()
        if self._run is not None:
            self._run.close()

    def _close_iteration(self) -> None:
        if self._iteration is not None:
            self._iteration.close()
            self._iteration = None


def _sample(completion: Completion) -> SampleFields:
    sample: SampleFields = {
        "prompt": completion.prompt,
        "response": completion.response,
        "reward": completion.reward,
        "rewards": completion.rewards,
        "advantage": completion.advantage,
    }
    if completion.golden_answers:
        sample["golden_answers"] = completion.golden_answers
    if completion.prompt_tokens is not None:
        sample["prompt_tokens"] = completion.prompt_tokens
    if completion.completion_tokens is not None:
        sample["completion_tokens"] = completion.completion_tokens
    if completion.total_tokens is not None:
        sample["total_tokens"] = completion.total_tokens
    if completion.stop_reason is not None:
        sample["stop_reason"] = completion.stop_reason
    if completion.tokens:
        sample["tokens"] = completion.tokens
    numbers = {name: value for name, value in completion.extra.items() if isinstance(value, (bool, int, float))}
    if numbers:
        sample["metrics"] = numbers
    if others := {name: value for name, value in completion.extra.items() if name not in numbers}:
        sample["turns"] = [{"logs": others}]
    return sample
