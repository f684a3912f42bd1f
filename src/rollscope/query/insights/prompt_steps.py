"""The samples of one prompt, over all steps of one or several runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct

from rollscope import model
from rollscope.index import compute
from rollscope.index.rows.run_order import parts_by_steps
from rollscope.query.insights.comparisons import reward_range
from rollscope.query.insights.statistics import mean_of
from rollscope.query.lists.lists import Lists
from rollscope.query.samples.rows import finite

if TYPE_CHECKING:
    from rollscope.model import Range

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


#: What is shown of a sample, the reward first.
_SHOWN = PromptSample.__struct_fields__[1:]


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

    def _strips(self, found: pa.Table, reach: Range | None) -> list[PromptStrip]:
        """Of the samples of one prompt, which may be very many: only what is shown of them is made."""
        splits, steps = (found[name].to_pylist() for name in ("split", "step"))
        by_split: dict[str, dict[int, list[PromptSample]]] = {}
        for split, step, sample in zip(splits, steps, _samples(found)):
            by_split.setdefault(split, {}).setdefault(step, []).append(sample)
        strips = []
        for split, by_step in by_split.items():
            whole = [sample for samples in by_step.values() for sample in samples]
            strips.append(
                PromptStrip(
                    run=self.name,
                    run_id=self.id,
                    split=split,
                    samples=len(whole),
                    mean=_mean(whole),
                    pass_rate=_pass_rate(whole, reach),
                    steps=[_step(step, samples, reach) for step, samples in sorted(by_step.items())],
                )
            )
        return strips


def _same_prompt(table: pa.Table, prompt_hash: int, env: str | None) -> pa.Table:
    if table.num_rows == 0:
        return table
    known_envs = "env" in table.column_names
    found = []
    for _, part in parts_by_steps(table):
        same = compute.fill_null(compute.equal(part["prompt_hash"], pa.scalar(prompt_hash, pa.uint64())), False)
        picked = compute.take(part.select(_wanted(part)), np.flatnonzero(compute.plain(same)))
        envs = picked["env"].to_pylist() if known_envs else [None] * picked.num_rows
        rows = np.array([row for row, name in enumerate(envs) if name == env], dtype=np.int64)
        found.append(picked if len(rows) == picked.num_rows else compute.take(picked, rows))
    return pa.concat_tables(found)


def _wanted(table: pa.Table) -> list[str]:
    return [name for name in ("split", "step", "index", "env", *_SHOWN) if name in table.column_names]


def _samples(found: pa.Table) -> Iterator[PromptSample]:
    """A dot of each row."""
    shown = [found[name].to_pylist() if name in found.column_names else repeat(None) for name in _SHOWN]
    places = (found[name].to_pylist() for name in ("split", "step", "index"))
    for split, step, index, reward, *others in zip(*places, *shown):
        yield PromptSample(
            address=model.address(split, step, index),
            reward=finite("reward", reward, {}),
            **dict(zip(_SHOWN[1:], others)),
        )


def _step(step: int, samples: list[PromptSample], reach: Range | None) -> PromptStep:
    return PromptStep(step=step, mean=_mean(samples), pass_rate=_pass_rate(samples, reach), samples=samples)


def _rewards(samples: list[PromptSample]) -> list[float]:
    return [sample.reward for sample in samples if sample.discard_reason is None and sample.reward is not None]


def _mean(samples: list[PromptSample]) -> float | None:
    return mean_of(_rewards(samples))


def _pass_rate(samples: list[PromptSample], reach: Range | None) -> float | None:
    rewards = _rewards(samples)
    if not rewards or reach is None or reach.min is None or reach.max is None or not reach.max > reach.min:
        return None
    middle = (reach.min + reach.max) / 2
    return sum(reward > middle if reach.higher_is_better else reward < middle for reward in rewards) / len(rewards)
