"""NeMo-RL: `train_data_step{N}.jsonl` and `val_data_step{N}.jsonl` of an experiment's log folder, written by default.

Its logger writes slices of one, so every value but `idx` is a list of length 1. Roles are dropped in training: the texts of
a conversation's messages are rendered by the chat template, which tells them. Sequences are padded to the longest of the
batch and are cut at `input_lengths`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Raw, Struct

from rollscope import render
from rollscope.formats.base import Claim, Place, Source, Texts
from rollscope.formats.conversations.turns import NOTHING_SAID
from rollscope.formats.lines.flat import content_text
from rollscope.formats.lines.jsonl import JsonlFormat, prompt_hash
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.lines.sealed import plain_names
from rollscope.formats.lines.step_files import first_keys, step_source
from rollscope.formats.run_files import read_config
from rollscope.formats.tables.completion_table import whole_messages
from rollscope.model import Message, Sample, TokenArrays, as_integer, as_number
from rollscope.storage.store import Store

_FILE = re.compile(r"(train|val)_data_step(\d+)\.jsonl")
_SPLITS = {"train": "train", "val": "eval/validation"}
_COLLECTED = "trajectory_collection.jsonl"
_COLLECTED_ELSEWHERE = f"{_COLLECTED} holds rollouts of NeMo-Gym, not of these steps: `--format nemo_gym` shows them."
_LEFT_OUT = "left out of the loss (sample_loss_mask 0)"


class NemoRow(Struct, kw_only=True):
    content: Raw = Raw()
    rewards: Any = None
    filtered_rewards: Any = None
    input_lengths: Any = None
    sample_loss_mask: Any = None
    agent_ref: Any = None
    token_ids: Raw = Raw()
    token_loss_mask: Raw = Raw()
    advantages: Raw = Raw()


class NemoRlFormat(JsonlFormat):
    name = "nemo_rl"
    limits: ClassVar[tuple[str, ...]] = (
        "Groups are not written: samples of a step with an equal prompt are shown as one.",
        "Roles of training samples are read off the chat template; where it leaves none, messages are taken to alternate.",
        "Golden answers, status and stop reason are not written; distillation writes no rewards and advantages either.",
        "Advantages are per token: a sample shows one only where all trained tokens have the same.",
        _COLLECTED_ELSEWHERE,
    )
    Row = NemoRow
    extras = False
    reworded = rb'"role"'

    def limits_of(self, store: Store) -> tuple[str, ...]:
        return self.limits if store.exists(_COLLECTED) else self.limits[:-1]

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys & {"content", "token_ids"} or not keys & {"rewards", "input_lengths", "idx"}:
            return None
        # Above NeMo-Gym, whose records lie beside them where trajectories were collected.
        return Claim(confidence=0.97, reasons=(f"{path} is named as NeMo-RL names its logs, and has their keys",))

    def sources(self, store: Store) -> Iterable[Source]:
        names = plain_names(store).items()
        found = [(match[1], int(match[2]), path) for name, path in names if (match := _FILE.fullmatch(name))]
        for kind, step, path in sorted(found, key=lambda item: (item[1], item[0])):
            yield step_source(path, split=_SPLITS[kind], step=step)

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        found = [_values(row) for row in rows]
        names = dict.fromkeys(name for values in found for name in values)
        return {name: [values.get(name) for values in found] for name in names}

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        values = _values(_row(record))
        if "content" in record:
            messages, notes = _messages(_one(record["content"]))
        else:
            asked, answered = values["prompt_tokens"], values["completion_tokens"]
            messages = [Message(role="prompt", tokens=asked), Message(role="assistant", tokens=answered, turn=0)]
            notes = ["Only token ids were written: the text needs the run's tokenizer."]
        sample = Sample(messages=messages, notes=notes, tokens=_tokens(record))
        for name in (
            "env",
            "reward",
            "advantage",
            "discard_reason",
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
        ):
            setattr(sample, name, values.get(name))
        sample.metrics = {
            name[8:]: value for name, value in values.items() if name.startswith("metrics.") and value is not None
        }
        return sample

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        try:
            content = _one(decode_line(line)[0].get("content"))
        except Unreadable:
            return []
        if not isinstance(content, list):
            return []
        first = _prompt_length(content)
        texts = [("prompt", content_text(content[:first])), ("response", content_text(content[first:]))]
        return [(name, text) for name, text in texts if text]

    def config(self, store: Store) -> Any:
        return read_config(store)

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith(_COLLECTED) or path.startswith(("tensorboard/", "wandb/", "mlflow/"))


def _one(value: Any) -> Any:
    """The value in a slice of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _row(record: dict[str, Any]) -> NemoRow:
    """As the scan sees it."""
    fields = {name: record[name] for name in NemoRow.__struct_fields__ if name in record}
    for name in ("content", "token_ids", "token_loss_mask", "advantages"):
        if name in fields:
            fields[name] = Raw(msgspec.json.encode(fields[name]))
    return NemoRow(**fields)


def _values(row: NemoRow) -> dict[str, Any]:
    content = _one(_decoded(row.content))
    mask = _array(_decoded(row.token_loss_mask))
    length = as_integer(_one(row.input_lengths))
    kept = as_number(_one(row.sample_loss_mask))
    env = _one(row.agent_ref)
    first = mask.index(1) if 1 in mask else None
    found: dict[str, Any] = {
        "env": str(env.get("name")) if isinstance(env, dict) and env.get("name") else None,
        "reward": as_number(_one(row.rewards)),
        "advantage": _one_advantage(_array(_decoded(row.advantages))[:length], mask[:length]),
        "discard_reason": _LEFT_OUT if kept == 0 else None,
        "total_tokens": length,
        "prompt_tokens": first if length is not None else None,
        # Of several turns: what the policy wrote, not what it was told in between.
        "completion_tokens": sum(map(bool, mask[:length])) if length is not None and first is not None else None,
        "response_bytes": len(row.content),  # in one text it is unknown where the response begins
    }
    if (number := as_number(_one(row.filtered_rewards))) is not None:
        found["metrics.filtered_reward"] = number
    if isinstance(content, list) and content:
        asked = _prompt_length(content)
        found["prompt_hash"] = prompt_hash(msgspec.json.encode(content[:asked]))
        found["response_bytes"] = len(msgspec.json.encode(content[asked:]))
    elif first:
        found["prompt_hash"] = prompt_hash(msgspec.json.encode(_array(_decoded(row.token_ids))[:first]))
    return found


def _decoded(raw: Raw) -> Any:
    try:
        return msgspec.json.decode(raw) if len(raw) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _array(value: Any) -> list[Any]:
    """A padded row of a batch of one."""
    inner = value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list) else value
    return inner if isinstance(inner, list) else []


def _one_advantage(values: list[Any], mask: list[Any]) -> float | None:
    trained = [value for value, flag in zip(values, mask) if flag] if mask else values
    seen = {number for value in trained if (number := as_number(value)) is not None}
    return seen.pop() if len(seen) == 1 else None


def _prompt_length(content: list[Any]) -> int:
    """How many messages stand before the first answer: those up to an assistant's header, or to its first message."""
    for place, item in enumerate(content):
        if isinstance(item, dict) and item.get("role") == "assistant":
            return place
        starts = render.answer_starts(item) if isinstance(item, str) else []
        if starts and NOTHING_SAID.fullmatch(item, starts[-1]):
            return place + 1
    return 1


def _messages(content: Any) -> tuple[list[Message], list[str]]:
    if not isinstance(content, list):
        return whole_messages(content)
    if all(isinstance(item, dict) for item in content):
        return whole_messages(content)
    texts = [item if isinstance(item, str) else content_text(item) for item in content]
    first = _prompt_length(texts)
    messages = render.split_conversation("".join(texts[:first]), "".join(texts[first:]))
    if any(part.type == "marker" for message in messages for part in message.parts):
        return messages, []
    roles = ["user" if place % 2 == 0 else "assistant" for place in range(len(texts))]
    found = [{"role": role, "content": text} for role, text in zip(roles, texts)]
    messages = [*render.messages_from_chat(found[:1], turn=None), *render.messages_from_chat(found[1:], turn=0)]
    for message in messages:
        message.guessed = True
    return messages, ["NeMo-RL drops roles, and no template's markers are there: messages are taken to alternate."]


def _tokens(record: dict[str, Any]) -> TokenArrays | None:
    """From the first trained token on. Values stand where a token was trained; elsewhere the log has padding."""
    ids, mask = list(map(as_integer, _array(record.get("token_ids")))), _array(record.get("token_loss_mask"))
    length = as_integer(_one(record.get("input_lengths")))
    if not ids or len(mask) != len(ids) or length is None or 1 not in mask[:length]:
        return None
    part = slice(mask.index(1), length)
    known = [item for item in ids[part] if item is not None]
    if len(known) != len(ids[part]):
        return None
    arrays = TokenArrays(ids=known, mask=[int(bool(flag)) for flag in mask[part]])
    for name, key in (
        ("logprobs", "generation_logprobs"),
        ("trainer_logprobs", "prev_logprobs"),
        ("advantage", "advantages"),
    ):
        values = _array(record.get(key))
        if len(values) == len(ids):
            setattr(arrays, name, [as_number(value) if flag else None for value, flag in zip(values[part], mask[part])])
    return arrays
