"""The lines of a `*_rollout_summaries.jsonl` file: one trajectory in numbers, with what its steps logged.

A metric that several steps emitted is their mean; one that the whole trajectory emitted counts before that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from rollscope import render
from rollscope.formats.base import Place, Source
from rollscope.formats.json_values import count
from rollscope.formats.lines.jsonl import JsonlFormat
from rollscope.formats.lines.lenient import printable
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Part, Sample, Status, Turn, as_number, numbers

_STOP = "stop/"
#: How the framework's own agents end; other reasons are shown as they are, without a status.
_STATUS: dict[str, Status] = {
    "completed": "completed",
    "tool_stopped": "completed",
    "max_turns": "truncated",
    "max_tokens": "truncated",
    "max_sampled_tokens": "truncated",
    "max_tool_calls": "truncated",
    "context_overflow": "truncated",
    "parse_error": "failed",
    "rollout_timeout": "aborted",
}


class TurnRow(Struct, kw_only=True):
    ob_len: int | None = None
    ac_len: int | None = None
    #: How the answer ended, `stop` or `length`; older versions do not say it.
    stop_reason: str | None = None
    metrics: dict[str, Any] = {}


class TrajectoryRow(Struct, kw_only=True):
    """The scalars of one line; the logs of its steps are passed over."""

    group_idx: int | str | None = None
    tags: list[str] = []
    sampling_client_step: int | None = None
    total_reward: float | None = None
    final_reward: float | None = None
    trajectory_metrics: dict[str, Any] = {}
    steps: list[TurnRow] = []


class SummaryLines(JsonlFormat):
    """How the lines are scanned and what one of them says. The run they belong to is `TinkerFormat`'s business."""

    name: ClassVar[str] = "tinker"
    Row = TrajectoryRow
    extras = False

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        columns: dict[str, list[Any]] = {
            "group": [None if row.group_idx is None else str(row.group_idx) for row in rows],
            "tags": [row.tags for row in rows],
            "reward": [row.total_reward for row in rows],
            "final_reward": [row.final_reward for row in rows],
            "sampling_step": [row.sampling_client_step for row in rows],
            "staleness": [_staleness(source.step, row.sampling_client_step) for row in rows],
            "turns": [len(row.steps) for row in rows],
        }
        counts = [_Counts([(step.ob_len, step.ac_len) for step in row.steps]) for row in rows]
        for name in ("prompt_tokens", "completion_tokens", "total_tokens"):
            columns[name] = [getattr(count, name) for count in counts]
        ends = [_end(row.steps[-1].metrics, row.steps[-1].stop_reason) if row.steps else None for row in rows]
        columns["stop_reason"] = list(ends)
        columns["status"] = [_status(end) for end in ends]
        for position, row in enumerate(rows):
            for name, value in _metrics(row.trajectory_metrics, [step.metrics for step in row.steps]).items():
                column = f"metrics.{name}"
                if column not in columns:
                    columns[column] = [None] * len(rows)
                columns[column][position] = value
        return dict(columns)

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        steps = steps_of(record)
        counts = _Counts([(count(step.get("ob_len")), count(step.get("ac_len"))) for step in steps])
        sampling_step = count(record.get("sampling_client_step"))
        end = _end(steps[-1]["metrics"], steps[-1].get("stop_reason")) if steps else None
        tags = record.get("tags")
        return Sample(
            split=place.split,
            step=place.step,
            group=record.get("group_idx"),
            tags=[str(tag) for tag in tags] if isinstance(tags, list) else [],
            messages=_logged_messages(steps),
            reward=as_number(record.get("total_reward")),
            final_reward=as_number(record.get("final_reward")),
            metrics=_metrics(record.get("trajectory_metrics"), [step["metrics"] for step in steps]),
            status=_status(end),
            stop_reason=end,
            sampling_step=sampling_step,
            staleness=_staleness(source.step, sampling_step),
            prompt_tokens=counts.prompt_tokens,
            completion_tokens=counts.completion_tokens,
            total_tokens=counts.total_tokens,
            turns=[_turn(index, step) for index, step in enumerate(steps)],
        )


def steps_of(trajectory: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A record's steps, with metrics and logs that are mappings whatever the line held."""
    steps = trajectory.get("steps")
    found = []
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict):
            parts = {key: step[key] if isinstance(step.get(key), dict) else {} for key in ("metrics", "logs")}
            found.append({**step, **parts})
    return found


class _Counts:
    """Token counts of a trajectory from the (observation, action) lengths of its steps."""

    def __init__(self, lengths: Sequence[tuple[int | None, int | None]]) -> None:
        actions = [action for _, action in lengths if action is not None]
        self.prompt_tokens = lengths[0][0] if lengths else None
        self.completion_tokens = sum(actions) if actions else None
        self.total_tokens = None
        if lengths and all(None not in pair for pair in lengths):
            ends = [(observation or 0) + (action or 0) for observation, action in lengths]
            # Only where every observation holds all that went before is the last one the whole sequence.
            if all((observation or 0) >= end for (observation, _), end in zip(lengths[1:], ends)):
                self.total_tokens = ends[-1]


def _metrics(whole: Any, steps: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    emitted: dict[str, list[float]] = {}
    for metrics in steps:
        for name, value in numbers(metrics):
            emitted.setdefault(name, []).append(value)
    found = {name: sum(values) / len(values) for name, values in emitted.items()}
    found.update(numbers(whole) if isinstance(whole, Mapping) else ())
    return found


def _end(metrics: Mapping[str, Any], sampled: Any) -> str | None:
    """The framework's agents mark their last step with `stop/<reason>: 1`; else it is how the answer itself ended."""
    marked = (key.removeprefix(_STOP) for key, value in metrics.items() if key.startswith(_STOP) and value)
    return next(marked, sampled if isinstance(sampled, str) and sampled else None)


def _status(end: str | None) -> Status | None:
    return _STATUS.get(end) or status_of(end) if end else None


def _staleness(step: int | None, sampling_step: int | None) -> int | None:
    return None if step is None or sampling_step is None else step - sampling_step


def _turn(index: int, step: dict[str, Any]) -> Turn:
    return Turn(
        index=index,
        reward=as_number(step.get("reward")),
        metrics=dict(numbers(step["metrics"])),
        logs=printable(step["logs"]),
        prompt_tokens=count(step.get("ob_len")),
        completion_tokens=count(step.get("ac_len")),
        stop_reason=_end(step["metrics"], step.get("stop_reason")),
    )


def _logged_messages(steps: Sequence[dict[str, Any]]) -> list[Message]:
    """What the steps logged of the conversation: words, tool calls and results, without thoughts and prompts."""
    messages = []
    for turn, step in enumerate(steps):
        logs = step["logs"]
        words = logs.get("assistant_content")
        parts = render.split_parts(words) if isinstance(words, str) else []
        parts += map(_call, _numbered(logs, "tool_call_"))
        if parts:
            messages.append(Message(role="assistant", parts=parts, turn=turn, tokens=count(step.get("ac_len"))))
        messages += [
            Message(role="tool", parts=[Part(type="tool_result", text=text)], turn=turn)
            for text in _numbered(logs, "tool_result_")
        ]
    return messages


def _call(text: str) -> Part:
    """`name(arguments)`, as the framework logs it."""
    name, parenthesis, _ = text.partition("(")
    closed = bool(parenthesis) and text.endswith(")")
    return Part(type="tool_call", text=text, name=name, lead=len(name) + 1 if closed else 0, tail=int(closed))


def _numbered(logs: Mapping[str, Any], prefix: str) -> Iterator[str]:
    return (text for i in range(len(logs)) if isinstance(text := logs.get(f"{prefix}{i}"), str))
