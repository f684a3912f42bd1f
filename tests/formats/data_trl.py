"""Completions as TRL's GRPO trainer writes them: one parquet file per logged step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

TEXT_PROMPT = "system\nBe brief.\nuser\nWhat is 1 + 1?\nassistant\n"
CHAT_PROMPT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is 1 + 1?"}]


def write_completions(run: Path, step: int, columns: dict[str, Any], **options: Any) -> Path:
    """`columns` in the order in which TRL writes them: prompt, completion, rewards, extras, advantage."""
    path = run / "completions" / f"completions_{step:05d}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = len(columns["prompt"])
    pq.write_table(pa.table({"step": [step] * rows, **columns}), path, **options)
    return path
