"""`trainer_state.json`: what the trainer logged, which of its calls were evaluations, and what its rewards are called."""

from __future__ import annotations

import math
import re
from typing import Any

from msgspec import Struct

from rollscope.formats.base import MetricRow
from rollscope.formats.lines.lenient import Unreadable, read_record
from rollscope.model import as_number
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

STATE = "trainer_state.json"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
_REWARD = re.compile(r"(eval_)?rewards/(.+)/mean")
_DATASET = re.compile(r"eval_(.+)_runtime")
_NOT_METRICS = frozenset({"step"})
#: Runtime and rate are logged with few digits.
_NEAR = 0.05

Entry = dict[str, float]


class Evaluation(Struct, frozen=True):
    """What was logged of one."""

    split: str
    #: Rows of the dataset; each has a group of completions.
    prompts: int
    #: Reward function -> mean.
    means: dict[str, float]


class TrainerState(Struct, kw_only=True):
    """The log history by step, as numbers."""

    entries: list[tuple[int, Entry]]
    #: The last step that it speaks of.
    last_step: int = 0
    eval_steps: int | None = None
    max_steps: int | None = None
    #: The evaluations by step, in order.
    evaluations: dict[int, list[Entry]] = {}

    def __post_init__(self) -> None:
        for step, entry in self.entries:
            if is_evaluation(entry):
                self.evaluations.setdefault(step, []).append(entry)

    @property
    def rewards(self) -> frozenset[str]:
        """The reward functions, as far as they were logged."""
        found = (_REWARD.fullmatch(name) for _, entry in self.entries for name in entry)
        return frozenset(match[2] for match in found if match)

    def evaluation(self, step: int) -> str | None:
        """The split of the last evaluation at this step, or None where there was none."""
        if step == 0:
            return "eval"  # training logs from step 1 on
        found = self.evaluations.get(step)
        if not found:
            return None
        named = next((match[1] for name in found[-1] if (match := _DATASET.fullmatch(name))), None)
        return f"eval/{named}" if named else "eval"

    def evaluation_alone(self, step: int) -> Evaluation | None:
        """The evaluation at this step of training, where it was the only one and its size was logged."""
        split = self.evaluation(step) if step else None
        entries = self.evaluations.get(step, [])
        if split is None or len(entries) != 1:
            return None
        prefix = f"eval_{dataset}_" if (dataset := split.partition("/")[2]) else "eval_"
        entry = entries[0]
        size = entry.get(f"{prefix}runtime", math.nan) * entry.get(f"{prefix}samples_per_second", math.nan)
        prompts = round(size) if math.isfinite(size) else 0
        means = {match[2]: value for name, value in entry.items() if (match := _REWARD.fullmatch(name)) and match[1]}
        return Evaluation(split, prompts, means) if prompts and abs(size - prompts) < _NEAR else None

    def split(self, step: int) -> str:
        """Of the completions that lie there when this step is over: an evaluation overwrites those of training."""
        found = self.evaluation(step)
        if found is None and step > self.last_step and self.eval_steps and step % self.eval_steps == 0:
            # Not logged yet. `eval_steps` has a value also where nothing is evaluated, so it must have held so far.
            found = self.evaluation(self.last_step // self.eval_steps * self.eval_steps or -1)
        return found or "train"


def is_evaluation(entry: Entry) -> bool:
    return any(name.startswith("eval_") for name in entry)


def checkpoint_steps(store: Store) -> list[int]:
    return sorted(int(match[1]) for name in store.folders() if (match := _CHECKPOINT.fullmatch(name)))


def state_file(store: Store) -> str | None:
    """The newest log history: the run's own when it has ended, else its last checkpoint's (a resumed run has both)."""
    folders = [(step, f"checkpoint-{step}/{STATE}") for step in reversed(checkpoint_steps(store))]
    newest = next(((step, path) for step, path in folders if store.exists(path)), None)
    if not store.exists(STATE):
        return newest[1] if newest else None
    own = read_state(store, STATE)
    return newest[1] if newest and newest[0] > own.last_step else STATE


def read_state(store: Store, path: str | None) -> TrainerState:
    """What the file says; nothing, where there is none or it cannot be read."""
    if path is None:
        return TrainerState(entries=[])
    try:
        return _states.use(store, path, lambda state: state)
    except (*DAMAGED, Unreadable):
        return TrainerState(entries=[])


def metric_rows(state: TrainerState) -> list[MetricRow]:
    return [MetricRow(step=step, time=None, values=entry) for step, entry in state.entries]


def _parse(store: Store, path: str) -> TrainerState:
    record = read_record(store.read(path))
    history = record.get("log_history")
    entries = []
    for entry in history if isinstance(history, list) else ():
        step = as_number(entry.get("step")) if isinstance(entry, dict) else None
        if step is not None and math.isfinite(step):
            entries.append((int(step), _numbers(entry)))
    last = [step for step, _ in entries]
    whole = record.get("global_step"), record.get("eval_steps"), record.get("max_steps")
    done, every, most = (value if isinstance(value, int) and not isinstance(value, bool) else None for value in whole)
    return TrainerState(entries=entries, last_step=max([done or 0, *last]), eval_steps=every, max_steps=most)


def _numbers(entry: dict[str, Any]) -> Entry:
    return {
        name: number
        for name, value in entry.items()
        if name not in _NOT_METRICS and not isinstance(value, str) and (number := as_number(value)) is not None
    }


_states: KeptOpen[TrainerState] = KeptOpen(_parse, limit=16, attempts=2)
