"""What of a selection becomes training data: conversations, pairs of a group's best and worst, or judged completions.

The rows are what TRL's trainers load unchanged: https://huggingface.co/docs/trl/dataset_formats
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct, field

from rollscope.model import Message, Range, Sample
from rollscope.query.export.training_data.atif import trajectory
from rollscope.query.export.training_data.chat_messages import chat_messages, has_media
from rollscope.query.samples.ranges import Ranges, range_of

Recipe = Literal["sft", "dpo", "kto", "atif"]
TrainingRow = dict[str, Any]

#: What each makes, in words that stand in the manifest.
RULES: dict[Recipe, str] = {
    "sft": "the messages of kept samples",
    "dpo": "of each group the samples with the highest and the lowest reward, if these differ by more than the margin",
    "kto": "each sample with a reward; label: whether its reward lies above the middle of its environment's range",
    "atif": "each sample as a trajectory of ATIF; its reward, which ATIF has no field for, is in `extra`",
}


def range_lookup(ranges: Ranges) -> Callable[[str | None], Range | None]:
    """How the reward of an environment ranges."""

    return lambda env: range_of(ranges, env, "reward")


class RowMaker(Struct):
    """How rows are made of samples, and what was left out while that was done: reason -> number."""

    recipe: Recipe
    margin: float
    range_of: Callable[[str | None], Range | None]
    run: str
    #: A selection that holds both: evals measure the model, and it must not be trained on them.
    without_evals: bool = False
    left_out: Counter[str] = field(default_factory=Counter)

    def rows(self, samples: Iterable[Sample]) -> Iterator[TrainingRow]:
        """Of pairs, samples of a group must follow each other."""
        if self.recipe == "dpo":
            yield from self._pairs(samples)
            return
        make = {"sft": self._conversation, "kto": self._judged, "atif": self._trajectory}[self.recipe]
        for sample in samples:
            if (row := make(sample)) is not None:
                yield row

    def _conversation(self, sample: Sample) -> TrainingRow | None:
        if not self._usable(sample):
            return None
        return {"messages": chat_messages(sample.messages), "address": sample.address}

    def _judged(self, sample: Sample) -> TrainingRow | None:
        if not self._usable(sample) or (reward := self._reward(sample)) is None:
            return None
        usual = self.range_of(sample.env)
        if usual is None or usual.min is None or usual.max is None or usual.min == usual.max:
            self.left_out["its environment has only one reward"] += 1
            return None
        above = reward > (usual.min + usual.max) / 2
        asked, answered = _divided(sample)
        return {
            "prompt": asked,
            "completion": answered,
            "label": above == usual.higher_is_better,
            "address": sample.address,
        }

    def _trajectory(self, sample: Sample) -> TrainingRow | None:
        if not sample.messages:
            self.left_out["it has no text"] += 1
            return None
        return trajectory(sample, self.run)

    def _pairs(self, samples: Iterable[Sample]) -> Iterator[TrainingRow]:
        key, group = None, list[Sample]()
        for sample in samples:
            if sample.group is None:
                self.left_out["it has no group"] += 1
                continue
            place = (sample.split, sample.step, sample.group)
            if place != key:
                yield from self._pair(group)
                key, group = place, []
            if self._usable(sample) and self._reward(sample) is not None:
                group.append(sample)
        yield from self._pair(group)

    def _pair(self, group: list[Sample]) -> Iterator[TrainingRow]:
        if not group:
            return
        if len(group) == 1:
            self.left_out["it is the only one of its group"] += 1
            return
        # Of equal ones the first, so that the same selection gives the same pairs.
        best = max(group, key=lambda sample: sample.reward or 0.0)
        worst = min(group, key=lambda sample: sample.reward or 0.0)
        if (best.reward or 0.0) - (worst.reward or 0.0) <= self.margin:
            self.left_out["the rewards of its group differ by no more than the margin"] += len(group)
            return
        usual = self.range_of(best.env)
        if usual is not None and not usual.higher_is_better:
            best, worst = worst, best
        (asked, chosen), (other, rejected) = _divided(best), _divided(worst)
        if asked != other:
            self.left_out["the prompts of its group differ"] += len(group)
            return
        if len(group) > 2:
            self.left_out["it is neither the best nor the worst of its group"] += len(group) - 2
        yield {
            "prompt": asked,
            "chosen": chosen,
            "rejected": rejected,
            "chosen_address": best.address,
            "rejected_address": worst.address,
        }

    def _usable(self, sample: Sample) -> bool:
        if not any(message.role == "assistant" and message.turn is not None for message in sample.messages):
            reason = "it has no response"
        elif not any(message.turn is None for message in sample.messages):
            reason = "it has no prompt"
        elif has_media(sample.messages):
            reason = "it has images or sound, of which only the place is known"
        elif self.without_evals and sample.split != "train":
            reason = "it is of an eval set, and no split was named"
        elif self.recipe == "sft" and sample.discard_reason is not None:
            reason = "it was discarded"
        else:
            return True
        self.left_out[reason] += 1
        return False

    def _reward(self, sample: Sample) -> float | None:
        if sample.reward is None or not math.isfinite(sample.reward):
            self.left_out["it has no reward"] += 1
            return None
        return sample.reward


def _divided(sample: Sample) -> tuple[list[TrainingRow], list[TrainingRow]]:
    """What was asked, and everything that came after."""
    asked: list[Message] = [message for message in sample.messages if message.turn is None]
    answered = [message for message in sample.messages if message.turn is not None]
    return chat_messages(asked), chat_messages(answered)
