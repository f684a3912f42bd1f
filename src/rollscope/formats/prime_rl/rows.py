"""The scalars of prime-rl's lines: an Episode with its traces (verifiers v1), or one flat Trace (prime-rl 0.7 and 0.8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from rollscope.formats.base import Source
from rollscope.formats.lines.jsonl import prompt_hash
from rollscope.formats.lines.lenient import printable
from rollscope.model import as_number, numbers

#: The note of an `all` file beside which there is an `effective` one: what is only in `all` was left out.
JUDGED = "judged"
#: The note of a trace in a stream, as long as no annotation says that it was shipped.
UNSHIPPED = "unshipped"
NOT_SHIPPED = "never shipped to the trainer"

TRUNCATED = frozenset(
    {
        *("max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens"),
        *("context_length", "compaction_failed"),
    }
)


class TraceNode(Struct, kw_only=True):
    sampled: bool = False
    advantages: list[float | None] | None = None


class ModelCall(Struct, kw_only=True):
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


class TraceTask(Struct, kw_only=True):
    key: str | None = None
    hash: str | None = None
    data: Any = None


class AgentTrace(Struct, kw_only=True):
    id: str | None = None
    nodes: list[TraceNode] = []
    calls: list[ModelCall] = []
    rewards: dict[str, Any] = {}
    metrics: dict[str, Any] = {}
    info: dict[str, Any] = {}
    task: TraceTask | None = None
    ok: bool | None = None
    is_completed: bool | None = None
    is_timeout: bool | None = None
    stop_condition: str | None = None
    errors: list[Any] = []
    num_output_tokens: int | None = None
    num_total_tokens: int | None = None


class Episode(AgentTrace, kw_only=True):
    """An Episode, or a Trace that stands alone: then `traces` is absent and the row is its own trace."""

    traces: list[AgentTrace] | None = None
    env: dict[str, Any] | None = None
    group: dict[str, Any] | None = None
    run: dict[str, Any] | None = None


def traces_of(row: Episode) -> Sequence[AgentTrace]:
    """An Episode without any trace is one sample that failed."""
    if row.traces is None:
        return [row]
    return row.traces or [AgentTrace(id=row.id, ok=False)]


def columns(
    rows: Sequence[Episode], source: Source, source_of: Callable[[Episode, Source], Source]
) -> dict[str, list[Any]]:
    """One entry per trace. `source_of` says what a row's file would have said of it, where files hold rows of all kinds."""
    samples = [(row, trace, number) for row in rows for number, trace in enumerate(traces_of(row))]
    found: defaultdict[str, list[Any]] = defaultdict(lambda: [None] * len(samples))
    for position, (row, trace, number) in enumerate(samples):
        for name, value in values(row, trace, source_of(row, source)).items():
            if value is not None:
                found[name][position] = value
        if number:
            found["member"][position] = str(number)
    return dict(found)


def values(row: Episode, trace: AgentTrace, source: Source) -> dict[str, Any]:
    """The columns of one trace."""
    work = (row.run or {}).get("work")
    policy = work.get("policy") if isinstance(work, dict) else None
    env = env_name(row.env, trace.info)
    rewards = components(trace.rewards)
    found: dict[str, Any] = {
        "key": trace.id or row.id,
        "split": (f"eval/{env}" if env else "eval/all") if source.split != "train" else None,
        "env": env,
        "group": (row.group or {}).get("id", trace.info.get("group_id")),
        "reward": total_reward(rewards),
        "advantage": advantage_of(trace),
        "status": status(trace.ok and row.ok is not False, trace.is_timeout or row.is_timeout, trace),
        "stop_reason": trace.stop_condition,
        "discard_reason": discard_reason(row, trace, source) if source.note in (JUDGED, UNSHIPPED) else None,
        "sampling_step": policy.get("start") if isinstance(policy, dict) else trace.info.get("policy_version"),
        "prompt_tokens": _prompt_tokens(trace.calls),
        "completion_tokens": trace.num_output_tokens,
        "total_tokens": trace.num_total_tokens,
        "turns": sum(node.sampled for node in trace.nodes) or None,
        "prompt_hash": _task_hash(env, trace.task or row.task),
    }
    found.update({f"rewards.{name}": score for name, (score, _) in rewards.items()})
    found.update({f"metrics.{name}": number for name, number in numbers(trace.metrics)})
    return found


def _infos(row: Episode) -> list[dict[str, Any]]:
    return [trace.info for trace in traces_of(row)]


def kind_of(row: Episode) -> str | None:
    """What its traces were stamped with as they arrived, else what the episode was asked for. The run's own type is that
    of the program: a training run's evals are work of type eval."""
    for info in _infos(row):
        if info.get("kind") in ("train", "eval"):
            return str(info["kind"])
    run = row.run or {}
    work = run.get("work")
    return (work.get("type") if isinstance(work, dict) else None) or run.get("type") or ("train" if run else "eval")


def dispatch_step(row: Episode) -> int | None:
    told = [(row.run or {}).get("work")]
    told += [info.get(moment) for info in _infos(row) for moment in ("dispatch", "arrival")]
    steps = (as_number(item.get("step")) for item in told if isinstance(item, dict))
    return next((int(step) for step in steps if step is not None and step.is_integer()), None)


def env_name(env: Any, info: Any) -> str | None:
    name = (env.get("name") or env.get("id")) if isinstance(env, dict) else None
    name = name or (info.get("env_name") if isinstance(info, dict) else None)
    return str(name) if name else None


def components(rewards: Any) -> dict[str, tuple[float, float]]:
    """Name -> (score, weight) of every component that was scored."""
    found: dict[str, tuple[float, float]] = {}
    for name, value in rewards.items() if isinstance(rewards, dict) else ():
        score = as_number(value.get("score") if isinstance(value, dict) else value)
        weight = as_number(value.get("weight", 1.0)) if isinstance(value, dict) else 1.0
        if score is not None:
            found[name] = (score, 1.0 if weight is None else weight)
    return found


def total_reward(rewards: dict[str, tuple[float, float]]) -> float | None:
    return sum(score * weight for score, weight in rewards.values()) if rewards else None


def one_advantage(nodes: Any) -> float | None:
    """The advantage, where all tokens that have one have the same."""
    seen = {value for values in nodes if values for value in values if value is not None}
    return seen.pop() if len(seen) == 1 else None


def advantage_of(trace: AgentTrace) -> float | None:
    """The trace's own, else the one that all its tokens have."""
    told = as_number(trace.info.get("advantage"))
    return one_advantage(node.advantages for node in trace.nodes) if told is None else told


def status(ok: bool | None, timeout: bool | None, trace: Any) -> str | None:
    """`trace` has stop_condition, calls and is_completed, as a struct of ours."""
    if timeout:
        return "aborted"
    if not ok:
        return None if ok is None else "failed"
    last = next((call.finish_reason for call in reversed(trace.calls) if call.error is None), None)
    if trace.stop_condition in TRUNCATED or last == "length":
        return "truncated"
    return "completed" if trace.is_completed or trace.stop_condition else None


def discard_reason(row: Episode, trace: AgentTrace, source: Source) -> str:
    """Why a trace is in `all` and not in `effective`, as far as its record tells."""
    for errors in (trace.errors, row.errors):
        if errors:
            kind = errors[0].get("type") if isinstance(errors[0], dict) else None
            return f"error: {kind}" if kind else "error"
    if trace.is_timeout or row.is_timeout:
        return "timeout"
    if trace.ok is False or row.ok is False:
        return "failed"
    filters = trace.info.get("filters")
    if isinstance(filters, dict) and (hit := [name for name, value in filters.items() if value]):
        return ", ".join(map(str, hit))
    if advantage_of(trace) == 0:
        return "zero_advantage"
    return NOT_SHIPPED if source.note == UNSHIPPED else "not in the effective batch"


def _prompt_tokens(calls: Sequence[ModelCall]) -> Any:
    return (calls[0].usage or {}).get("prompt_tokens") if calls else None


def _task_hash(env: str | None, task: TraceTask | None) -> int | None:
    if task is None:
        return None
    name = task.key or task.hash
    return prompt_hash(f"{env} {name}  ".encode() if name else msgspec.json.encode(printable(task.data)))
