"""Orchard's rollouts: `rollouts/step_NNNNNN.jsonl`, `evals/<name>/step_NNNNNN.jsonl`, one sample a line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from rollscope.formats.base import Claim, Place, Source
from rollscope.formats.lines.flat import FlatFormat, Keys
from rollscope.formats.lines.step_files import first_keys
from rollscope.model import Sample
from rollscope.storage.store import Store

_STEP = re.compile(r"step_(\d+)\.jsonl")
_MARKS = {"question", "turns", "points", "qid"}


class OrchardFormat(FlatFormat):
    name = "orchard"
    limits = ("Orchard writes no advantages and no token counts.",)
    keys: ClassVar[Keys] = Keys(
        prompt="question",
        response="turns",
        reward="points",
        golden="expected",
        group="qid",
        stop_reason="finish",
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        return Claim(confidence=0.9, reasons=(f"records with points and qid in {path}",)) if keys >= _MARKS else None

    def sources(self, store: Store) -> Iterable[Source]:
        yield from self._step_files(store, "rollouts", "train")
        for name in store.folders("evals"):
            yield from self._step_files(store, f"evals/{name}", f"eval/{name}")

    def _step_files(self, store: Store, folder: str, split: str) -> Iterable[Source]:
        for name in store.files(folder):
            if match := _STEP.fullmatch(name):
                yield Source(path=f"{folder}/{name}", split=split, step=int(match[1]))

    def question_and_answer(self, record: dict[str, Any], source: Source) -> tuple[Any, Any]:
        """Orchard's turns are objects with `said`, and with `heard` where a tool answered: as chat messages."""
        asked, turns = super().question_and_answer(record, source)
        messages = []
        for turn in turns if isinstance(turns, list) else ():
            messages.append({"role": "assistant", "content": turn.get("said", "")})
            if "heard" in turn:
                messages.append({"role": "tool", "content": turn["heard"]})
        return asked, messages

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = super().sample(record, source, place)
        if record.get("retried"):
            sample.notes.append("Orchard tried this sample again after an error.")
        return sample
