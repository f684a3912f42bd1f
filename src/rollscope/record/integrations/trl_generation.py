"""What one call of TRL's ``_generate_and_score_completions`` knows of its completions.

Everything is taken while the call runs: from what goes through ``_generate`` and ``_calculate_rewards``, and from what
the trainer adds to its own log. That log keeps no more than a training batch, so its content afterwards is no source.
With several processes the trainer itself gathers prompts, completions, advantages and the columns of ``log_extra``; what
only a row's own process knows travels as one more such column, so that no communication is added.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

#: Our column among those of ``log_extra``. It is taken out again and never shown by TRL.
COLUMN = "_rollscope"


class Completion(Struct):
    """One completion with all that is known of it."""

    prompt: Any
    response: Any
    rewards: dict[str, float]
    reward: float | None
    advantage: float | None
    golden_answers: dict[str, Any]
    #: Columns that reward functions logged with ``log_extra``.
    extra: dict[str, Any]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    stop_reason: str | None = None
    #: Per token: ``ids``, ``logprobs`` of the sampler, ``mask`` (0: a tool's output).
    tokens: dict[str, list[Any]] = {}


class _Tap:
    """Stands in for one of the trainer's bounded lists during a call, and keeps all that is added."""

    def __init__(self, inner: Any, *, hidden: bool = False) -> None:
        self.seen: list[Any] = []
        self._inner = inner
        self._hidden = hidden

    def extend(self, values: Any) -> None:
        values = list(values)
        self.seen.extend(values)
        if not self._hidden:
            self._inner.extend(values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)


class _Taps(dict[str, Any]):
    """Keeps what is added to the trainer's lists by name: rewards by function, extra columns."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self._inner = inner

    def __missing__(self, name: str) -> _Tap:
        tap = self[name] = _Tap([], hidden=True) if name == COLUMN else _Tap(self._inner[name])
        return tap


class Generation:
    """Watches one call at a time. ``with generation.watch(trainer): …`` and then ``completions()``."""

    def __init__(self, trainer: Any, golden_columns: Sequence[str], *, tokens: bool) -> None:
        self._trainer = trainer
        self._golden_columns = golden_columns
        self._with_tokens = tokens
        self._generated: tuple[Any, ...] = ()
        self._scored: tuple[Any, ...] = ()
        self._rewards: Any = None
        self._logs: dict[str, Any] = {}
        self._wrap("_generate", self._on_generate)
        self._wrap("_calculate_rewards", self._on_rewards)

    def _wrap(self, name: str, seen: Any) -> None:
        original = getattr(self._trainer, name, None)
        if original is None:
            return

        def wrapped(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            with contextlib.suppress(Exception):  # what cannot be seen is missing; the trainer goes on
                seen((*arguments, *named.values()), result)
            return result

        setattr(self._trainer, name, wrapped)

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        self._generated, self._scored, self._rewards = (), (), None
        trainer = self._trainer
        logs = getattr(trainer, "_logs", None)
        self._logs = {}
        if not isinstance(logs, dict):
            yield
            return
        for name, value in logs.items():
            self._logs[name] = _Taps(value) if isinstance(value, Mapping) else _Tap(value)
        trainer._logs = self._logs
        try:
            yield
        finally:
            trainer._logs = logs

    def _on_generate(self, _arguments: tuple[Any, ...], result: Any) -> None:
        if isinstance(result, tuple):
            self._generated = result

    def _on_rewards(self, arguments: tuple[Any, ...], result: Any) -> None:
        self._scored, self._rewards = arguments, result
        pending = getattr(self._trainer, "_pending_extra_logs", None)
        if pending is not None and self._trainer.accelerator.num_processes > 1:
            pending[COLUMN].extend(self._details())

    # -- what was seen -------------------------------------------------------------------------------------------------

    def completions(self, output: Mapping[str, Any]) -> list[Completion]:
        """All completions of the call: of all processes where the trainer gathers them, else those of this one."""
        trainer, rewards = self._trainer, self._rewards.tolist()
        inputs, prompts, completions = self._scored[:3]
        extra = {name: tap.seen for name, tap in (self._logs.get("extra") or {}).items()}
        details = self._details()
        advantages = self._logged("advantages", len(rewards))
        if trainer.accelerator.num_processes > 1:
            gathered = self._logged("prompt", len(rewards)), self._logged("completion", len(rewards))
            if None in gathered:
                first = trainer.accelerator.process_index * len(inputs)
                rewards = rewards[first : first + len(inputs)]
                advantages = None
            else:
                prompts, completions = gathered
                details = [item or {} for item in extra.get(COLUMN, [])] or [{}] * len(rewards)
        if advantages is None:
            found = output.get("advantages")
            advantages = found.tolist() if found is not None else [None] * len(rewards)
        extra = {name: values for name, values in extra.items() if name != COLUMN and len(values) == len(rewards)}
        names, weights = list(trainer.reward_func_names), trainer.reward_weights.tolist()
        made = []
        for place, row in enumerate(rewards):
            known = {name: value for name, value in zip(names, row) if not math.isnan(value)}
            total = sum(weight * value for weight, value in zip(weights, row) if not math.isnan(value))
            made.append(
                Completion(
                    prompt=prompts[place],
                    response=completions[place],
                    rewards=known,
                    reward=total if known else None,
                    advantage=_number(advantages[place]),
                    extra={name: values[place] for name, values in extra.items() if values[place] is not None},
                    **{"golden_answers": {}, **details[place]},
                )
            )
        return made

    def left_out(self, count: int) -> list[str]:
        """Columns of ``log_extra`` that have another number of values than there are completions."""
        columns = self._logs.get("extra") or {}
        return [name for name, tap in columns.items() if name != COLUMN and len(tap.seen) not in (0, count)]

    def _logged(self, name: str, count: int) -> Any:
        tap = self._logs.get(name)
        return tap.seen if tap is not None and len(tap.seen) == count else None

    def _details(self) -> list[dict[str, Any]]:
        """What this process knows of its own rows."""
        inputs, ids = self._scored[0], self._scored[3]
        prompt_ids = self._generated[0] if self._generated else None
        mask = _like(ids, self._generated[2:3])
        logprobs = _like(ids, self._generated[4:5])
        ends = set(getattr(self._trainer, "eos_token_ids", ()))
        processing = self._trainer.processing_class
        for owner in (processing, getattr(processing, "tokenizer", None)):
            ends |= {getattr(owner, name, None) for name in ("eos_token_id", "pad_token_id")}
        out = []
        for place, row in enumerate(inputs):
            own = list(map(int, ids[place]))
            item: dict[str, Any] = {
                "golden_answers": {
                    name: row[name] for name in self._golden_columns if isinstance(row.get(name), (str, int, float))
                },
                "completion_tokens": len(own) if mask is None else int(sum(mask[place])),
                "stop_reason": "stop" if own and own[-1] in ends else "length",
            }
            if prompt_ids is not None:
                item["prompt_tokens"] = len(prompt_ids[place])
                item["total_tokens"] = len(prompt_ids[place]) + len(own)
            if self._with_tokens:
                item["tokens"] = {"ids": own}
                if logprobs is not None:
                    item["tokens"]["logprobs"] = list(logprobs[place])
                if mask is not None:
                    item["tokens"]["mask"] = list(map(int, mask[place]))
            out.append(item)
        return out


def _like(ids: Sequence[Sequence[int]], candidates: Sequence[Any]) -> Any:
    """The candidate, if it has one number for each token. What ``_generate`` returns differs between versions."""
    for found in candidates:
        if isinstance(found, (list, tuple)) and len(found) == len(ids):
            same = all(
                not isinstance(a, str) and hasattr(a, "__len__") and len(a) == len(b) for a, b in zip(found, ids)
            )
            if same and all(isinstance(value, (int, float)) for value in found[0][:1]):
                return found
    return None


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
