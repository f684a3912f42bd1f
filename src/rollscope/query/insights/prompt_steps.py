"""The samples of one prompt, over all steps of one or several runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct

from rollscope.index import compute
from rollscope.query.insights.comparisons import reward_range
from rollscope.query.lists.lists import Lists
from rollscope.query.samples.rows import sample_rows

if TYPE_CHECKING:
    from rollscope.model import Range
    from rollscope.query.answers import SampleRow

RULE = (
    "The same prompt: the hash of its text and its environment are the same. A sample passes when its reward lies in the upper "
    "half of its environment's range. Discarded samples are shown; means and pass rates leave them out."
)


class PromptSample(Struct, kw_only=True):
    """One dot of a strip."""

    address: str
    reward: float | None
    status: str | None
    discard_reason: str | None
    completion_tokens: int | None


class PromptStep(Struct, kw_only=True):
    step: int
    mean: Annotated[float | None, Meta(description="Of the finite rewards of samples that were not discarded.")]
    pass_rate: Annotated[float | None, Meta(description="See `rule`; null where the range is not known.")]
    samples: list[PromptSample]


class PromptStrip(Struct, kw_only=True):
    """The prompt in one split of one run."""

    run: str
    run_id: str
    split: str
    samples: int
    mean: float | None
    pass_rate: float | None
    steps: list[PromptStep]


class PromptOverSteps(Struct, kw_only=True):
    """The same prompt over all steps of all runs that were asked."""

    run: str
    address: str
    prompt: Annotated[str | None, Meta(description="How it begins.")]
    env: str | None
    strips: Annotated[
        list[PromptStrip], Meta(description="The run that was asked first; runs without it are left out.")
    ]
    runs: Annotated[int, Meta(description="Runs that were looked at.")]
    rule: str
    notes: list[str]


class RunPrompts(Lists):
    """The part of a run that follows a prompt."""

    def prompt(self, address: str, others: Sequence[RunPrompts] = ()) -> PromptOverSteps:
        """The samples with the same prompt as this one, step by step, here and in other runs as far as they are indexed."""
        snapshot = self._fresh(None, None, wait=True)
        table, number = self._row_of(snapshot, address)
        prompt_hash = table["prompt_hash"][number].as_py()
        env = table["env"][number].as_py() if "env" in table.column_names else None
        runs = [self, *(run for run in others if run is not self)]
        reach = reward_range([run._ranges() for run in runs], env)
        notes = (
            [] if prompt_hash is not None else ["Which samples share this prompt is not known: only this one is shown."]
        )
        strips = []
        for run in runs:
            rows = run._fresh(None, None, wait=run is self).all_rows
            if prompt_hash is not None:
                strips += run._strips(_same_prompt(rows, prompt_hash, env), reach)
            elif run is self:
                strips += run._strips(table.slice(number, 1), reach)
            if not run.progress().done:
                notes.append(f"{run.name} is still being read: it may have more.")
        return PromptOverSteps(
            run=self.name,
            address=address.strip("/"),
            prompt=self._reader.starts(snapshot, table, number)[0],
            env=env,
            strips=strips,
            runs=len(runs),
            rule=RULE,
            notes=notes,
        )

    def _strips(self, table: pa.Table, reach: Range | None) -> list[PromptStrip]:
        rows = sample_rows(table, self.name)
        by_split: dict[str, dict[int, list[SampleRow]]] = {}
        for row in rows:
            by_split.setdefault(row.split, {}).setdefault(row.step, []).append(row)
        strips = []
        for split, by_step in by_split.items():
            whole = [row for found in by_step.values() for row in found]
            strips.append(
                PromptStrip(
                    run=self.name,
                    run_id=self.id,
                    split=split,
                    samples=len(whole),
                    mean=_mean(whole),
                    pass_rate=_pass_rate(whole, reach),
                    steps=[_step(step, found, reach) for step, found in sorted(by_step.items())],
                )
            )
        return strips


def _same_prompt(table: pa.Table, prompt_hash: int, env: str | None) -> pa.Table:
    if table.num_rows == 0:
        return table
    same = compute.fill_null(compute.equal(table["prompt_hash"], pa.scalar(prompt_hash, pa.uint64())), False)
    found = compute.take(table, np.flatnonzero(compute.plain(same)))
    if "env" not in found.column_names:
        return found if env is None else found.slice(0, 0)
    envs = found["env"].to_pylist()
    return compute.take(found, np.array([n for n, name in enumerate(envs) if name == env], dtype=np.int64))


def _step(step: int, rows: list[SampleRow], reach: Range | None) -> PromptStep:
    names = PromptSample.__struct_fields__
    samples = [PromptSample(**{name: getattr(row, name) for name in names}) for row in rows]
    return PromptStep(step=step, mean=_mean(rows), pass_rate=_pass_rate(rows, reach), samples=samples)


def _rewards(rows: list[SampleRow]) -> list[float]:
    kept = (row.reward for row in rows if row.discard_reason is None)
    return [reward for reward in kept if reward is not None and math.isfinite(reward)]


def _mean(rows: list[SampleRow]) -> float | None:
    rewards = _rewards(rows)
    return math.fsum(rewards) / len(rewards) if rewards else None


def _pass_rate(rows: list[SampleRow], reach: Range | None) -> float | None:
    rewards = _rewards(rows)
    if not rewards or reach is None or reach.min is None or reach.max is None or not reach.max > reach.min:
        return None
    middle = (reach.min + reach.max) / 2
    return sum(reward > middle if reach.higher_is_better else reward < middle for reward in rewards) / len(rewards)
