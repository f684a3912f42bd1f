"""Troubles of tool calls and of what is recorded of tokens."""

from __future__ import annotations

import random

from bench.insight_report.clean_runs import Call, Draft
from bench.insight_report.troubles.trouble import Trouble

ERRORS = (
    "Error: no such table: orders", 'Traceback (most recent call last):\n  File "x.py", line 1\nValueError: boom',
    '{"error": "timeout after 30 s"}', "HTTP 500 Internal Server Error", '{"status": 503, "message": "unavailable"}',
    "ToolError: invalid arguments", "bash: foo: command not found", "Exception: division by zero",
    '{"success": false, "reason": "x"}',
    "Command failed with exit code 1",
)  # fmt: skip


def tool_loop(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        call = Call("search", {"query": f"item {chance.randint(1, 9999)}", "page": 1}, "No results.")
        draft.calls += [Call(call.name, call.arguments, call.result) for _ in range(chance.randint(3, 8))]


def tool_errors(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.calls.append(Call("run", {"code": f"f({chance.randint(1, 9999)})"}, chance.choice(ERRORS)))


def stale(drafts: list[Draft], chance: random.Random, number: int) -> None:
    for draft in drafts:
        draft.staleness = chance.randint(*((8, 20) if number % 2 else (6, 9)))


def entropy(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.entropy = chance.uniform(0.02, 0.15)


def mismatch(drafts: list[Draft], chance: random.Random, number: int) -> None:
    for draft in drafts:
        draft.mismatch = chance.uniform(0.2, 2.5) if number % 2 else chance.uniform(0.12, 0.4)


_TEMPLATE, _STRUCTURED = ("verl", "relax", "unknown"), ("own", "chat")
TOOLS_AND_TOKENS = (
    *(
        Trouble(kind, plant, formats=formats, style={"tools": True}, name=f"`{kind}`: {where}")
        for kind, plant in (("tool_loop", tool_loop), ("tool_errors", tool_errors))
        for formats, where in ((_TEMPLATE, "in the text"), (_STRUCTURED, "in messages"))
    ),
    *(
        Trouble(kind, plant, formats=("own",), style={"tokens": True})
        for kind, plant in (("stale", stale), ("entropy", entropy), ("mismatch", mismatch))
    ),
)
