"""A small Telescope run, written as its trainer writes it: every table in every archive, texts as zstd frames."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

Rows = list[dict[str, Any]]

_I, _F, _S, _Z, _B = pa.int32(), pa.float64(), pa.string(), pa.binary(), pa.bool_()
_TRAIN_KEY = {"step": _I, "group_id": _I, "sample_id": _I}
_TURN = {"agent_id": _I, "generation_idx": _I}
_LATENCIES = dict.fromkeys(("queue_time", "ttft", "prefill_time", "decode_time", "inference_time", "e2e_latency"), _F)
TABLES: dict[str, dict[str, pa.DataType]] = {
    "prompts": {
        "step": _I,
        "group_id": _I,
        "env": _S,
        "prompt": _S,
        "tokens_prompt": _I,
        "system_prompt": _S,
        "tokens_system_prompt": _I,
    },
    "generations": {
        **_TRAIN_KEY,
        **_TURN,
        "content": _Z,
        "tokens": _I,
        "prompt_tokens": _I,
        "tool_call_count": _I,
        "stop_reason": _S,
        **_LATENCIES,
    },
    "env_responses": {
        **_TRAIN_KEY,
        **_TURN,
        "content": _Z,
        "turn_type": _S,
        "tokens": _I,
        "response_time": _F,
    },
    "tool_calls": {
        **_TRAIN_KEY,
        **_TURN,
        "tool_call_idx": _I,
        "tool_name": _S,
        "arguments": _S,
        "raw_text": _S,
        "result": _Z,
        "success": _B,
        "error": _S,
        "exit_code": _I,
        "truncated": _B,
    },
    "samples_data": {
        **_TRAIN_KEY,
        "reward": _F,
        "advantage": _F,
        "num_generations": _I,
        "total_tokens": _I,
        "raw_string": _Z,
        "compute_reward_time": _F,
        "stop_reason": _S,
        "off_policy_steps": _I,
    },
    "rollouts_metrics": {"step": _I, "sample_id": _I, "env": _S, "metric_name": _S, "value": _F},
    "golden_answers": {"step": _I, "sample_id": _I, "env": _S, "key": _S, "value": _S},
    "info_turns": {
        "step": _I,
        "sample_id": _I,
        **_TURN,
        "tool_call_idx": _I,
        "env": _S,
        "info_key": _S,
        "info_value": _S,
        "info_type": _S,
    },
    "sample_tags": {"step": _I, "sample_id": _I, "env": _S, "tag_name": _S, "tag_value": _S},
}
TURN_METRICS = {"step": _I, "sample_id": _I, **_TURN, "turn_type": _S, "env": _S, "metric_name": _S, "value": _F}
METRICS = {"step": _I, "section": _S, "group": _S, "metric": _S, "value": _F}
TRAINER = {"event_type": _S, "step": _I, "start_time": _F, "end_time": _F}
_NO_STEP = ("rollouts_metrics", "golden_answers", "info_turns", "sample_tags")


def schema(table: str, suffix: str) -> dict[str, pa.DataType]:
    columns = dict(TABLES[table])
    if suffix in ("_discarded", "_cancelled"):
        del columns["step"]
        extra: dict[str, pa.DataType] = {} if table in _NO_STEP else {"trainer_step": _I, "inference_step": _I}
        if table in ("prompts", "samples_data"):
            extra = {"timestamp": _F, "discard_reason": _S, **extra}
        columns = {**extra, **columns}
    if suffix == "_eval":
        for name in ("group_id", "reward", "advantage", "total_tokens", "raw_string", "off_policy_steps", *_LATENCIES):
            columns.pop(name, None)
        columns = {
            "eval_name": _S,
            "model_step": _I,
            "sample_idx": _I,
            "completion_idx": _I,
            "sample_id": _I,
            **columns,
        }
        if table == "samples_data":
            columns["env"] = _S
    if suffix:
        columns["tail_idx"] = _I
    return columns


def frame(text: str) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(text.encode())


def parquet(columns: dict[str, pa.DataType], rows: Rows, **options: Any) -> bytes:
    """Rows with missing values filled in as the trainer does: -1, "", 0.0, an empty frame."""
    fillers: dict[Any, Any] = {_I: -1, _F: 0.0, _S: "", _Z: frame(""), _B: False}
    arrays = []
    for name, kind in columns.items():
        values = [row.get(name, fillers[kind]) for row in rows]
        arrays.append(pa.array([frame(v) if kind == _Z and isinstance(v, str) else v for v in values], kind))
    buffer = io.BytesIO()
    pq.write_table(pa.table(arrays, names=list(columns)), buffer, **options)
    return buffer.getvalue()


def write_archive(
    path: Path, tables: dict[str, Rows], *, suffixes: tuple[str, ...], compression: int = zipfile.ZIP_DEFLATED
) -> Path:
    """An archive with these rows; its other tables are there and empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    left = dict(tables)
    with zipfile.ZipFile(path, "w", compression) as archive:
        for suffix in suffixes:
            for table in TABLES:
                archive.writestr(
                    f"{table}{suffix}.parquet", parquet(schema(table, suffix), left.pop(table + suffix, []))
                )
        extra = {"turn_metrics": TURN_METRICS, "metrics": METRICS} if "" in suffixes else {"trainer": TRAINER}
        for table, columns in extra.items():
            archive.writestr(f"{table}.parquet", parquet(columns, left.pop(table, [])))
        archive.writestr("metadata.json", json.dumps({"table_schema_versions": {}}))
    assert not left, f"no such tables: {sorted(left)}"
    return path


STEPS = ("",)
EVENTS = ("_discarded", "_kept", "_eval", "_cancelled")
EVALS = ("_eval",)


def kept_sample(
    sample: int, *, step: int, group: int, reward: float, texts: list[str], suffix: str = ""
) -> dict[str, Rows]:
    """The tables of one kept sample with a tool result after every generation but the last."""
    key = {"step": step, "group_id": group, "sample_id": sample}
    last = len(texts) - 1
    return {
        f"prompts{suffix}": [
            {"step": step, "group_id": group, "env": "cities_qa", "prompt": f"question {group}", "tokens_prompt": 7}
        ],
        f"samples_data{suffix}": [
            {
                **key,
                "reward": reward,
                "advantage": reward - 0.5,
                "num_generations": len(texts),
                "total_tokens": 40,
                "raw_string": "|".join(texts),
                "stop_reason": "final_answer",
                "off_policy_steps": 1,
            }
        ],
        f"generations{suffix}": [
            {
                **key,
                "agent_id": 0,
                "generation_idx": i,
                "content": text,
                "tokens": 10 + i,
                "prompt_tokens": 9 + 10 * i,
                "stop_reason": "length" if i == last and text.endswith("…") else "stop",
            }
            for i, text in enumerate(texts)
        ],
        f"env_responses{suffix}": [
            {
                **key,
                "agent_id": 0,
                "generation_idx": i,
                "content": f"result {i}",
                "turn_type": "tool_result",
                "tokens": 3,
                "response_time": 0.25,
            }
            for i in range(last)
        ],
        f"rollouts_metrics{suffix}": [
            {"step": step, "sample_id": sample, "env": "cities_qa", "metric_name": "correct", "value": reward}
        ],
        f"golden_answers{suffix}": [
            {"step": step, "sample_id": sample, "env": "cities_qa", "key": "correct", "value": f"answer {group}"},
            {"step": step, "sample_id": sample, "env": "cities_qa", "key": "unknown", "value": None},
        ],
        f"sample_tags{suffix}": [
            {"step": step, "sample_id": sample, "env": "cities_qa", "tag_name": "lang", "tag_value": "en"}
        ],
    }


def merged(*samples: dict[str, Rows]) -> dict[str, Rows]:
    """Several samples' tables as one; a group's prompt is written once."""
    tables: dict[str, Rows] = {}
    for sample in samples:
        for table, rows in sample.items():
            known = tables.setdefault(table, [])
            known += [row for row in rows if not (table.startswith("prompts") and row in known)]
    return tables


def eval_completion(
    index: int, completion: int, *, step: int, correct: float, text: str, sample: int = -1
) -> dict[str, Rows]:
    key = {"step": step, "eval_name": "holdout", "sample_idx": index, "sample_id": sample, "tail_idx": 3}
    whole = {**key, "completion_idx": completion}
    return {
        "prompts_eval": [
            {**key, "model_step": step, "env": "holdout", "prompt": f"problem {index}", "tokens_prompt": 5}
        ],
        "samples_data_eval": [
            {**whole, "model_step": step, "env": "holdout", "num_generations": 1, "stop_reason": "stop"}
        ],
        "generations_eval": [
            {
                **whole,
                "agent_id": 0,
                "generation_idx": 0,
                "content": text,
                "tokens": 4,
                "prompt_tokens": 0,
                "stop_reason": "stop",
            }
        ],
        "rollouts_metrics_eval": [{**whole, "env": "holdout", "metric_name": "correct", "value": correct}],
    }
