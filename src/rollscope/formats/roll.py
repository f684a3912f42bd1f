"""ROLL: `rollout_dump_data.step_{N}.jsonl`, one object a file whose values are columns of samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope import render
from rollscope.formats.base import Claim, Source
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import decoded, items, mapping, number, numbers_of, text
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.sealed import plain_names
from rollscope.formats.lines.step_files import first_keys, step_source
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Sample, TokenArrays, Turn
from rollscope.storage.store import Store

_FILE = re.compile(r"rollout_dump_data\.step_(\d+)\.jsonl")
_RESPONSES = ("responses", "response")
#: Columns that only agentic pipelines have: a trajectory each.
_AGENTIC = ("trajectory_data", "save_content")


class RollFormat(NestedLines):
    name = "roll"
    limits = (
        "ROLL writes no advantages and no log-probabilities, and tokens in newer versions only.",
        "An agentic evaluation writes the same file as the training step: what was written last is there.",
    )

    def detect(self, store: Store) -> Claim | None:
        found = next(iter(self.sources(store)), None)
        if found is None:
            return None
        return Claim(confidence=1.0, reasons=(f"{found.path} is the name of ROLL's dumps",))

    def sources(self, store: Store) -> Iterable[Source]:
        names = plain_names(store).items()
        found = sorted((int(match[1]), path) for name, path in names if (match := _FILE.fullmatch(name)))
        keys, _ = first_keys(store, [name for _, name in found])
        split = "train" if keys.isdisjoint(_AGENTIC) else None  # each trajectory says whether it was trained on
        return [step_source(path, split=split, step=step) for step, path in found]

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        columns = {key: value for key, value in record.items() if isinstance(value, list)}
        if not columns:
            raise Unreadable("no columns of samples in it")
        rows = max(map(len, columns.values()))
        records = [{key: value[i] for key, value in columns.items() if i < len(value)} for i in range(rows)]
        ids = _ids(records)
        return [sample for row, group in zip(records, ids) if (sample := _sample(row, group)) is not None]


def _ids(rows: Sequence[dict[str, Any]]) -> list[str | int | None]:
    """The question that each row answers. Every domain has a dataset of its own, which may count from 0 as well: an id
    that several prompts have is told apart by the domain, or by their order."""
    prompts: dict[Any, dict[str, int]] = {}
    domains: dict[Any, set[tuple[str, str]]] = {}
    keys = [(row.get("id"), str(row.get("messages") or row.get("prompt")), str(row.get("domain"))) for row in rows]
    for name, prompt, domain in keys:
        if isinstance(name, (str, int)) and name != "":
            asked = prompts.setdefault(name, {})
            asked.setdefault(prompt, len(asked) + 1)
            domains.setdefault(name, set()).add((domain, prompt))
    found: list[str | int | None] = []
    for name, prompt, domain in keys:
        asked = prompts.get(name, {}) if isinstance(name, (str, int)) else {}
        if len(asked) > 1:
            by_domain = len(domains[name]) == len({other for other, _ in domains[name]})
            found.append(f"{name} ({domain if by_domain else asked[prompt]})")
        else:
            found.append(name if asked else None)
    return found


def _sample(row: dict[str, Any], group: str | int | None) -> Sample | None:
    """None where the row stands for a step of a trajectory that another row tells whole."""
    kind = next((key for key in _AGENTIC if key in row), None)
    if kind is None:
        return _reasoning(row, group)
    told = mapping(decoded(row[kind]))
    if not told and not row.get("messages"):
        return None
    return _trajectory(row, told) if kind == "trajectory_data" else _saved(row, told)


def _reasoning(row: dict[str, Any], group: str | int | None) -> Sample:
    messages = items(decoded(row.get("messages"))) or [{"role": "user", "content": row.get("prompt")}]
    response = next((row[key] for key in _RESPONSES if key in row), None)
    golden = row.get("ground_truth")
    # `domain` says which rule judged it; the others say where the question is from.
    tags = [value for key in ("tag", "domain", "case_type") if (value := text(row.get(key))) is not None]
    asked = mapping(decoded(row.get("sampling_params")))
    # Of a sample's own request, in newer versions; in older ones this is what all requests had in common.
    stop, ids = text(asked.get("finish_reasons")), items(asked.get("output_token_ids"))
    tokens = TokenArrays(ids=ids) if ids and all(type(value) is int for value in ids) else None
    answered = [{"role": "assistant", "content": response}]
    return Sample(
        messages=conversation(messages)
        if response is None
        else [*render.messages_from_chat(messages, turn=None), *render.messages_from_chat(answered, turn=0)],
        stop_reason=stop,
        status=status_of(stop),
        tokens=tokens,
        completion_tokens=len(tokens.ids) if tokens else None,
        group=group,
        reward=number(row.get("scores")),
        dataset=text(row.get("source")),
        env=text(row.get("domain")),
        tags=list(dict.fromkeys(tags)),
        golden_answers={} if golden in (None, "") else {"ground_truth": str(golden)},
    )


def _trajectory(row: dict[str, Any], told: dict[str, Any]) -> Sample:
    rewards, failure = mapping(told.get("reward_info")), mapping(told.get("failure_info"))
    about, lengths = (
        mapping(told.get("env_info")),
        mapping(told.get("length_info")) or mapping(told.get("episode_info")),
    )
    stop = text(failure.get("stop_reason")) or text(told.get("finish_reason"))
    given = numbers_of({key: value for key, value in rewards.items() if key not in ("episode_reward", "final_reward")})
    errors = [item for item in items(failure.get("error_messages")) if isinstance(item, str) and item]
    return Sample(
        split=_split(about.get("mode")),
        group=_group(about, ("tag", "group_id", "episode_id", "seed")),
        messages=_messages(decoded(row.get("messages") or told.get("messages"))),
        reward=number(rewards.get("episode_reward")),
        final_reward=number(rewards.get("final_reward")),
        metrics={**numbers_of(told.get("metrics")), **numbers_of(lengths), **given},
        timings=numbers_of(told.get("timing_info")),
        stop_reason=stop,
        status="failed" if failure.get("has_failure") else "truncated" if lengths.get("truncated") else _status(stop),
        env=text(about.get("tag")) or text(row.get("exp_name")),
        turns=[Turn(index=i, reward=number(value)) for i, value in enumerate(items(rewards.get("step_rewards")))],
        notes=[
            *([f"Failure: {failure['failure_mode']}."] if text(failure.get("failure_mode")) else []),
            *(f"Error: {error}" for error in errors),
        ],
    )


def _saved(row: dict[str, Any], told: dict[str, Any]) -> Sample:
    """Environments of software tasks keep a trajectory in `save_content`, and what came of it in columns."""
    stop = text(row.get("stop_reason")) or text(told.get("stop_reason"))
    return Sample(
        split=_split(row.get("mode")),
        group=_group({**row, **told}, ("tag", "group_id", "task_idx")),
        messages=_messages(told.get("traj_messages")),
        reward=number(row.get("episode_score", told.get("episode_score"))),
        metrics={**numbers_of(told.get("metrics")), **numbers_of(told.get("env_metric"))},
        stop_reason=stop,
        status=_status(stop),
        env=text(told.get("tag")),
    )


def _split(mode: Any) -> str:
    return "train" if mode in (None, "train") else f"eval/{mode}"


def _group(about: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """A group of environments plays the same task once an episode."""
    return "_".join(str(about[key]) for key in keys if about.get(key) is not None) if "group_id" in about else None


def _messages(told: Any) -> list[Message]:
    """One conversation, or several where the context was begun anew: in the order in which they were led."""
    chats = items(told)
    return conversation([message for chat in chats for message in (chat if isinstance(chat, list) else [chat])])


def _status(stop: str | None) -> str | None:
    return {"finish": "completed", "env_failed": "failed", "env_timeout": "aborted"}.get(
        (stop or "").lower(), status_of(stop)
    )
