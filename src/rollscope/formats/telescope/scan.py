"""An archive's samples as index rows. No text is read but the prompts, which are hashed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import xxhash

from rollscope.formats.base import Scan
from rollscope.formats.telescope.archive import Archive
from rollscope.formats.telescope.tables import VARIANTS, Variant, known, status_of
from rollscope.model import Skipped
from rollscope.storage.open_files import DAMAGED

TableKey = int | tuple[Any, ...]
ScanColumns = dict[str, list[Any]]

_EVAL_KEY = ("step", "eval_name", "sample_idx", "completion_idx")
_ROW_KEYS = ("sample_id", *_EVAL_KEY)


def scan_archive(archive: Archive, *, after_training: bool) -> Scan:
    """All samples of the archive. `after_training` says that its evals were made when training had ended."""
    columns: ScanColumns = {}
    rows = 0
    skipped = []
    there = [variant for variant in VARIANTS if archive.has(variant.samples)]
    if not there:
        skipped.append(Skipped(file=archive.path, line=0, reason="this archive holds no table of samples"))
    for variant in there:
        try:
            found = _scan_variant(archive, variant, after_training)
        except DAMAGED as error:
            skipped.append(Skipped(file=archive.path, line=0, reason=f"{variant.samples} cannot be read: {error}"))
            continue
        count = len(found["offset"])
        for name in {**columns, **found}:
            columns.setdefault(name, [None] * rows).extend(found.get(name, [None] * count))
        rows += count
    return Scan(columns=dict(columns), rows=rows, skipped=skipped, end=archive.size)


def _scan_variant(archive: Archive, variant: Variant, after_training: bool) -> ScanColumns:
    samples = archive.table(variant.samples).columns(
        *(
            variant.step_column,
            "group_id",
            "sample_id",
            "sample_idx",
            "completion_idx",
            "eval_name",
            "model_step",
            "env",
        ),
        *("reward", "advantage", "num_generations", "total_tokens", "stop_reason", "off_policy_steps"),
        *("discard_reason", "tail_idx"),
    )
    count = len(samples["sample_id"])
    if not count:
        return {"offset": []}
    keys = _keys(variant, samples)
    place = {key: row for row, key in enumerate(keys)}
    generations = _Generations(archive, variant)
    prompts = _prompts(archive, variant)
    groups = _prompt_keys(variant, samples)
    ends = [generations.last_stop.get(key) for key in keys]
    interrupted = variant.fate == "cancelled"
    evaluated = variant.fate == "eval"
    columns: ScanColumns = {
        "split": [_split(name, after_training) if evaluated else "train" for name in samples["eval_name"]],
        "step": samples[variant.step_column],
        "group": [str(group) for group in samples["sample_idx" if evaluated else "group_id"]],
        "env": [env or prompts.get(group, (None, None))[0] for env, group in zip(samples["env"], groups)],
        "prompt_hash": [prompts.get(group, (None, None))[1] for group in groups],
        "stop_reason": [reason or end or None for reason, end in zip(samples["stop_reason"], ends)],
        "status": [status_of(variant.fate, reason, end) for reason, end in zip(samples["stop_reason"], ends)],
        "discard_reason": [reason or None for reason in samples["discard_reason"]],
        "sampling_step": samples["model_step"],
        "turns": [known(number) for number in samples["num_generations"]],
        "prompt_tokens": [known(generations.prompt_tokens.get(key)) for key in keys],
        "completion_tokens": [known(generations.tokens.get(key)) for key in keys],
        "total_tokens": [known(number) for number in samples["total_tokens"]],
        "key": _names(variant, samples, archive.path if after_training else ""),
        "member": [variant.samples] * count,
        "offset": list(range(count)),
        "length": [1] * count,
        "tags": _tags(archive, variant, place, count),
        **_metrics(archive, variant, place, count),
    }
    if not evaluated:
        # An interrupted sample has zeros where nothing was ever computed.
        columns["reward"] = [None] * count if interrupted else samples["reward"]
        columns["advantage"] = [None] * count if interrupted else samples["advantage"]
        columns["staleness"] = [
            None if sample < 0 else steps for sample, steps in zip(samples["sample_id"], samples["off_policy_steps"])
        ]
    return columns


def _split(eval_name: str, after_training: bool) -> str:
    # Their (step, name, problem, completion) collide with those of the evals during training, and they are another
    # measurement of the same weights: a split of their own keeps both, and each one's mean.
    return f"eval/{eval_name}@after_training" if after_training else f"eval/{eval_name}"


def _keys(variant: Variant, columns: ScanColumns) -> list[TableKey]:
    """What names a row's sample, in every table of the variant."""
    if variant.fate == "eval":
        return list(zip(*(columns[name] for name in _EVAL_KEY)))
    return list(columns["sample_id"])


def _prompt_keys(variant: Variant, columns: ScanColumns) -> list[TableKey]:
    if variant.fate == "eval":
        return list(zip(*(columns[name] for name in _EVAL_KEY[:3])))
    return list(columns["group_id"])


def _names(variant: Variant, samples: ScanColumns, archive: str) -> list[str]:
    """The same sample has the same name in every archive. One that was cancelled before it was dispatched has no id:
    its group, upload cycle and place among its like name it."""
    if variant.fate == "eval":
        return [
            f"{archive}:{step}:{name}:{index}:{completion}"
            for step, name, index, completion in zip(*(samples[column] for column in _EVAL_KEY))
        ]
    seen: dict[tuple[int, int], int] = defaultdict(int)
    names = []
    for sample, group, cycle in zip(samples["sample_id"], samples["group_id"], samples["tail_idx"]):
        if sample >= 0:
            names.append(str(sample))
            continue
        names.append(f"group {group}, cycle {cycle}, {seen[group, cycle]}")
        seen[group, cycle] += 1
    return names


def _batches(archive: Archive, table: str, *columns: str) -> Iterator[ScanColumns]:
    """Batches of a table. Other versions of the archive have fewer tables, and columns."""
    if archive.has(table):
        yield from archive.table(table).batches(*columns)


class _Generations:
    """Per sample: the tokens the model made, the tokens of its first prompt, and how its last generation ended."""

    def __init__(self, archive: Archive, variant: Variant) -> None:
        self.tokens: dict[TableKey, int] = defaultdict(int)
        self.prompt_tokens: dict[TableKey, int] = {}
        self.last_stop: dict[TableKey, str] = {}
        last: dict[TableKey, int] = {}
        names = ("agent_id", "generation_idx", "tokens", "prompt_tokens", "stop_reason")
        for batch in _batches(archive, f"generations{variant.suffix}", *_ROW_KEYS, *names):
            for key, agent, index, tokens, prompt, stop in zip(
                _keys(variant, batch),
                *(batch[name] for name in names),
            ):
                self.tokens[key] += tokens or 0
                if agent:
                    continue
                if index == 0:
                    self.prompt_tokens[key] = prompt
                if index >= last.get(key, 0):
                    last[key] = index
                    self.last_stop[key] = stop


def _prompts(archive: Archive, variant: Variant) -> dict[TableKey, tuple[str | None, int]]:
    """Prompt -> (environment, hash of its text)."""
    prompts = {}
    names = ("group_id", "step", "eval_name", "sample_idx", "env", "prompt", "system_prompt")
    for batch in _batches(archive, f"prompts{variant.suffix}", *names):
        for key, env, system, prompt in zip(
            _prompt_keys(variant, batch), batch["env"], batch["system_prompt"], batch["prompt"]
        ):
            text = f"{system or ''}\0{prompt or ''}".encode("utf-8", "surrogatepass")
            prompts[key] = (env or None, xxhash.xxh3_64_intdigest(text))
    return prompts


def _metrics(archive: Archive, variant: Variant, place: dict[TableKey, int], count: int) -> ScanColumns:
    found: ScanColumns = {}
    for batch in _batches(archive, f"rollouts_metrics{variant.suffix}", *_ROW_KEYS, "metric_name", "value"):
        for key, name, value in zip(_keys(variant, batch), batch["metric_name"], batch["value"]):
            row = place.get(key)
            if row is not None:
                if name not in found:
                    found[name] = [None] * count
                found[name][row] = value
    return {f"metrics.{name}": values for name, values in found.items()}


def _tags(archive: Archive, variant: Variant, place: dict[TableKey, int], count: int) -> list[list[str]]:
    tags: list[list[str]] = [[] for _ in range(count)]
    for batch in _batches(archive, f"sample_tags{variant.suffix}", *_ROW_KEYS, "tag_name", "tag_value"):
        for key, name, value in zip(_keys(variant, batch), batch["tag_name"], batch["tag_value"]):
            row = place.get(key)
            if row is not None:
                tags[row].append(f"{name}={value}")
    return tags
