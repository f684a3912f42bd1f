"""The TRL callback on objects of a trainer's shape, where TRL itself is not installed.

The trainer here does with its lists and collectives what TRL 1.16's does; `test_trl.py` runs the real one."""

from __future__ import annotations

from collections import defaultdict, deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.record.helpers import lines, rollouts

from rollscope.record.integrations.trl import RollscopeCallback

EOS = 9


class Array(list[Any]):
    """What is used of a tensor."""

    def tolist(self) -> list[Any]:
        return list(self)


class Trainer:
    """Process ``rank`` of ``world``; ``others`` has what the other processes would send, by what is gathered."""

    def __init__(self, *, batch: int = 4, processes: int = 1, tools: bool = False) -> None:
        self.callback_handler = SimpleNamespace(callbacks=[])
        self.accelerator = SimpleNamespace(is_main_process=True, num_processes=processes, process_index=0)
        self.model = SimpleNamespace(training=True)
        self.state = SimpleNamespace(global_step=0, is_world_process_zero=True, max_steps=5, epoch=0.5)
        self.args = SimpleNamespace(output_dir="out", to_dict=lambda: {"beta": 0.0})
        self.reward_func_names = ["right", "short"]
        self.reward_weights = Array([1.0, 0.5])
        self.num_generations = self.num_generations_eval = 2
        self.eos_token_ids = [EOS]
        self.processing_class = SimpleNamespace(eos_token_id=EOS, pad_token_id=0)
        self._logs: dict[str, Any] = {
            "prompt": deque(maxlen=batch), "completion": deque(maxlen=batch), "advantages": deque(maxlen=batch),
            "rewards": defaultdict(lambda: deque(maxlen=batch)), "extra": defaultdict(lambda: deque(maxlen=batch)),
        }  # fmt: skip
        self._pending_extra_logs: defaultdict[str, list[Any]] = defaultdict(list)
        self._tools = tools

    def add_callback(self, callback: Any) -> None:
        self.callback_handler.callbacks.append(callback)

    def gather(self, values: Any) -> list[Any]:
        """Every other process has the same rows, told apart by a mark."""
        return [
            {**value, "completion_tokens": value["completion_tokens"] + 100 * rank}
            if rank and isinstance(value, dict)
            else f"{value}@{rank}" if rank and isinstance(value, str) else value
            for rank in range(self.accelerator.num_processes)
            for value in values
        ]  # fmt: skip

    def _generate(self, prompts: list[str]) -> tuple[Any, ...]:
        completions = [f"answer to {prompt}" for prompt in prompts]
        prompt_ids = [[1] * len(prompt) for prompt in prompts]
        ids = [[2, 3, 4, EOS if place % 2 else 5] for place in range(len(prompts))]
        mask = [[1, 0, 0, 1] for _ in ids] if self._tools else None
        logprobs = [[-0.1, -0.2, -0.3, -0.4] for _ in ids]
        return prompt_ids, ids, mask, completions, logprobs, {}, None, []

    def _calculate_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any) -> Array:
        assert len(inputs) == len(prompts) == len(completions) == len(completion_ids_list)
        self._pending_extra_logs["length"].extend(map(len, completions))
        self._pending_extra_logs["seen"].extend(f"saw {text}" for text in completions)
        rows = [[1.0 if place % 2 else 0.0, float("nan")] for place in range(len(prompts))]
        return Array(rows * self.accelerator.num_processes)

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        prompts = [row["prompt"] for row in inputs]
        _, ids, _, completions, *_ = self._generate(prompts)
        rewards = self._calculate_rewards(inputs, prompts, completions, ids)
        self._logs["prompt"].extend(self.gather(prompts))
        self._logs["completion"].extend(self.gather(completions))
        for place, name in enumerate(self.reward_func_names):
            self._logs["rewards"][name].extend([row[place] for row in rewards])
        advantages = [row[0] - 0.5 for row in rewards]
        self._logs["advantages"].extend(advantages)
        for column in sorted(self._pending_extra_logs):
            self._logs["extra"][column].extend(self.gather(self._pending_extra_logs[column]))
        self._pending_extra_logs.clear()
        return {"advantages": Array(advantages[: len(inputs)])}

    def evaluation_loop(self, rows: list[dict[str, Any]], description: str, metric_key_prefix: str = "eval") -> str:
        self.model.training = False
        self._generate_and_score_completions(rows)
        self.model.training = True
        return description


def questions(count: int) -> list[dict[str, Any]]:
    return [{"prompt": f"q{place // 2}", "answer": f"a{place // 2}"} for place in range(count)]


def text(line: dict[str, Any], place: int) -> str:
    return str(line["messages"][place]["parts"][0]["text"])


def test_a_batch_larger_than_the_trainer_s_own_log_is_recorded_whole(tmp_path: Path) -> None:
    trainer = Trainer(batch=4)
    callback = RollscopeCallback(tmp_path, strict=True).attach(trainer)
    assert trainer.evaluation_loop(questions(12), "Evaluation") == "Evaluation"
    callback.on_evaluate(trainer.args, trainer.state, None)
    callback.close()
    samples = rollouts(tmp_path, 0, "eval_eval")
    assert [text(line, 0) for line in samples] == [f"q{place // 2}" for place in range(12)]
    assert [line["golden_answers"]["answer"] for line in samples] == [f"a{place // 2}" for place in range(12)]
    assert [text(line, 1) for line in samples] == [f"answer to q{place // 2}" for place in range(12)]
    assert [(line["group"], line["index"]) for line in samples] == [(place // 2, place % 2) for place in range(12)]
    assert len(trainer._logs["prompt"]) == 4


def test_rewards_lengths_and_columns_are_those_of_the_call(tmp_path: Path) -> None:
    trainer = Trainer()
    callback = RollscopeCallback(tmp_path, env="sums", tokens=True, strict=True).attach(trainer)
    trainer._generate_and_score_completions(questions(4))
    callback.on_step_end(None, trainer.state, None)
    callback.close()
    unfinished, finished = rollouts(tmp_path, 1)[:2]
    assert finished["rewards"] == {"right": 1.0}
    assert (finished["reward"], finished["advantage"]) == (1.0, 0.5)
    assert (finished["prompt_tokens"], finished["completion_tokens"], finished["total_tokens"]) == (2, 4, 6)
    assert [(line["stop_reason"], line["status"]) for line in (unfinished, finished)] == [
        ("length", "truncated"),
        ("stop", "completed"),
    ]
    assert finished["metrics"] == {"length": len("answer to q0")}
    assert finished["turns"][0]["logs"] == {"seen": "saw answer to q0"}
    assert finished["tokens"]["logprobs"] == [-0.1, -0.2, -0.3, -0.4]
    assert finished["env"] == "sums"
    assert list(trainer._logs["extra"]) == ["length", "seen"]


def test_a_tool_s_output_is_not_counted_as_the_model_s(tmp_path: Path) -> None:
    trainer = Trainer(tools=True)
    callback = RollscopeCallback(tmp_path, tokens=True, strict=True).attach(trainer)
    trainer._generate_and_score_completions(questions(2))
    callback.close()
    for line in rollouts(tmp_path, 1):
        assert (line["completion_tokens"], line["total_tokens"]) == (2, 6)
        assert line["tokens"]["mask"] == [1, 0, 0, 1]


def test_the_main_process_records_what_the_others_know_of_their_rows(tmp_path: Path) -> None:
    trainer = Trainer(batch=4, processes=2)
    callback = RollscopeCallback(tmp_path, strict=True).attach(trainer)
    trainer._generate_and_score_completions(questions(4))
    callback.close()
    samples = rollouts(tmp_path, 1)
    assert len(samples) == 8
    assert [text(line, 0) for line in samples[4:]] == ["q0@1", "q0@1", "q1@1", "q1@1"]
    assert [line["golden_answers"]["answer"] for line in samples] == ["a0", "a0", "a1", "a1"] * 2
    assert [line["completion_tokens"] for line in samples] == [4] * 4 + [104] * 4
    assert {line["stop_reason"] for line in samples[4:]} == {"stop", "length"}
    # TRL prints and uploads its columns: ours is not among them.
    assert list(trainer._logs["extra"]) == ["length", "seen"]


def test_another_process_starts_no_run(tmp_path: Path) -> None:
    trainer = Trainer(processes=2)
    trainer.accelerator.is_main_process = False
    trainer.state.is_world_process_zero = False
    callback = RollscopeCallback(tmp_path / "run").attach(trainer)
    trainer._generate_and_score_completions(questions(4))
    callback.on_log(None, trainer.state, None, {"loss": 1.0})
    callback.on_train_end(None, trainer.state, None)
    assert not (tmp_path / "run").exists()


def test_an_evaluation_after_the_training_is_in_its_last_row(tmp_path: Path) -> None:
    trainer = Trainer()
    callback = RollscopeCallback(tmp_path, strict=True).attach(trainer)
    callback.on_train_begin(trainer.args, trainer.state, None)
    for step in (1, 2):
        trainer._generate_and_score_completions(questions(4))
        trainer.state.global_step = step
        callback.on_step_end(None, trainer.state, None)
        callback.on_log(None, trainer.state, None, {"loss": 0.5 / step})
    callback.on_train_end(None, trainer.state, None)
    trainer.evaluation_loop(questions(4), "Evaluation", metric_key_prefix="eval_held_out")
    callback.on_log(None, trainer.state, None, {"eval_reward": 0.5, "eval_held_out_loss": 0.25})
    callback.on_evaluate(None, trainer.state, None)
    callback.close()
    rows = lines(tmp_path / "metrics.jsonl")
    assert [(row["step"], row["loss"]) for row in rows] == [(1, 0.5), (2, 0.25)]
    assert {"eval_held_out_reward", "eval_held_out_loss", "held_out/env/all/reward/total"} <= set(rows[1])
    assert len(rollouts(tmp_path, 2, "eval_held_out")) == 4


def test_a_column_with_another_number_of_values_is_left_out_and_counted(tmp_path: Path) -> None:
    trainer = Trainer()
    score = trainer._calculate_rewards

    def twice(*arguments: Any) -> Array:
        trainer._pending_extra_logs["length"].append(0)
        return score(*arguments)

    trainer._calculate_rewards = twice  # type: ignore[assignment,method-assign]
    callback = RollscopeCallback(tmp_path).attach(trainer)
    trainer._generate_and_score_completions(questions(4))
    callback.close()
    assert callback.run.errors == 1
    assert [line.get("metrics") for line in rollouts(tmp_path, 1)] == [None] * 4


@pytest.mark.parametrize("missing", ["_logs", "_calculate_rewards", "reward_weights"])
def test_a_trainer_whose_insides_changed_still_trains(tmp_path: Path, missing: str) -> None:
    trainer = SimpleNamespace(
        callback_handler=SimpleNamespace(callbacks=[]),
        add_callback=lambda _: None,
        accelerator=SimpleNamespace(is_main_process=True, num_processes=1),
        _logs={},
        _calculate_rewards=lambda *_: Array(),
        reward_weights=Array(),
        _generate_and_score_completions=lambda _: "its output",
    )
    delattr(trainer, missing)
    callback = RollscopeCallback(tmp_path).attach(trainer)
    assert trainer._generate_and_score_completions([]) == "its output"
    assert callback.run.errors == 1
    callback.close()
