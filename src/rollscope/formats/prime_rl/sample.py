"""One trace of prime-rl, whole: its graph of messages as a conversation, its turns, its tokens."""

from __future__ import annotations

from typing import Any

import msgspec

from rollscope import render
from rollscope.formats.json_values import items, mapping
from rollscope.formats.prime_rl.rows import components
from rollscope.model import Message, Sample, TokenArrays, Transcript, Turn, as_integer, as_number

_ANSWERS = ("answer", "answers", "solution", "ground_truth", "target", "expected_answer", "label", "reference")


def trace_of(record: dict[str, Any], member: str) -> dict[str, Any]:
    """The trace in the line: the line itself, or the one of an Episode's that `member` names."""
    traces = record.get("traces")
    if not isinstance(traces, list):
        return record
    number = int(member or 0)
    found = traces[number] if number < len(traces) else {}
    return mapping(found)


def build_sample(record: dict[str, Any], member: str) -> Sample:
    """What is not a scalar: those come from `rows`, which the index reads too."""
    trace = trace_of(record, member)
    nodes = graph(trace)
    calls = calls_of(trace)
    path = main_path(nodes, calls)
    sample = Sample(
        messages=path_messages(nodes, path) or task_messages(trace.get("task") or record.get("task")),
        golden_answers=golden_answers(trace.get("task") or record.get("task")),
        turns=_turns(nodes, path, calls),
        timings=_timings(trace.get("timing")),
        tokens=_tokens(nodes, path),
        unmatched=branches(nodes, path),
    )
    _add_notes(sample, record, trace)
    return sample


def graph(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [mapping(node) for node in items(trace.get("nodes"))]


def calls_of(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for call in items(trace.get("calls")) if isinstance(call, dict)]


def main_path(nodes: list[dict[str, Any]], calls: list[dict[str, Any]]) -> list[int]:
    """The nodes from the root to the last call's answer (else to the last sampled node, else to the last), and what was
    said to it that no call has answered: a tool's result where the turns were used up."""
    called = [number for call in calls if isinstance(number := call.get("node"), int) and 0 <= number < len(nodes)]
    sampled = [number for number, node in enumerate(nodes) if node.get("sampled")]
    ends = called or sampled or list(range(len(nodes)))
    if not ends:
        return []
    path = _ancestors(nodes, ends[-1])
    while told := [at for at in range(path[-1] + 1, len(nodes)) if nodes[at].get("parent") == path[-1]]:
        if len(told) > 1 or nodes[told[0]].get("sampled"):
            break
        path.append(told[0])
    return path


def _ancestors(nodes: list[dict[str, Any]], number: int) -> list[int]:
    path: list[int] = []
    at: Any = number
    # A parent lies before its child; whatever claims otherwise would lead in a circle.
    while isinstance(at, int) and 0 <= at < (path[-1] if path else len(nodes)):
        path.append(at)
        at = nodes[at].get("parent")
    return path[::-1]


def path_messages(nodes: list[dict[str, Any]], path: list[int]) -> list[Message]:
    """What stands before the first sampled message is the prompt."""
    first = next((place for place, number in enumerate(path) if nodes[number].get("sampled")), len(path))
    sources = [nodes[number].get("message") for number in path]
    messages = [
        *render.messages_from_chat(sources[:first], turn=None),
        *render.messages_from_chat(sources[first:], turn=0),
    ]
    for message, number in zip(messages, path):
        message.tokens = len(items(nodes[number].get("token_ids"))) or None
    return messages


def branches(nodes: list[dict[str, Any]], path: list[int]) -> list[Transcript]:
    """What the graph has beside the main path: compacted histories, subagents, tries that were left."""
    parents = {node.get("parent") for node in nodes}
    shown = set(path)
    found = []
    for leaf in (number for number in range(len(nodes)) if number not in parents and number not in shown):
        branch = [number for number in _ancestors(nodes, leaf) if number not in shown]
        after = nodes[branch[0]].get("parent") if branch else None
        place = f"after message {path.index(after) + 1}" if after in shown else "from its own beginning"
        messages = render.messages_from_chat([nodes[number].get("message") for number in branch], turn=0)
        found.append(Transcript(title=f"Another branch of this sample, {place}", messages=messages))
    return found


def _turns(nodes: list[dict[str, Any]], path: list[int], calls: list[dict[str, Any]]) -> list[Turn]:
    by_node = {call.get("node"): call for call in calls}
    turns: list[Turn] = []
    for number in path:
        if not nodes[number].get("sampled"):
            continue
        call = by_node.get(number, {})
        usage = call.get("usage") if isinstance(call.get("usage"), dict) else {}
        turns.append(
            Turn(
                index=len(turns),
                prompt_tokens=as_integer((usage or {}).get("prompt_tokens")),
                completion_tokens=sum(map(bool, items(nodes[number].get("mask")))) or None,
                stop_reason=str(call["finish_reason"]) if call.get("finish_reason") else None,
                timings=_span("generation", call.get("time")),
            )
        )
    return turns


#: Array of a sample -> key of a node. A node has a value for each token that it sampled, and none for the others.
_TOKEN_VALUES = {
    "logprobs": "logprobs",
    "trainer_logprobs": "trainer_logprobs",
    "reference_logprobs": "reference_logprobs",
    "entropy": "entropies",
    "advantage": "advantages",
}


def _tokens(nodes: list[dict[str, Any]], path: list[int]) -> TokenArrays | None:
    """The tokens from the first sampled message on. Values are stored for sampled tokens only: the others have none."""
    first = next((place for place, number in enumerate(path) if nodes[number].get("sampled")), len(path))
    arrays = TokenArrays()
    filled: dict[str, list[float | None]] = {name: [] for name in _TOKEN_VALUES}
    for number in path[first:]:
        node = nodes[number]
        ids, mask = items(node.get("token_ids")), [bool(flag) for flag in items(node.get("mask"))]
        if len(mask) != len(ids):
            return None
        arrays.ids = [*arrays.ids, *ids]
        arrays.mask = [*arrays.mask, *map(int, mask)]
        for name, key in _TOKEN_VALUES.items():
            values = iter(items(node.get(key)))
            filled[name] += [next(values, None) if flag else None for flag in mask]
    for name, column in filled.items():
        if any(value is not None for value in column):
            setattr(arrays, name, column)
    return arrays if arrays.ids else None


def task_messages(task: Any) -> list[Message]:
    """What would have been asked: a rollout that failed before its first call has no messages of its own."""
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        return []
    prompt, system = data.get("prompt"), data.get("system_prompt")
    asked = [{"role": "system", "content": system}] if isinstance(system, str) and system else []
    if isinstance(prompt, str) and prompt:
        asked.append({"role": "user", "content": prompt})
    elif isinstance(prompt, list):
        asked += [message for message in prompt if isinstance(message, dict)]
    return render.messages_from_chat(asked, turn=None)


def golden_answers(task: Any) -> dict[str, str]:
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        return {}
    found = {key: data[key] for key in _ANSWERS if data.get(key) not in (None, "", [], {})}
    return {
        key: value if isinstance(value, str) else msgspec.json.encode(value).decode() for key, value in found.items()
    }


def _timings(timing: Any) -> dict[str, float]:
    spans = timing.items() if isinstance(timing, dict) else ()
    return {name: seconds for key, span in spans for name, seconds in _span(key, span).items()}


def _span(name: str, span: Any) -> dict[str, float]:
    start, end = (as_number(span.get(key)) for key in ("start", "end")) if isinstance(span, dict) else (None, None)
    return {name: end - start} if start is not None and end is not None and end > start else {}


def _add_notes(sample: Sample, record: dict[str, Any], trace: dict[str, Any]) -> None:
    rewards = components(trace.get("rewards"))
    if any(weight != 1.0 for _, weight in rewards.values()):
        terms = " + ".join(f"{weight:g} × {name}" for name, (_, weight) in rewards.items())
        sample.notes.append(f"The reward is {terms}.")
    agent = trace.get("agent")
    if len(items(record.get("traces"))) > 1 and isinstance(agent, dict):
        sample.notes.append(f"One of {len(record['traces'])} traces of its episode: {agent.get('name') or 'unnamed'}.")
    for error in [*items(trace.get("errors")), *items(record.get("errors"))]:
        if isinstance(error, dict):
            sample.notes.append(f"{error.get('type') or 'Error'}: {error.get('message') or ''}".strip())
