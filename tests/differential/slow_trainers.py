"""Runs of older formats, read in the most plain way there is: `json` and whole files. Each reader says what every sample of
a run is, as (kind, step, group, reward, discarded)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Said = tuple[str, int, Any, float | None, bool]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def number_in(text: str) -> int:
    found = re.search(r"\d+", text)
    assert found is not None
    return int(found[0])


def tinker(root: Path) -> Iterator[Said]:
    for file in root.rglob("*_rollout_summaries.jsonl"):
        for record in read(file):
            kind = "train" if record["split"] == "train" else "eval"
            yield kind, record["iteration"], record["group_idx"], record["total_reward"], False


def prime_rl(root: Path) -> Iterator[Said]:
    for folder in root.glob("rollouts/step_*/*"):
        kept = {trace["id"] for record in read(folder / "effective/traces.jsonl") for trace in record["traces"]}
        for record in read(folder / "all/traces.jsonl"):
            for trace in record["traces"]:
                parts = [part for part in trace["rewards"].values() if part is not None]
                reward = sum(part["score"] * part["weight"] for part in parts) if parts else None
                group = (record.get("group") or {}).get("id")
                yield folder.name, number_in(folder.parent.name), group, reward, trace["id"] not in kept


def prime_rl_06(root: Path) -> Iterator[Said]:
    for file in root.glob("rollouts/step_*/*_rollouts*.jsonl"):
        for record in read(file):
            group = record.get("group_id", record["example_id"])
            kind = "train" if file.name.startswith("train") else "eval"
            yield kind, number_in(file.parent.name), group, record["reward"], bool(record.get("is_filtered"))


def verifiers(root: Path) -> Iterator[Said]:
    for record in read(root / "results.jsonl"):
        yield "eval", 0, record["example_id"], record["reward"], False


def trl(root: Path) -> Iterator[Said]:
    """Its groups are neighbours with one prompt, and its total the sum of one column here."""
    for file in sorted(root.glob("completions/*.parquet")):
        group, before = -1, None
        for row in pq.ParquetFile(file).read().to_pylist():
            group, before = group + (row["prompt"] != before), row["prompt"]
            names = [name for name in row if name not in ("step", "prompt", "completion", "advantage")]
            rewards = [row[name] for name in names if isinstance(row[name], float)]
            yield "train", row["step"], group, sum(rewards), False
