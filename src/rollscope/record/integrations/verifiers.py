"""verifiers: episodes of any loop that runs its environments, training or evaluating.

    from rollscope.record.integrations.verifiers import record_episode

    record_episode(run, episode, step=step)                   # or evaluation="held out"

Takes verifiers' own objects and their JSON (``traces.jsonl``), episodes and single traces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollscope.record.integrations.shared import constant, harmless, wants_tokens
from rollscope.record.run import Run
from rollscope.record.samples.fields import SampleFields

#: Keys of a task's data that hold its reference answer.
GOLDEN_KEYS = ("answer", "ground_truth", "solution", "target")
#: Arrays of a sample, and the node's streams they are made of.
_STREAMS = (
    ("logprobs", "logprobs"), ("advantage", "advantages"), ("entropy", "entropies"),
    ("trainer_logprobs", "trainer_logprobs"), ("reference_logprobs", "reference_logprobs"),
)  # fmt: skip
_TRUNCATED = frozenset({"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens", "context_length"})


def record_episode(run: Run, episode: Any, *, step: int | None = None, evaluation: str | None = None) -> None:
    """Add an episode's traces to their step (the episode's own, where it carries one), in training or an evaluation."""
    with harmless(lambda: run, "An episode of verifiers"):
        record = _plain(episode)
        work = (record.get("run") or {}).get("work") or {}
        number = step if step is not None else work.get("step") or 0
        # A training run evaluates too: its work says so.
        if evaluation is None and "eval" in ((record.get("run") or {}).get("type"), work.get("type")):
            evaluation = str((record.get("env") or {}).get("name") or (record.get("env") or {}).get("id") or "eval")
        iteration = run.iteration(number) if evaluation is None else run.evaluation(evaluation, number)
        group = (record.get("group") or {}).get("id") or (record.get("task") or {}).get("key")
        for trace in record.get("traces") or [record]:
            iteration.add(group=group, **sample_fields(trace, record))


def sample_fields(trace: Any, episode: Any = None) -> SampleFields:
    """One trace in the recorder's words."""
    trace, episode = _plain(trace), _plain(episode or {})
    branch = _last_branch(trace.get("nodes") or [])
    sampled = next((place for place, node in enumerate(branch) if node.get("sampled")), len(branch))
    messages = [dict(node.get("message") or {}) for node in branch]
    data = ((trace.get("task") or episode.get("task") or {}).get("data")) or {}
    # What failed before a model was asked has no nodes; its task says what would have been asked.
    asked = messages[:sampled] or ([] if messages else data.get("prompt") or [])
    out: SampleFields = {"prompt": asked, "response": messages[sampled:]}
    rewards = {name: item for name, item in (trace.get("rewards") or {}).items() if item is not None}
    if rewards:
        out["rewards"] = {name: item["score"] for name, item in rewards.items()}
        out["reward"] = sum(item["score"] * item.get("weight", 1.0) for item in rewards.values())
    out["metrics"] = {name: value for name, value in (trace.get("metrics") or {}).items() if value is not None}
    golden = {key: data[key] for key in GOLDEN_KEYS if isinstance(data.get(key), (str, int, float))}
    if golden:
        out["golden_answers"] = golden
    env = episode.get("env") or {}
    if env.get("name") or env.get("id"):
        out["env"] = str(env.get("name") or env.get("id"))
    _add_end(out, trace)
    policy = (((episode.get("run") or {}).get("work")) or {}).get("policy") or {}
    if isinstance(policy.get("start"), int):
        out["sampling_step"] = policy["start"]
    _add_tokens(out, branch, sampled)
    if "completion_tokens" not in out:
        _add_usage(out, trace)
    return out


def _add_end(out: SampleFields, trace: Mapping[str, Any]) -> None:
    stop = trace.get("stop_condition")
    if stop:
        out["stop_reason"] = str(stop)
    if trace.get("errors") and not trace.get("ok", True):
        out["status"] = "failed"
        out["turns"] = [{"logs": {"errors": trace["errors"]}}]
    elif stop in _TRUNCATED or _finish(trace) == "length":
        out["status"] = "truncated"
    elif trace.get("is_timeout"):
        out["status"] = "aborted"
    elif trace.get("is_completed"):
        out["status"] = "completed"


def _finish(trace: Mapping[str, Any]) -> Any:
    """Why the last call of a model ended."""
    calls = trace.get("calls") or [{}]
    return calls[-1].get("finish_reason")


def _add_usage(out: SampleFields, trace: Mapping[str, Any]) -> None:
    """What the provider counted, where tokens themselves are not known."""
    used = [call["usage"] for call in trace.get("calls") or () if call.get("usage")]
    if used:
        out["prompt_tokens"] = used[0].get("prompt_tokens")
        out["completion_tokens"] = sum(usage.get("completion_tokens") or 0 for usage in used)


def _add_tokens(out: SampleFields, branch: list[Mapping[str, Any]], sampled: int) -> None:
    """Token counts, where every node has its ids; and the arrays of the response where they are wanted. Evaluations through
    an API have lists without a token."""
    if not any(node.get("token_ids") for node in branch) or any(node.get("token_ids") is None for node in branch):
        return
    response = branch[sampled:]
    mask = [int(bool(value)) for value in _stream(response, "mask")]
    out["total_tokens"] = len(_stream(branch, "token_ids"))
    out["prompt_tokens"] = len(_stream(branch[:sampled], "token_ids"))
    out["completion_tokens"] = sum(mask)
    given = _stream(response, "advantages")
    if len(given) == sum(mask) and (advantage := constant(given)) is not None:
        out["advantage"] = advantage
    if wants_tokens():
        out["tokens"] = _token_arrays(response, mask)


def _token_arrays(response: list[Mapping[str, Any]], mask: list[int]) -> dict[str, Any]:
    """What is known of each token. The nodes have values for the model's own tokens only: the others' are 0."""
    arrays: dict[str, Any] = {"ids": _stream(response, "token_ids"), "mask": mask}
    for name, key in _STREAMS:
        values = _stream(response, key)
        if len(values) == sum(mask) and None not in values:
            left = iter(values)
            arrays[name] = [next(left) if own else 0.0 for own in mask]
    return arrays


def _stream(nodes: list[Mapping[str, Any]], key: str) -> list[Any]:
    """The values of all nodes, concatenated."""
    return [value for node in nodes for value in node.get(key) or ()]


def _last_branch(nodes: list[Any]) -> list[Mapping[str, Any]]:
    """From the root to the last node: a trace is a graph, and its last leaf is the conversation as it ended."""
    branch: list[Mapping[str, Any]] = []
    place: Any = len(nodes) - 1 if nodes else None
    while isinstance(place, int) and 0 <= place < len(nodes) and len(branch) <= len(nodes):
        branch.append(nodes[place])
        place = nodes[place].get("parent")
    return branch[::-1]


def _plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    dumped: dict[str, Any] = value.model_dump(mode="python", exclude_none=True)
    return dumped
