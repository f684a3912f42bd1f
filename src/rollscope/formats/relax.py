"""Relax's `rollout_result`: `train/{rollout_id}.jsonl` and `eval/{rollout_id}.jsonl`, or one flat folder of them.

All four generations of its record are read; an eval file holds every dataset of that step, one split each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from rollscope.formats.base import Claim, Place, Source
from rollscope.formats.lines.flat import FlatFormat, Keys
from rollscope.formats.lines.step_files import first_keys, is_step_file, next_step_file, step_files, step_source
from rollscope.model import Sample, TokenArrays
from rollscope.storage.store import Store

_MARKS = {"rollout_id", "sample_index", "prompt", "response", "reward"}
_MASKS = ("response_rollout_log_probs_mask", "response_rollout_mask")


class RelaxFormat(FlatFormat):
    name = "relax"
    limits = (
        "Relax does not write advantages, tool calls as structure, loss masks or timestamps.",
        "Images are gone: only their number and size are written.",
        "Eval samples carry no group; samples with an equal prompt are shown as one.",
    )
    keys: ClassVar[Keys] = Keys(
        prompt="prompt",
        response="response",
        reward="reward",
        golden="label",
        group="group_index",
        dataset="dataset",
        status="status",
        prompt_tokens="prompt_length",
        completion_tokens="response_length",
        total_tokens="total_length",
        turns="agent_turns",
        ignored=(
            "rollout_id",
            "sample_index",
            "prompt_token_count",
            "response_token_count",
            "total_token_count",
            "response_token_ids",
            "response_rollout_log_probs",
            *_MASKS,
            "weight_versions",
            "multimodal_inputs",
            "multimodal_train_inputs",
            "latency_trace",
        ),
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys >= _MARKS:
            return None
        return Claim(confidence=0.9, reasons=(f"records with rollout_id, sample_index and response in {path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        folders: list[str] = [name for name in ("train", "eval") if name in store.folders()]
        for folder in folders or [""]:
            files = step_files(store, folder)
            # Every dataset of an eval step is in one file: the lines say their split. A flat folder is of one kind.
            names = [path for _, path in files]
            kind = folder or ("eval" if "dataset" in first_keys(store, names)[0] else "train")
            for step, path in files:
                yield step_source(path, split=None if kind == "eval" else "train", step=step, note=kind)

    def is_about_samples(self, path: str) -> bool:
        return is_step_file(path)

    def next_source(self, store: Store, path: str, last: Source) -> Source | None:
        return next_step_file(path, last)

    def split_of(self, row: Any, source: Source) -> str | None:
        return f"eval/{row.dataset or 'all'}" if source.note == "eval" else None

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = super().sample(record, source, place)
        ids = record.get("response_token_ids")
        logprobs = record.get("response_rollout_log_probs")
        if isinstance(ids, list) or isinstance(logprobs, list):
            mask: list[int] = next((record[name] for name in _MASKS if record.get(name)), [])
            sample.tokens = TokenArrays(ids=ids or [], logprobs=logprobs or [], mask=mask)
        versions = record.get("weight_versions")
        if isinstance(versions, list) and len(set(map(str, versions))) > 1:
            sample.notes.append(f"Generated over {len(set(map(str, versions)))} weight versions (a partial rollout).")
        images = record.get("image_count")
        if isinstance(images, int) and images > 0:
            sample.notes.append(f"{images} image{'s' if images > 1 else ''}, not written by the trainer.")
        return sample

    def claims(self, store: Store, path: str) -> bool:
        return path.startswith("reward_terminal_traces/")
