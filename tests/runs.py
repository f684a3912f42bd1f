"""Small runs that the tests make themselves, so that they need no trainer's files."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

from tests.fixtures import write_jsonl


def relax_record(step: int, index: int, **changes: Any) -> dict[str, Any]:
    """One record as Relax writes it; deterministic, with text in several scripts."""
    chance = random.Random(f"{step}/{index}")  # data, not secrets
    words = chance.choices(["let", "x", "be", "négatif", "数学", "so", "\\frac{1}{2}", "therefore", '"quoted"'], k=20)
    return {
        "rollout_id": step,
        "sample_index": index,
        "prompt": f"<|im_start|>user\nWhat is {index // 4} + {step}?<|im_end|>\n<|im_start|>assistant\n",
        "response": f"<think>\n{' '.join(words)}\n</think>\nThe answer is {index // 4 + step}.<|im_end|>",
        "reward": round(chance.random(), 3),
        "response_length": chance.randint(20, 400),
        "total_length": 500,
        "status": chance.choice(["completed", "completed", "truncated"]),
        "group_index": index // 4,
        "label": str(index // 4 + step),
        **changes,
    }


def all_records(steps: int = 3, samples: int = 12) -> list[dict[str, Any]]:
    """The records that `write_relax` writes, step by step."""
    return [relax_record(step, index) for step in range(steps) for index in range(samples)]


def write_relax(root: Path, steps: int = 3, samples: int = 8) -> Path:
    """A run of Relax's layout: `train/{step}.jsonl`."""
    for step in range(steps):
        write_jsonl(root / "train" / f"{step}.jsonl", [relax_record(step, index) for index in range(samples)])
    return root


def settle(root: Path) -> Path:
    """Its files were written an hour ago, not a moment ago."""
    for path in root.rglob("*"):
        if path.is_file():
            stat = path.stat()
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - 3_600_000_000_000))
    return root


def append(path: Path, *records: dict[str, Any], end: str = "\n") -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(record, ensure_ascii=False) + end for record in records))
