"""Which key of an unknown record is what, as the user says it; the rest is guessed (`fallback.guess`).

A user says it with `--map prompt=question,reward=score` or in a file `rollscope.toml` beside the run:

    [map]
    prompt = "question"
    reward = "result.score"

A dot leads into an object, and a number into a list (`choices.0.text`). Other fields are guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from rollscope.errors import UsageError
from rollscope.formats.conversations.openai_answers import choices_of
from rollscope.formats.lines.columnar import (
    explode,
    explode_answers,
    explode_list_with,
    explode_numbered,
    explode_rollouts,
    with_prompts_repeated,
)
from rollscope.storage.store import Store

#: The keys trainers are known to use, most telling first.
CANDIDATES: dict[str, tuple[str, ...]] = {
    "prompt": (
        *("prompt", "input", "input_prompt", "prompt_text", "question", "query", "instruction", "problem"),
        "prompt_str",
        *("messages", "conversation", "conversations", "content", "observations", "observation"),
        *("prompts", "questions", "queries", "problem_statement", "user_prompt", "user"),
        *("prompt_messages", "input_messages"),
    ),
    "response": (
        *("completion", "output", "output_response", "response", "responses", "response_text"),
        *("generation", "generated_text", "model_output", "model_response", "answer_text", "text"),
        *("completions", "generations", "outputs", "predictions", "prediction", "actions", "action"),
        *("model_answer", "model_completion", "assistant_response", "response_str", "solution_str", "final_response"),
        *("generated", "generated_response", "model_generation", "full_response", "raw_response", "raw_output"),
        *("predict", "resps", "model_patch", "code", "assistant", "output_text"),
        *("completion_messages", "output_messages", "response_messages", "next_message"),
    ),
    "reward": (
        *("reward", "score", "total_reward", "rewards", "scores", "final_reward", "return"),
        *(
            "rm_score",
            "reward_score",
            "final_score",
            "total_score",
            "overall_score",
            "episode_reward",
            "episode_return",
        ),
        *("is_correct", "correct", "passed", "is_success", "success", "solved", "resolved"),
        *("acc", "accuracy", "exact_match"),
    ),
    "golden": (
        *("gts", "golden_answers", "golden_answer", "ground_truth", "label", "answer", "target"),
        *(
            "solution",
            "expected_answer",
            "reference",
            "gold_answer",
            "reference_answer",
            "correct_answer",
            "gold",
            "golden",
        ),
    ),
    "step": (
        *("step", "global_step", "training_step", "train_step", "trainer_step", "iteration", "iter", "rollout_id"),
        *("global_steps", "training_iteration", "rollout_step", "optimizer_step", "update_step", "update", "gstep"),
    ),
    "split": ("split", "phase", "mode", "is_eval", "is_validation"),
    "group": (
        *("group_id", "group", "group_index", "group_idx", "uid", "prompt_idx", "prompt_id"),
        *("example_id", "problem_id", "question_id", "task_id", "task_idx", "item_id", "doc_id"),
        *("instance_id", "prompt_uid", "query_id", "qid", "problem_idx", "question_idx", "example_idx", "id"),
    ),
    "dataset": ("dataset", "data_source"),
    "env": ("env", "env_name", "environment", "env_class", "source"),
    "tags": ("tags",),
    "advantage": ("advantage", "advantages"),
    "status": ("status",),
    "stop_reason": ("stop_reason", "finish_reason", "stop_condition"),
    "discard_reason": (
        *("discard_reason", "filter_reason", "drop_reason", "reject_reason"),
        *("discarded", "is_discarded", "filtered", "is_filtered", "dropped", "rejected"),
    ),
    "sampling_step": ("sampling_step", "sampling_client_step", "policy_version"),
    "prompt_tokens": (
        *("prompt_tokens", "prompt_length", "prompt_len", "num_input_tokens", "input_tokens", "num_prompt_tokens"),
    ),
    "completion_tokens": (
        *("completion_tokens", "response_length", "response_len", "response_tokens"),
        *("num_output_tokens", "output_tokens", "num_completion_tokens"),
    ),
    "total_tokens": ("total_tokens", "total_length", "seqlen"),
    "turns": ("turns", "num_turns", "agent_turns"),
}
#: Names that say less, or are something else as often: a file of no known trainer's has them where nothing else is said.
#: Texts are texts there.
FURTHER: dict[str, tuple[str, ...]] = {
    "prompt": (
        *("input_text", "question_text", "problem_text", "user_input", "user_message", "raw_prompt", "full_prompt"),
        *("task_prompt", "prompt_str", "state"),
    ),
    "response": (
        *("gen", "reply", "rollout", "sample", "attempt", "candidate", "llm_output", "llm_response", "policy_output"),
        *("agent_output", "agent_response", "ai_response", "student_answer", "student_response", "generated_answer"),
        *("generated_solution", "model_solution", "decoded", "decoded_output", "decoded_response", "sampled_text"),
        *("samples", "rollouts", "attempts", "candidates"),
    ),
    "reward": (
        *("reward_total", "reward_sum", "outcome_reward", "task_reward", "env_reward", "terminal_reward"),
        *("combined_reward", "combined_score", "verifier_score", "verifier_reward", "judge_score", "rm_reward", "rew"),
    ),
    "golden": ("gt", "gt_answer", "ground_truth_answer", "true_answer", "expected", "expected_output", "ref_answer"),
    "step": ("iter_num", "n_iter", "step_num", "step_id", "step_idx", "step_index", "grad_step", "epoch"),
    "split": ("type", "kind", "stage", "set", "is_train", "is_training"),
    "group": ("prompt_index", "problem_index", "question_index", "task_index", "example_index", "gid", "prompt_hash"),
}
_ASKED = (*CANDIDATES["prompt"], *FURTHER["prompt"])
#: Fields that a record may begin to have after those that were looked at: a discard reason, say. They are then known by
#: their own names; a step only where no name in the path is one. Which split and texts it has, its first records say.
LATE = tuple(
    field for field, keys in CANDIDATES.items() if field in keys and field not in ("prompt", "response", "split")
)
#: Keys that may hold a whole conversation, the answer at its end.
CONVERSATIONS = (
    *("messages", "conversation", "conversations", "chat", "dialogue", "dialog", "transcript", "chat_history"),
    *("trajectory", "turns", "history", "episode", "contents", "convo", "traj", "message_history", "message_list"),
    *(
        "full_text",
        "full_conversation",
        "conversation_text",
        "trajectory_text",
        "rollout_text",
        "chat_text",
        "sequence",
    ),
)
#: Keys that may hold the steps of a trajectory.
TRAJECTORIES = ("trajectory", "steps", "transitions", "history", "turns", "episode", "interactions", "rounds")
#: Lists of one sample, a step a place: no columns of samples.
_BY_STEP = frozenset({"observations", "actions"})
#: Objects that may hold the columns.
_COLUMNS_IN = ("batch", "data", "samples", "rollouts")
FILE = "rollscope.toml"
_PLACE = re.compile(r"-?\d{1,9}")
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
    #: Columns of answers are longer than those of prompts.
    repeated: bool = False
    #: What the path says, for records that do not say their step.
    step: int = 0
    #: Errors, splits or marks of samples that were left out or cut stand in records: each is looked at.
    judged: bool = False
    #: Fields that none of the records had that were looked at.
    late: tuple[str, ...] = ()
    #: Fields whose key the user told, and none of the records had.
    nowhere: tuple[str, ...] = ()
    #: The key that says what a record is, and what it says of samples: a line of another kind without texts is none.
    kind: tuple[str, ...] = ()

    @property
    def step_key(self) -> str | None:
        """The key under which a record may say its own step."""
        return "step" if "step" in self.late else self.keys.get("step")

    @property
    def by_step(self) -> bool:
        """What was seen and what was done are two lists, a step a place."""
        return {self.keys.get("prompt"), self.keys.get("response")} == _BY_STEP

    @property
    def by_record(self) -> bool:
        """Records must be decoded whole to be read, which takes several times as long."""
        # Golden answers are no part of a list.
        inside = any("." in key for field, key in self.keys.items() if field != "golden")
        return self.columnar or self.by_step or self.judged or inside


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
    import tomllib  # only a run with such a file waits for it

    try:
        told = tomllib.loads(store.read(FILE).decode("utf-8", "replace")).get("map", {})
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{store.full_path(FILE)} cannot be read: {error}", hint="it is TOML with a table [map]"
        ) from None
    if not isinstance(told, dict) or not all(isinstance(key, str) for key in told.values()):
        raise UsageError(f"[map] in {store.full_path(FILE)} is not a table of texts", hint='write prompt = "question"')
    check_mapping(told)
    return dict(told)


def exploded(record: Record, told: Mapping[str, str] = {}) -> list[dict[str, Any]] | None:  # only read
    """The samples of a record that holds columns of them, or several choices; None where it is one sample."""
    if "response" not in told:
        parts = choices_of(record) or explode_rollouts(record, {*CANDIDATES["response"], *CONVERSATIONS})
        parts = parts or explode_numbered(record, CANDIDATES["response"])
        if parts is not None:
            # A prompt in a list of them lists its own samples.
            return [inner for part in parts for inner in exploded(part, told) or [part]]
    elif dig(record, told["response"]) is None:
        parts = explode_list_with(record, told["response"].partition(".")[0])
        if parts is not None:
            return parts
    # A field that is not mapped has no key: "" is a key that a record may have.
    texts = {*CANDIDATES["prompt"], *CANDIDATES["response"]} - _BY_STEP
    texts |= {told[key] for key in ("prompt", "response") if key in told}
    scores = {*CANDIDATES["reward"]} | {told[key] for key in ("reward",) if key in told}

    def in_one(row: Record) -> list[dict[str, Any]] | None:
        parts = explode(row, texts, scores)
        if parts is None and (longer := repeated(row)) is not None:
            parts = explode(longer, texts, scores)
        if parts is None and "response" not in told:
            parts = explode_answers(row, _ASKED, CANDIDATES["response"])
        for key in _COLUMNS_IN:
            if parts is None and isinstance(inner := row.get(key), Mapping) and (found := in_one(inner)) is not None:
                shared = {name: value for name, value in row.items() if name != key}
                return [{**shared, **part} for part in found]
        return parts

    parts = in_one(record)
    # A column of prompts may have a column of answers to each.
    return parts and [inner for part in parts for inner in in_one(part) or [part]]


def repeated(record: Record) -> dict[str, Any] | None:
    """See `columnar.with_prompts_repeated`."""
    return with_prompts_repeated(record, CANDIDATES["prompt"], CANDIDATES["response"])


def dig(record: Record, key: str) -> Any:
    """The value under a key, or at the end of a path of keys with dots; a number names a place in a list."""
    if key in record:
        return record[key]
    value: Any = record
    for part in key.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and _PLACE.fullmatch(part) and -len(value) <= int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value
