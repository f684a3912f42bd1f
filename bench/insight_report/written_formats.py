"""Drafts as files: Rollscope's own recorder, verl's and Relax's lines, messages and flat records of nobody's trainer."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.insight_report.clean_runs import Draft, arguments_of
from rollscope import record

Written = Callable[[Path, list[Draft]], None]


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _steps(drafts: list[Draft]) -> dict[int, list[Draft]]:
    found: dict[int, list[Draft]] = {}
    for draft in drafts:
        found.setdefault(draft.step, []).append(draft)
    return found


def _template_text(draft: Draft) -> str:
    """Calls as Qwen's template writes them into the text."""
    calls = "".join(
        f'<tool_call>\n{{"name": "{call.name}", "arguments": {arguments_of(call)}}}\n</tool_call>\n'
        f"<tool_response>\n{call.result}\n</tool_response>\n"
        for call in draft.calls
    )
    return calls + draft.response


def _messages(draft: Draft) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number, call in enumerate(draft.calls):
        function = {"name": call.name, "arguments": arguments_of(call)}
        made = {"id": f"call_{number}", "type": "function", "function": function}
        found.append({"role": "assistant", "content": "", "tool_calls": [made]})
        found.append({"role": "tool", "tool_call_id": f"call_{number}", "content": call.result})
    return [*found, {"role": "assistant", "content": draft.response}]


def own(root: Path, drafts: list[Draft]) -> None:
    run = record.start(str(root), {"planted": True})
    for step, rows in _steps(drafts).items():
        with run.iteration(step) as iteration:
            groups: dict[int, list[Draft]] = {}
            for draft in rows:
                groups.setdefault(draft.group, []).append(draft)
            for members in groups.values():
                with iteration.group(prompt=members[0].question, env=members[0].env) as group:
                    for draft in members:
                        group.add(**_own_fields(draft))
    run.close()


def _own_fields(draft: Draft) -> Any:
    fields: dict[str, Any] = {"response": _messages(draft), "reward": draft.reward, "status": draft.status}
    if draft.golden is not None:
        fields["golden_answers"] = {"answer": draft.golden}
    if draft.components:
        fields["rewards"] = draft.components
        fields["metrics"] = {"correct": draft.components["correct"]}
    if draft.staleness is not None:
        fields["staleness"] = draft.staleness
    if draft.entropy is not None and draft.mismatch is not None:
        chance = random.Random(draft.step * 1000 + draft.group * 10 + draft.member)
        ours = [-chance.expovariate(2) for _ in range(40)]
        fields["tokens"] = {
            "logprobs": ours,
            "trainer_logprobs": [
                value + chance.choice((-1, 1)) * draft.mismatch * chance.uniform(0.5, 1.5) for value in ours
            ],
            "entropy": [draft.entropy * chance.uniform(0.5, 1.5) for _ in ours],
        }
    return fields


def verl(root: Path, drafts: list[Draft]) -> None:
    for step, rows in _steps(drafts).items():
        lines = [
            {"input": f"user\n{draft.question}\nassistant\n", "output": _template_text(draft), "gts": draft.golden,
             "score": draft.reward, "step": step, **{f"{name}_reward": value for name, value in draft.components.items()}}
            for draft in rows
        ]  # fmt: skip
        _lines(root / f"{step}.jsonl", lines)


def relax(root: Path, drafts: list[Draft]) -> None:
    for step, rows in _steps(drafts).items():
        lines = [
            {"rollout_id": step, "sample_index": number, "reward": draft.reward, "status": draft.status,
             "prompt": f"<|im_start|>user\n{draft.question}<|im_end|>\n<|im_start|>assistant\n",
             "response": _template_text(draft), "response_length": len(draft.response) // 4, "total_length": 900,
             "group_index": draft.group, **({} if draft.golden is None else {"label": draft.golden})}
            for number, draft in enumerate(rows)
        ]  # fmt: skip
        _lines(root / "train" / f"{step}.jsonl", lines)


def chat(root: Path, drafts: list[Draft]) -> None:
    """One file of all steps; prompt and completion are lists of messages."""
    lines = [
        {"step": draft.step, "group_id": f"{draft.step}-{draft.group}", "env": draft.env, "reward": draft.reward,
         "prompt": [{"role": "user", "content": draft.question}], "completion": _messages(draft),
         "finish_reason": "length" if draft.status == "truncated" else "stop",
         **({} if draft.golden is None else {"answer": draft.golden})}
        for draft in drafts
    ]  # fmt: skip
    _lines(root / "rollouts.jsonl", lines)


def unknown(root: Path, drafts: list[Draft]) -> None:
    for step, rows in _steps(drafts).items():
        lines = [
            {"iteration": step, "question": draft.question, "generation": _template_text(draft), "score": draft.reward,
             "task_id": f"{step}/{draft.group}", "source": draft.env,
             "finish_reason": "length" if draft.status == "truncated" else "stop",
             **({} if draft.golden is None else {"ground_truth": draft.golden})}
            for draft in rows
        ]  # fmt: skip
        _lines(root / f"samples_{step:04d}.jsonl", lines)


FORMATS: dict[str, Written] = {"own": own, "verl": verl, "relax": relax, "chat": chat, "unknown": unknown}
