"""verifiers: episodes of any loop that runs its environments, training or evaluating.

    from rollscope.record.integrations.verifiers import record_episode

    record_episode(run, episode, step=step)                   # or evaluation="held out"

Takes verifiers' own objects and their JSON (``traces.jsonl``), episodes and single traces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollscope.record.integrations.shared import harmless, wants_tokens
from rollscope.record.run import Run
from rollscope.record.samples.fields import SampleFields

#: Keys of a task's data that hold its reference answer.
GOLDEN_KEYS = ("answer", "ground_truth", "solution", "target")
_TRUNCATED = frozenset({"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens", "context_length"})


def record_episode(run: Run, episode: Any, *, step: int | None = None, evaluation: str | None = None) -> None:
    """Add an episode's traces to their step (the episode's own, where it carries one), in training or an evaluation."""
    with harmless(lambda: run, "An episode of verifiers"):
        record = _plain(episode)
        work = (record.get("run") or {}).get("work") or {}
        number = step if step is not None else work.get("step") or 0
        if evaluation is None and (record.get("run") or {}).get("type") == "eval":
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
    out: SampleFields = {"prompt": messages[:sampled], "response": messages[sampled:]}
    rewards = {name: item for name, item in (trace.get("rewards") or {}).items() if item is not None}
    if rewards:
        out["rewards"] = {name: item["score"] for name, item in rewards.items()}
        out["reward"] = sum(item["score"] * item.get("weight", 1.0) for item in rewards.values())
    out["metrics"] = {name: value for name, value in (trace.get("metrics") or {}).items() if value is not None}
    data = ((trace.get("task") or episode.get("task") or {}).get("data")) or {}
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
    return out


def _add_end(out: SampleFields, trace: Mapping[str, Any]) -> None:
    stop = trace.get("stop_condition")
    if stop:
        out["stop_reason"] = str(stop)
    if trace.get("errors") and not trace.get("ok", True):
        out["status"] = "failed"
        out["turns"] = [{"logs": {"errors": trace["errors"]}}]
    elif stop in _TRUNCATED:
        out["status"] = "truncated"
    elif trace.get("is_timeout"):
        out["status"] = "aborted"
    elif trace.get("is_completed"):
        out["status"] = "completed"


def _add_tokens(out: SampleFields, branch: list[Mapping[str, Any]], sampled: int) -> None:
    """Token counts, where every node has its ids; and the arrays of the response where they are wanted."""
    if not branch or any(node.get("token_ids") is None for node in branch):
        return
    out["prompt_tokens"] = sum(len(node["token_ids"]) for node in branch[:sampled])
    out["completion_tokens"] = sum(sum(map(bool, node.get("mask") or ())) for node in branch[sampled:])
    out["total_tokens"] = sum(len(node["token_ids"]) for node in branch)
    if wants_tokens():
        mask = [int(bool(value)) for node in branch[sampled:] for value in node.get("mask") or ()]
        arrays: dict[str, Any] = {"ids": [i for node in branch[sampled:] for i in node["token_ids"]], "mask": mask}
        for name, key in (("logprobs", "logprobs"), ("advantage", "advantages"), ("entropy", "entropies")):
            # These have one value for each token of the model's own.
            values = [value for node in branch[sampled:] for value in node.get(key) or ()]
            if len(values) == sum(mask) and None not in values:
                left = iter(values)
                arrays[name] = [next(left) if own else 0.0 for own in mask]
        out["tokens"] = arrays


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
