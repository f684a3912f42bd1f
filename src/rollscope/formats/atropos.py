"""Atropos: `data_path_to_save_groups`, one group a line as columns: tokens, masks, scores, messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import items, number
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.sealed import plain_names
from rollscope.formats.lines.step_files import files_with, step_source
from rollscope.formats.tables.completion_table import whole_messages
from rollscope.model import Message, Sample, TokenArrays, Turn
from rollscope.storage.store import Store

_MARKS = frozenset({"tokens", "masks", "scores"})
#: A mask holds the token where it is trained on and this where it is not.
_NOT_TRAINED = -100
#: Log-probabilities hold this on the prompt.
_PROMPT_LOGPROB = 1.0


class AtroposFormat(NestedLines):
    name = "atropos"
    grouping = "recorded"
    line_is_group = True
    limits = (
        "Atropos writes no step: all groups of a file are shown under step 0, in the order in which they were written.",
        "Groups of equal scores or of the wrong size are dropped before anything is written.",
    )

    def detect(self, store: Store) -> Claim | None:
        found = next(iter(self.sources(store)), None)
        if found is None:
            return None
        return Claim(confidence=0.95, reasons=(f"records with tokens, masks and scores in {found.path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        folders = ["", *(["data"] if "data" in store.folders() else [])]
        files = [(folder, plain_names(store, folder)) for folder in folders]
        paths = [
            f"{folder}/{names[name]}".lstrip("/")
            for folder, names in files
            for name in names
            if name.endswith(".jsonl")
        ]
        return [step_source(path, split="train", step=0) for path in files_with(store, paths, _MARKS)]

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        scores = items(record.get("scores"))
        if not record.keys() >= _MARKS:
            raise Unreadable("no group: it has no tokens, masks and scores")
        return [_sample(record, place, score) for place, score in enumerate(scores)]


def _sample(record: dict[str, Any], place: int, score: Any) -> Sample:
    ids, masks = items(_value_at(record, "tokens", place)), items(_value_at(record, "masks", place))
    mask = [int(value != _NOT_TRAINED) for value in masks] if len(masks) == len(ids) else []
    start = mask.index(1) if 1 in mask else 0
    advantages = items(_value_at(record, "advantages", place))
    distinct = {value for value in advantages if isinstance(value, (int, float))}
    told = _value_at(record, "messages", place)
    given = [number(item.get("reward")) for item in items(told) if _is_answer(item)]
    messages, notes = _messages(told)
    return Sample(
        messages=messages,
        turns=[Turn(index=turn, reward=value) for turn, value in enumerate(given)] if any(given) else [],
        notes=notes if told else ["No messages were written, only token ids: `env.include_messages` is off."],
        reward=number(score),
        # The same for every token in all its environments; where it is not, no one number says it.
        advantage=float(distinct.pop()) if len(distinct) == 1 else None,
        prompt_tokens=start if mask else None,
        # What an environment said between two answers is masked, and was not sampled.
        completion_tokens=sum(mask) if mask else None,
        total_tokens=len(ids) or None,
        tokens=_tokens(record, place, ids, mask, start, advantages),
    )


def _messages(value: Any) -> tuple[list[Message], list[str]]:
    """And what is to be said of them."""
    # A message may have a reward of its own, which is its turn's.
    chat = [{key: item[key] for key in item if key != "reward"} for item in items(value) if isinstance(item, dict)]
    # Where an environment gives no messages, Atropos writes all tokens, decoded, as if the user had said them.
    decoded = chat[0].get("content") if len(chat) == 1 and chat[0].get("role") == "user" else value
    return whole_messages(decoded) if isinstance(decoded, str) else (conversation(chat), [])


def _is_answer(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "assistant"


def _tokens(
    record: dict[str, Any], place: int, ids: list[Any], mask: list[int], start: int, advantages: list[Any]
) -> TokenArrays | None:
    if not ids:
        return None
    logprobs = items(_value_at(record, "inference_logprobs", place))
    known = [None if value == _PROMPT_LOGPROB else value for value in logprobs]
    reference = items(_value_at(record, "ref_logprobs", place))
    return TokenArrays(
        ids=ids[start:],
        mask=mask[start:],
        logprobs=known[start:] if len(known) == len(ids) else [],
        reference_logprobs=reference[start:] if len(reference) == len(ids) else [],
        advantage=advantages[start:] if len(advantages) == len(ids) else [],
    )


def _value_at(record: dict[str, Any], key: str, place: int) -> Any:
    values = items(record.get(key))
    return values[place] if place < len(values) else None
