"""Which key of an unknown record is what: guessed by name from a file's first records, or said by the user.

A user says it with `--map prompt=question,reward=score` or in a file `rollscope.toml` beside the run:

    [map]
    prompt = "question"
    reward = "result.score"

A dot leads into an object. What is said is used as it is; the rest is guessed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from rollscope.errors import UsageError
from rollscope.formats.lines.columnar import explode
from rollscope.model import as_number
from rollscope.storage.store import Store

#: The keys trainers are known to use, most telling first.
CANDIDATES: dict[str, tuple[str, ...]] = {
    "prompt": (
        *("prompt", "input", "input_prompt", "prompt_text", "question", "query", "instruction", "problem"),
        *("messages", "conversation", "conversations", "content"),
    ),
    "response": (
        *("completion", "output", "output_response", "response", "responses", "response_text"),
        *("generation", "answer_text", "text"),
    ),
    "reward": ("reward", "score", "total_reward", "rewards", "scores", "final_reward", "return"),
    "golden": (
        *("gts", "golden_answers", "ground_truth", "label", "answer", "target"),
        *("solution", "expected_answer", "reference", "gold_answer", "reference_answer", "correct_answer", "gold"),
    ),
    "step": ("step", "global_step", "training_step", "iteration", "rollout_id"),
    "group": (
        *("group_id", "group", "group_index", "group_idx", "uid", "prompt_idx", "prompt_id"),
        *("example_id", "problem_id", "question_id", "task_id", "id"),
    ),
    "dataset": ("dataset", "data_source"),
    "env": ("env", "env_name", "environment", "env_class", "source"),
    "tags": ("tags",),
    "advantage": ("advantage", "advantages"),
    "status": ("status",),
    "stop_reason": ("stop_reason", "finish_reason", "stop_condition"),
    "discard_reason": ("discard_reason",),
    "sampling_step": ("sampling_step", "sampling_client_step", "policy_version"),
    "prompt_tokens": ("prompt_tokens", "prompt_length", "prompt_len", "input_tokens", "num_prompt_tokens"),
    "completion_tokens": (
        *("completion_tokens", "response_length", "response_len", "response_tokens"),
        *("output_tokens", "num_completion_tokens"),
    ),
    "total_tokens": ("total_tokens", "total_length", "seqlen"),
    "turns": ("turns", "num_turns", "agent_turns"),
}
#: Keys that may hold a whole conversation, the answer at its end.
CONVERSATIONS = ("messages", "conversation", "conversations")
FILE = "rollscope.toml"
_COUNTS = ("step", "sampling_step", "prompt_tokens", "completion_tokens", "total_tokens", "turns")
_WORDS = ("status", "stop_reason", "discard_reason", "env", "dataset")
#: Names that are as often a sample's own as its group's: taken for the group only where one occurs twice.
OWN_NAMES = frozenset({"id", "uid"})

Record = Mapping[str, Any]


class KeyMapping(Struct, frozen=True, omit_defaults=True):
    """What the keys of one file are. It travels in `Source.note`, so that lists and samples read them alike."""

    #: Field -> key, or a path of keys with dots.
    keys: dict[str, str] = {}
    #: Fields that the user told.
    told: tuple[str, ...] = ()
    #: The prompt's key holds the whole conversation.
    conversation: bool = False
    #: Records are columns of samples (see `lines.columnar`).
    columnar: bool = False
    #: What the path says, for records that do not say their step.
    step: int = 0

    @property
    def by_record(self) -> bool:
        """Records must be decoded whole to be read, which takes several times as long."""
        return self.columnar or any("." in key for key in self.keys.values())


def to_note(mapping: KeyMapping) -> str:
    return msgspec.json.encode(mapping).decode()


def from_note(note: str) -> KeyMapping:
    return msgspec.json.decode(note, type=KeyMapping) if note else KeyMapping()


def parse_mapping(text: str) -> dict[str, str]:
    """`prompt=question,reward=score` → a dict. Raises `UsageError` with what is wrong."""
    found: dict[str, str] = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        field, sign, key = (part.strip() for part in item.partition("="))
        if not sign or not key:
            raise UsageError(f"cannot read {item!r} in the mapping", hint="write it as prompt=question,reward=score")
        found[field] = key
    check_mapping(found)
    return found


def check_mapping(mapping: Mapping[str, str]) -> None:
    if unknown := [field for field in mapping if field not in CANDIDATES]:
        raise UsageError(
            f"a sample has no field {unknown[0]!r} that could be mapped", hint=f"there are {', '.join(CANDIDATES)}"
        )


def mapping_file(store: Store) -> dict[str, str]:
    """What `rollscope.toml` beside the run says; empty where there is none. Raises `UsageError` where it says nonsense."""
    if not store.exists(FILE):
        return {}
    try:
        told = tomllib.loads(store.read(FILE).decode("utf-8", "replace")).get("map", {})
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{store.full_path(FILE)} cannot be read: {error}", hint="it is TOML with a table [map]"
        ) from None
    if not isinstance(told, dict) or not all(isinstance(key, str) for key in told.values()):
        raise UsageError(f"[map] in {store.full_path(FILE)} is no table of texts", hint='write prompt = "question"')
    check_mapping(told)
    return dict(told)


def exploded(record: Record, told: Mapping[str, str] = {}) -> list[dict[str, Any]] | None:  # only read
    """The samples of a record that holds columns of them; None where it is one sample."""
    # A field that nobody told has no key: "" is one that a record may have.
    texts = {*CANDIDATES["prompt"], *CANDIDATES["response"]} | {
        told[key] for key in ("prompt", "response") if key in told
    }
    return explode(record, texts, {*CANDIDATES["reward"]} | {told[key] for key in ("reward",) if key in told})


def guess(records: Sequence[Record], told: Mapping[str, str] = {}) -> KeyMapping:  # only read
    """From a file's first records. One key is used once; a key whose values cannot be the field is passed over."""
    rows: list[Record] = []
    columnar = False
    for record in records:
        parts = exploded(record, told)
        columnar = columnar or parts is not None
        rows += [record] if parts is None else parts
    chosen = dict(told)
    taken = set(told.values())
    for field, candidates in CANDIDATES.items():
        if field in chosen:
            continue
        for key in candidates:
            values = [row[key] for row in rows if row.get(key) is not None]
            if key not in taken and any(key in row for row in rows) and _fits(field, key, values):
                chosen[field] = key
                taken.add(key)
                break
    conversation = _conversation_key(rows, chosen, told)
    if conversation is not None:
        chosen["prompt"] = conversation
    if "group" in chosen and "group" not in told and not _is_group(rows, chosen["group"], chosen.get("prompt")):
        del chosen["group"]
    return KeyMapping(keys=chosen, told=tuple(sorted(told)), conversation=conversation is not None, columnar=columnar)


def _conversation_key(rows: Sequence[Record], chosen: Mapping[str, str], told: Mapping[str, str]) -> str | None:
    """The key of whole conversations, where no key holds the response: they have an answer of the assistant."""
    if "response" in chosen:
        return None
    keys = [told["prompt"]] if "prompt" in told else [chosen.get("prompt", ""), *CONVERSATIONS]
    for key in keys:
        if any(split_conversation(as_messages(dig(row, key)))[1] for row in rows):
            return key
    return None


def split_conversation(messages: Any) -> tuple[Any, Any]:
    """(what was asked, everything from the first answer on); the second is None where the assistant said nothing."""
    if not isinstance(messages, list):
        return messages, None
    answers = (at for at, item in enumerate(messages) if isinstance(item, dict) and item.get("role") == "assistant")
    first = next(answers, None)
    return (messages, None) if first is None else (messages[:first], messages[first:])


def as_messages(value: Any) -> Any:
    """A conversation that is written as JSON text, as the list it is; anything else unchanged."""
    if isinstance(value, str) and value.startswith("[") and '"role"' in value:
        try:
            decoded = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value
        if isinstance(decoded, list) and all(isinstance(item, dict) for item in decoded):
            return decoded
    return value


def dig(record: Record, key: str) -> Any:
    """The value under a key, or at the end of a path of keys with dots."""
    if key in record:
        return record[key]
    value: Any = record
    for part in key.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value


def _fits(field: str, key: str, values: Sequence[Any]) -> bool:
    if field in _COUNTS:
        return all(as_number(value) is not None for value in values)
    if field in _WORDS:
        return all(isinstance(value, str) for value in values)
    if field in ("reward", "advantage"):
        return all(_is_score(value) for value in values)
    if field == "group":
        return all(isinstance(value, (str, int)) for value in values)
    if field == "prompt" and key == "content":
        return all(isinstance(value, list) for value in values)
    return True


def _is_score(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, (int, float)) or item is None for item in value)
    return isinstance(value, Mapping) or as_number(value) is not None


def _is_group(rows: Sequence[Record], key: str, prompt: str | None) -> bool:
    """A key that is different for every sample, although prompts come back, is a sample's own name."""
    names = [row[key] for row in rows if row.get(key) is not None]
    if _repeat(names):
        return True
    if key in OWN_NAMES:
        return False
    return prompt is None or not _repeat([repr(dig(row, prompt)) for row in rows])


def _repeat(values: Iterable[Any]) -> bool:
    listed = list(values)
    return len(set(listed)) < len(listed)
