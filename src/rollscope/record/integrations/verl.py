"""verl: its trainer's own dumps, recorded with advantages and groups, which the dumps lack.

    trainer.rollout_data_dir=… trainer.validation_data_dir=…
    +ray_kwargs.ray_init.runtime_env.worker_process_setup_hook=rollscope.record.integrations.verl.install

or ``install("runs/my-run")`` before training, in the process that trains. The run lies where ``ROLLSCOPE_RUN`` says, else in
``rollscope`` below ``trainer.default_local_dir``.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
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
from rollscope.record.run import Run
from rollscope.record.samples.fields import SampleFields


def install(run: Target = None) -> None:
    """Let verl's trainers record: ``RayPPOTrainer``, and ``PPOTrainer`` of its second generation."""
    when_imported("verl.trainer.ppo.ray_trainer", lambda module: patch_classic(module, run))
    when_imported("verl.trainer.ppo.v1.trainer_base", lambda module: patch_v1(module, run))


def patch_classic(module: Any, run: Target) -> None:
    trainer = module.RayPPOTrainer
    dump = trainer._log_rollout_data

    def recorded(self: Any, batch: Any, reward_extra_infos_dict: Any, *more: Any, **named: Any) -> Any:
        with harmless(lambda: _run(self, run), f"verl's batch of step {self.global_steps}"):
            record_batch(_run(self, run), self.global_steps, batch, reward_extra_infos_dict, self.tokenizer)
        with _training(self):
            return dump(self, batch, reward_extra_infos_dict, *more, **named)

    trainer._log_rollout_data = recorded
    _patch_validation(trainer, run)


def patch_v1(module: Any, run: Target) -> None:
    trainer = module.PPOTrainer
    dump = trainer._log_rollout_data
    fields = ["prompts", "responses", "rm_scores", "reward_model", "advantages", "response_mask", "data_source"]

    def recorded(self: Any, batch: Any, *more: Any, **named: Any) -> Any:
        with harmless(lambda: _run(self, run), f"verl's batch of step {self.global_steps}"):
            data = module.tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=fields)
            record_stored(_run(self, run), self.global_steps, batch.keys, data, self.tokenizer)
        with _training(self):
            return dump(self, batch, *more, **named)

    trainer._log_rollout_data = recorded
    _patch_validation(trainer, run)


def _patch_validation(trainer: Any, run: Target) -> None:
    """A validation is known by the folder into which it is dumped, and by no batch being logged meanwhile: both kinds may
    go into one folder."""
    dump = trainer._dump_generations
    takes = inspect.signature(dump)

    def recorded(self: Any, *given: Any, **named: Any) -> Any:
        if not getattr(self, _TRAINING, False):
            with harmless(lambda: _run(self, run), f"verl's validation at step {self.global_steps}"):
                _record_dump(self, run, takes.bind(self, *given, **named))
        return dump(self, *given, **named)

    trainer._dump_generations = recorded


def _record_dump(trainer: Any, run: Target, call: inspect.BoundArguments) -> None:
    """Arguments are read by name: versions before 0.6 have no `gts`, and forks have more of them."""
    given: dict[str, Any] = {}
    for name, value in call.arguments.items():
        if call.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            given |= value
        else:
            given[name] = value
    folder = trainer.config.trainer.get("validation_data_dir", None)
    if folder and folder in [value for value in given.values() if isinstance(value, str)]:
        extra = next((value for value in given.values() if isinstance(value, Mapping)), {})
        asked, answered, scores = (given[name] for name in ("inputs", "outputs", "scores"))
        record_validation(_run(trainer, run), trainer.global_steps, asked, answered, given.get("gts"), scores, extra)


#: Set on a trainer while it logs a training batch.
_TRAINING = "_rollscope_logs_training"


@contextlib.contextmanager
def _training(trainer: Any) -> Iterator[None]:
    setattr(trainer, _TRAINING, True)
    try:
        yield
    finally:
        setattr(trainer, _TRAINING, False)


def _run(trainer: Any, target: Target) -> Run:
    folder = trainer.config.trainer.get("default_local_dir", None)
    return shared_run(target, default=os.path.join(folder, "rollscope") if folder else "rollscope-run")


# -- batches -------------------------------------------------------------------------------------------------------------


def record_batch(run: Run, step: int, batch: Any, extra: Any, tokenizer: Any) -> None:
    """A ``DataProto`` with its advantages, as one step of training."""
    tensors, others = batch.batch, batch.non_tensor_batch
    responses = _rows(tensors["responses"])
    width = len(responses[0]) if responses else 0
    attention = _rows(tensors["attention_mask"])
    prompts, masks = _rows(tensors["prompts"]), _rows(_get(tensors, "response_mask"))
    scores, advantages = _rows(tensors["token_level_scores"]), _rows(_get(tensors, "advantages"))
    sampler, trainer = _rows(_get(tensors, "rollout_log_probs")), _rows(_get(tensors, "old_log_probs"))
    columns = {name: _list(values) for name, values in dict(extra or {}).items()}
    with run.iteration(step) as iteration:
        for row, response in enumerate(responses):
            length = sum(attention[row][-width:])
            ids = response[:length]
            mask = masks[row][:length] if masks else [1] * length
            sample = _sample(
                prompt=_raw_prompt(others, row)
                or tokenizer.decode(_unpadded(prompts[row], attention[row]), skip_special_tokens=False),
                ids=ids,
                mask=mask,
                advantages=advantages[row][:length] if advantages else None,
                tokenizer=tokenizer,
            )
            sample["reward"] = sum(scores[row])
            sample["prompt_tokens"] = sum(attention[row][: len(attention[row]) - width])
            metrics = {name: values[row] for name, values in columns.items() if len(values) == len(responses)}
            sample["metrics"] = numbers_of(metrics)
            _add_row(sample, others, row)
            if wants_tokens():
                found = {"logprobs": sampler, "trainer_logprobs": trainer, "advantage": advantages}
                arrays = {name: values[row][:length] for name, values in found.items() if values}
                sample["tokens"] = {"ids": ids, "mask": mask, **arrays}
            uid = _value_at(others, "uid", row)
            iteration.add(group=None if uid is None else str(uid), **sample)


def record_stored(run: Run, step: int, keys: Sequence[str], data: Any, tokenizer: Any) -> None:
    """Rows of the second generation's store. A key is ``{group}_{sample}_{part}``; the last part has the final score."""
    prompts, responses = _list(data["prompts"]), _list(data["responses"])
    masks, advantages = _list(_get(data, "response_mask")), _list(_get(data, "advantages"))
    scores = _list(data["rm_scores"])
    with run.iteration(step) as iteration:
        for row, key in sorted(enumerate(keys), key=lambda item: _key_parts(item[1])):
            ids = [int(token) for token in _list(responses[row])]
            sample = _sample(
                prompt=tokenizer.decode([int(token) for token in _list(prompts[row])], skip_special_tokens=False),
                ids=ids,
                mask=[int(value) for value in _list(masks[row])] if masks else [1] * len(ids),
                advantages=_list(advantages[row]) if advantages else None,
                tokenizer=tokenizer,
            )
            sample["reward"] = sum(_list(scores[row]))
            sample["prompt_tokens"] = len(_list(prompts[row]))
            _add_row(sample, data, row)
            group, number, part = _key_parts(key)
            sample["tags"] = [f"part {part}"] if part else []
            sample["prompt_id"] = f"{group}_{number}"
            iteration.add(group=group, **sample)


def record_validation(
    run: Run, step: int, inputs: Any, outputs: Any, gts: Any, scores: Any, extra: Mapping[str, Any]
) -> None:
    """A validation, by data source where verl tells it."""
    columns = {name: _list(values) for name, values in extra.items()}
    sources = columns.get("data_source", [])
    for row, (prompt, response, score) in enumerate(zip(inputs, outputs, scores)):
        name = str(sources[row]) if len(sources) == len(inputs) else "validation"
        sample: SampleFields = {"prompt": prompt, "response": response, "reward": score}
        if gts is not None and gts[row] is not None:
            sample["golden_answers"] = {"ground_truth": gts[row]}
        metrics = {key: values[row] for key, values in columns.items() if len(values) == len(inputs)}
        sample["metrics"] = numbers_of(metrics)
        uid = metrics.get("uid")
        group = f"prompt {inputs.index(prompt)}" if uid is None else _key_parts(str(uid))[0]
        run.evaluation(name, step).add(group=group, **sample)
    for name in dict.fromkeys(map(str, sources)) if len(sources) == len(inputs) else ["validation"]:
        run.evaluation(name, step).close()


def _sample(*, prompt: Any, ids: list[int], mask: list[int], advantages: Any, tokenizer: Any) -> SampleFields:
    out: SampleFields = {
        "prompt": prompt,
        "response": turns_by_mask(ids, mask, tokenizer.decode),
        "completion_tokens": sum(map(bool, mask)),
    }
    if advantages is not None:
        trained = [float(value) for value, kept in zip(advantages, mask) if kept]
        if (advantage := constant(trained)) is not None:
            out["advantage"] = advantage
    return out


def _add_row(sample: SampleFields, columns: Any, row: int) -> None:
    model = _value_at(columns, "reward_model", row)
    if isinstance(model, Mapping) and model.get("ground_truth") is not None:
        sample["golden_answers"] = {"ground_truth": model["ground_truth"]}
    source = _value_at(columns, "data_source", row)
    if isinstance(source, str):
        sample["dataset"] = source


def _raw_prompt(others: Any, row: int) -> Any:
    """The prompt's messages, where the data loader kept them."""
    found = _value_at(others, "raw_prompt", row)
    return list(found) if isinstance(found, (list, tuple)) or hasattr(found, "tolist") else None


def _key_parts(key: str) -> tuple[str, int, int]:
    group, *rest = key.rsplit("_", 2)
    return (group, int(rest[0]), int(rest[1])) if len(rest) == 2 and all(map(str.isdigit, rest)) else (key, 0, 0)


def _unpadded(ids: list[int], attention: list[int]) -> list[int]:
    return [token for token, kept in zip(ids, attention) if kept]


def _rows(tensor: Any) -> list[list[Any]]:
    return [] if tensor is None else [list(row) for row in _list(tensor)]


def _list(values: Any) -> list[Any]:
    if values is None:
        return []
    found = values.tolist() if hasattr(values, "tolist") and not getattr(values, "is_nested", False) else list(values)
    return found if isinstance(found, list) else [found]


def _get(columns: Any, name: str) -> Any:
    return columns[name] if name in columns else None  # noqa: SIM401  # a TensorDict has no such `get` in all versions


def _value_at(columns: Any, name: str, row: int) -> Any:
    values = _get(columns, name)
    return None if values is None else values[row]
