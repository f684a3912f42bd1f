"""ROLL: `rollout_dump_data.step_{N}.jsonl`, one object a file whose values are columns of samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope import render
from rollscope.formats.base import Claim, Source
from rollscope.formats.conversations import conversation
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import NestedLines, decoded, items, mapping, number, numbers_of, text
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Sample, Turn
from rollscope.storage.store import Store

_FILE = re.compile(r"rollout_dump_data\.step_(\d+)\.jsonl")
_RESPONSES = ("responses", "response")


class RollFormat(NestedLines):
    name = "roll"
    limits = (
        "ROLL writes no advantages, tokens or log-probabilities.",
        "An agentic evaluation writes the same file as the training step and cannot be told apart.",
    )

    def detect(self, store: Store) -> Claim | None:
        found = next(iter(self.sources(store)), None)
        if found is None:
            return None
        return Claim(confidence=1.0, reasons=(f"{found.path} is the name of ROLL's dumps",))

    def sources(self, store: Store) -> Iterable[Source]:
        found = [(int(match[1]), name) for name in store.files() if (match := _FILE.fullmatch(name))]
        return [Source(path=name, split="train", step=step) for step, name in sorted(found)]

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        columns = {key: value for key, value in record.items() if isinstance(value, list)}
        if not columns:
            raise Unreadable("no columns of samples in it")
        rows = max(map(len, columns.values()))
        records = [{key: value[i] for key, value in columns.items() if i < len(value)} for i in range(rows)]
        return [_agentic(row) if "trajectory_data" in row else _reasoning(row) for row in records]


def _reasoning(row: dict[str, Any]) -> Sample:
    messages = items(decoded(row.get("messages"))) or [{"role": "user", "content": row.get("prompt")}]
    response = next((row[key] for key in _RESPONSES if key in row), None)
    golden = row.get("ground_truth")
    # `domain` says which rule judged it; the others say where the question is from.
    tags = [value for key in ("tag", "domain", "case_type") if (value := text(row.get(key))) is not None]
    return Sample(
        messages=[
            *render.messages_from_chat(messages, turn=None),
            *render.messages_from_chat([{"role": "assistant", "content": response}], turn=0),
        ],
        group=row.get("id") if isinstance(row.get("id"), (str, int)) else None,
        reward=number(row.get("scores")),
        dataset=text(row.get("source")),
        env=text(row.get("domain")),
        tags=list(dict.fromkeys(tags)),
        golden_answers={} if golden in (None, "") else {"ground_truth": str(golden)},
    )


def _agentic(row: dict[str, Any]) -> Sample:
    told = mapping(decoded(row.get("trajectory_data")))
    rewards, failure = mapping(told.get("reward_info")), mapping(told.get("failure_info"))
    episode = mapping(told.get("episode_info"))
    stop = text(failure.get("stop_reason"))
    given = numbers_of({key: value for key, value in rewards.items() if key not in ("episode_reward", "final_reward")})
    status = "truncated" if episode.get("truncated") else status_of(stop and {"FINISH": "finished"}.get(stop, stop))
    return Sample(
        messages=conversation(items(decoded(row.get("messages")))),
        reward=number(rewards.get("episode_reward")),
        final_reward=number(rewards.get("final_reward")),
        metrics={**numbers_of(told.get("metrics")), **numbers_of(episode), **given},
        stop_reason=stop,
        status="failed" if failure.get("has_failure") else status,
        env=text(row.get("exp_name")),
        turns=[Turn(index=i, reward=number(value)) for i, value in enumerate(items(rewards.get("step_rewards")))],
        notes=[f"Failure: {failure['failure_mode']}."] if text(failure.get("failure_mode")) else [],
    )
