"""AReaL: `{rollout|eval-rollout}/<policy version>/<task id>.jsonl`, one line a sample of the task's group."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from rollscope.formats.base import Claim, Place, Source
from rollscope.formats.folders import folder_named
from rollscope.formats.lines.flat import FlatFormat, Keys
from rollscope.formats.lines.step_files import first_keys
from rollscope.model import Sample
from rollscope.storage.store import Store

_FOLDERS = {"rollout": "train", "eval-rollout": "eval/rollout"}
_MARKS = frozenset({"task_id", "sample_idx", "tail_version", "completion"})


class ArealFormat(FlatFormat):
    name = "areal"
    limits = (
        "Rejected trajectories are dumped like the others, and nothing tells them apart.",
        "prompt_len counts every token that was not trained on: in several turns it is more than the prompt.",
        "AReaL writes no advantages and no golden answers.",
    )
    keys: ClassVar[Keys] = Keys(
        prompt="prompt",
        response="completion",
        reward="reward",
        group="task_id",
        prompt_tokens="prompt_len",
        total_tokens="seqlen",
        ignored=("sample_idx", "head_version", "tail_version"),
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys >= _MARKS:
            return None
        return Claim(confidence=0.95, reasons=(f"records with task_id, sample_idx and tail_version in {path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        for folder, split in _FOLDERS.items():
            prefix = folder_named(store, folder)
            if prefix is None:
                continue
            versions = [name for name in store.folders(prefix.rstrip("/")) if name.isdecimal()]
            for version in sorted(versions, key=int):
                for name in sorted(store.files(f"{prefix}{version}"), key=_task):
                    if name.endswith(".jsonl"):
                        yield Source(path=f"{prefix}{version}/{name}", split=split, step=int(version))

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = super().sample(record, source, place)
        head = record.get("head_version")
        if isinstance(head, int) and head >= 0:
            sample.notes.append(f"Its oldest token was sampled by policy version {head}.")
        return sample


def _task(name: str) -> tuple[int, str]:
    stem = name.removesuffix(".jsonl")
    return (int(stem) if stem.isdecimal() else -1, stem)
