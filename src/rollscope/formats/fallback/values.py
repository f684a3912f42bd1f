"""What a record of no known trainer says besides its texts and scalars: values per token, and what went wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from rollscope.fields import STORED
from rollscope.formats.conversations.turns import answer_start
from rollscope.formats.mapping import KeyMapping, dig
from rollscope.model import Sample, TokenArrays, as_number

_IDS = (
    *("response_token_ids", "completion_token_ids", "output_token_ids", "response_ids", "completion_ids", "output_ids"),
    "token_ids",
)
_LOGPROBS = (
    *("logprobs", "completion_logprobs", "response_logprobs", "rollout_log_probs", "generation_logprobs"),
    *("inference_logprobs", "old_logprobs"),
)
_MASKS = ("loss_mask", "response_mask", "completion_mask", "action_mask")
#: Objects in which the parts of a reward may lie beside its total.
PARTS = (
    "rewards",
    "reward_components",
    "reward_breakdown",
    "reward_parts",
    "reward_details",
    "component_rewards",
    "scores",
)
#: Keys under which records tell what went wrong.
ERRORS = ("error", "error_message", "exception")
#: Keys under which they say that an answer was cut, as yes or no.
CUT = ("truncated", "is_truncated")
#: Keys of what was thought before an answer that is told apart from it. `reasoning` is a judge's as often.
_THOUGHTS = ("thinking", "reasoning_content", "thinking_content", "thought")
#: Keys of what the model was told before it was asked.
_INSTRUCTIONS = ("system_prompt", "system", "system_message")
_TRAIN = re.compile(r"train(?:ing)?|rollouts?", re.IGNORECASE)
_EVAL = re.compile(r"(?:evals?|evaluation|val|valid|validation|dev|test)(?:[^a-z].*)?", re.IGNORECASE)
#: Names of a sample or places in a list: numbers that measure nothing.
PLACES = (
    *(
        "id",
        "idx",
        "index",
        "uid",
        "sample_id",
        "sample_idx",
        "sample_index",
        "traj_idx",
        "trajectory_id",
        "rollout_idx",
        "rollout_id",
    ),
    *("row", "rank", "seed"),
)


def token_arrays(record: Mapping[str, Any], advantage_key: str | None) -> TokenArrays | None:
    """Lists of numbers under names that trainers use, where they are all of one length."""
    ids, logprobs, mask = (_numbers(record, names) for names in (_IDS, _LOGPROBS, _MASKS))
    if not all(number is not None and math.isfinite(number) for number in ids):
        ids = []  # the others would be those of other tokens
    advantages = _numbers(record, (advantage_key,) if advantage_key else ())
    length = len(ids or logprobs)
    if not length or any(found and len(found) != length for found in (logprobs, mask)):
        return None
    return TokenArrays(
        ids=[int(item) for item in ids if item is not None],  # each is one, as was seen above
        logprobs=logprobs,
        mask=[int(bool(flag)) for flag in mask],
        advantage=advantages if len(advantages) == length else [],
    )


def _numbers(record: Mapping[str, Any], names: tuple[str, ...]) -> list[float | None]:
    for name in names:
        value = record.get(name)
        if isinstance(value, list) and value and all(isinstance(item, (int, float)) or item is None for item in value):
            return [as_number(item) for item in value]
    return []


def is_split(value: Any) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, str) and (_TRAIN.fullmatch(value) or _EVAL.fullmatch(value)) is not None
    )


def split_of(value: Any, key: str = "") -> str | None:
    """The split that a record's own word says; None for training, which a file's name may know better."""
    if isinstance(value, bool):
        return "eval" if value != key.rpartition(".")[2].startswith("is_train") else None
    if not isinstance(value, str) or not _EVAL.fullmatch(value):
        return None
    return "eval" if value.lower() in ("eval", "evaluation") else f"eval/{value}"


def judge(sample: Sample, record: Mapping[str, Any], mapping: KeyMapping) -> None:
    """What follows from an error, and from marks that say without words that a sample was left out, or its answer cut."""
    if not mapping.judged:
        return
    key = mapping.keys.get("discard_reason", "")
    mark = record.get(key)
    if isinstance(mark, bool):
        sample.discard_reason = key if mark else None
    if sample.status is None and errors(record):
        sample.status = "failed"
    elif sample.status is None and any(record.get(name) is True for name in CUT):
        sample.status = "truncated"


def with_thoughts(record: Mapping[str, Any], said: Any) -> Any:
    """An answer with what the record tells of the thoughts before it."""
    thought = next((text for name in _THOUGHTS if isinstance(text := record.get(name), str) and text), None)
    if thought is None or not isinstance(said, str):
        return said
    return [{"role": "assistant", "reasoning_content": thought, "content": said}]


def with_instructions(record: Mapping[str, Any], asked: Any, asked_key: str | None) -> Any:
    """What was asked, behind what the model is told beside it: in the record, or in the request that has the question."""
    names = (*_INSTRUCTIONS, *(("instruction",) if asked_key == "input" else ()))
    request = dig(record, asked_key.rpartition(".")[0]) if asked_key and "." in asked_key else None
    places = (record, request) if isinstance(request, Mapping) else (record,)
    values = (place.get(name) for place in places for name in names if name != asked_key)
    told = next((value for value in values if value and (isinstance(value, str) or _are_texts(value))), None)
    if told is None or not asked:
        return asked
    first = {"role": "system", "content": told}
    if isinstance(asked, str):
        # A template's text has the roles in it, and what was told.
        return asked if answer_start(asked) is not None else [first, {"role": "user", "content": asked}]
    is_chat = isinstance(asked, list) and all(isinstance(item, Mapping) and "role" in item for item in asked)
    return [first, *asked] if is_chat and asked[0]["role"] not in ("system", "developer") else asked


def _are_texts(value: Any) -> bool:
    """Pieces of a text, as Anthropic's interface takes them."""
    return isinstance(value, list) and all(isinstance(item, Mapping) and "text" in item for item in value)


def errors(record: Mapping[str, Any]) -> list[str]:
    """Sentences about what went wrong."""
    for name in ERRORS:
        told = record.get(name)
        if isinstance(told, Mapping):
            told = told.get("message") or told.get("error") or told.get("type")
        if isinstance(told, str) and told.strip():
            return [f"Error: {told.strip()}"]
    return []


def scalar_row(sample: Sample) -> dict[str, Any]:
    """A sample's scalars as columns of the index."""
    names = [field.name for field in STORED if field.name not in ("split", "step", "index", "turns", "response_bytes")]
    row = {name: getattr(sample, name) for name in names if hasattr(sample, name)}
    row |= {f"metrics.{name}": value for name, value in sample.metrics.items()}
    return row | {f"rewards.{name}": value for name, value in sample.rewards.items()}
