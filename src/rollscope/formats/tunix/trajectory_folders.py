"""Tunix's newer log: a folder a trajectory, `step<N>/<worker>/<trajectory>/` with `metadata.json` and `step<i>.json`.

What both of its logs share is here too: how a trajectory ended, and how long its parts took.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rollscope.formats.base import Source
from rollscope.formats.containers.documents import read_json
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import count, items, mapping, number, text
from rollscope.formats.lines.lenient import Unreadable
from rollscope.model import Sample
from rollscope.render.chat import to_json
from rollscope.storage.store import Store

METADATA = "/metadata.json"
#: The last file of a trajectory that is written: until it is there, steps may be missing.
_LAST = "inference_metrics.jsonl"
_STEP = re.compile(r"step(\d+)")
_STEP_FILE = re.compile(r"step(\d+)\.json")
STATUS = {
    "SUCCEEDED": "completed",
    "RUNNING": "pending",
    **dict.fromkeys(("MAX_STEPS_REACHED", "MAX_CONTEXT_LIMIT_REACHED", "TRUNCATED"), "truncated"),
    **dict.fromkeys(("TIMEOUT", "ENV_TIMEOUT"), "aborted"),
    **dict.fromkeys(("FAILED", "ERROR"), "failed"),
}
#: Statuses that say why it ended, besides how.
STOPPED = frozenset({"MAX_STEPS_REACHED", "MAX_CONTEXT_LIMIT_REACHED", "TIMEOUT", "ENV_TIMEOUT"})


def trajectory_folders(store: Store) -> Iterator[Source]:
    """The trajectories' metadata, by step. One whose steps are still being written waits."""
    steps = sorted((int(match[1]), name) for name in store.folders() if (match := _STEP.fullmatch(name)))
    for step, folder in steps:
        for worker in store.folders(folder):
            for trajectory in store.folders(f"{folder}/{worker}"):
                names = store.files(f"{folder}/{worker}/{trajectory}")
                if METADATA[1:] in names and _LAST in names:
                    path = f"{folder}/{worker}/{trajectory}{METADATA}"
                    yield Source(path=path, split="train", step=step, appendable=False)


def is_metadata(store: Store, path: str) -> bool:
    return all(mark in store.read(path, 0, 1 << 16) for mark in (b'"consumed_policy_version"', b'"traj_id"'))


def read_trajectory(store: Store, path: str) -> list[Any]:
    """One record: the metadata, with the steps that lie beside it."""
    told = mapping(read_json(store, path))
    if "traj_id" not in told:
        raise Unreadable("no trajectory: it has no traj_id")
    folder = path.removesuffix(METADATA)
    files = sorted((int(match[1]), name) for name in store.files(folder) if (match := _STEP_FILE.fullmatch(name)))
    return [{**told, "steps": [read_json(store, f"{folder}/{name}") for _, name in files]}]


def trajectory_sample(record: dict[str, Any]) -> Sample:
    status = str(record.get("status")).rpartition(".")[2].upper()
    version = count(record.get("rollout_policy_version"))
    golden = record.get("gold_answer")
    sizes = [record.get(f"{name}_tokens") for name in ("prompt", "completion")]
    asked, answered = (len(size) if isinstance(size, list) else count(size) for size in sizes)
    return Sample(
        group=text(record.get("prompt_id")),
        messages=conversation(_chat(record)),
        reward=number(record.get("reward")),
        golden_answers={} if golden in (None, "") else {"gold_answer": str(golden)},
        status=STATUS.get(status),
        stop_reason=status.lower() if status in STOPPED else None,
        sampling_step=version,
        prompt_tokens=asked,
        completion_tokens=answered,
        timings=latencies(record),
    )


def _chat(record: dict[str, Any]) -> list[dict[str, Any]]:
    question = record.get("prompt") or record.get("question")
    asked = question if isinstance(question, list) else [{"role": "user", "content": question}] if question else []
    said: list[dict[str, Any]] = []
    for step in map(mapping, items(record.get("steps"))):
        answer = next(
            (step[key] for key in ("thought_and_action", "model_response", "completion") if step.get(key)), None
        )
        if answer is not None:
            said.append({"role": "assistant", "content": answer if isinstance(answer, str) else to_json(answer)})
        elif step.get("content"):
            said.append({"role": text(step.get("role")) or "environment", "content": step["content"]})
        if (seen := step.get("observation")) not in (None, "", {}):
            said.append({"role": "environment", "content": seen if isinstance(seen, str) else to_json(seen)})
    if not said and record.get("completion"):
        said = [{"role": "assistant", "content": record["completion"]}]
    return [*asked, *said]


def latencies(cells: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for key in ("env_time", "reward_time"):
        for name, value in mapping(cells.get(key)).items():
            values = [
                seconds
                for item in (value if isinstance(value, list) else [value])
                if (seconds := number(item)) is not None
            ]
            if values:
                found[str(name).removesuffix("_latency")] = sum(values)
    return found
