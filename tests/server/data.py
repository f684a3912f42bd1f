"""Small runs for the server's tests, in the layout that Relax writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.fixtures import write_jsonl


def record(step: int, index: int, **changes: Any) -> dict[str, Any]:
    """Rewards rise with the step; the last of four in a group is truncated."""
    return {
        "rollout_id": step,
        "sample_index": index,
        "group_index": index // 4,
        "prompt": f"<|im_start|>user\nWhat is {index // 4} + {step}?<|im_end|>\n<|im_start|>assistant\n",
        "response": f"<think>count</think>The answer is {index // 4 + step}. Größe: 数{index}<|im_end|>",
        "label": str(index // 4 + step),
        "reward": (index % 4) / 4 + step / 100,
        "response_length": 10 + index,
        "total_length": 30 + index,
        "status": "truncated" if index % 4 == 3 else "completed",
        "correct": index % 2,
        **changes,
    }


#: What was written a moment ago may change unnoticed, and is not cached.
A_WHILE_AGO = 1_700_000_000


def settled(path: Path) -> Path:
    """The run as if nobody had written to it for a while."""
    for file in path.rglob("*.jsonl"):
        os.utime(file, (A_WHILE_AGO, A_WHILE_AGO))
    return path


def write_run(directory: Path, steps: int = 3, samples: int = 24) -> Path:
    """A run with ``steps`` steps of ``samples`` samples, and one eval of four."""
    for step in range(steps):
        write_jsonl(directory / "train" / f"{step}.jsonl", (record(step, index) for index in range(samples)))
    write_jsonl(directory / "eval" / "0.jsonl", (record(0, index, dataset="aime24") for index in range(4)))
    return directory


def append(path: Path, *records: dict[str, Any]) -> None:
    """As another process does it: whole lines, at once."""
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in records))


def write_large_step(path: Path, megabytes: int, *, text_bytes: int = 20_000) -> int:
    """A step of about that size; gives the number of its samples. Text differs by line, so that nothing compresses
    the work away."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = megabytes * 1_000_000 // text_bytes
    filler = "".join(f"word{n} " for n in range(text_bytes // 8))[: text_bytes - 400]
    with path.open("w", encoding="utf-8") as file:
        for index in range(count):
            line = json.dumps(record(0, index, response=f"<think>{index}</think>{filler} {index}"))
            file.write(line + "\n")
    return count
