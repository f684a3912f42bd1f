"""One trial: its files, and the sample that they are."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from msgspec import Struct

from rollscope.formats.harbor.atif import messages_of, steps_of, subagents, tokens_of, turns_of
from rollscope.formats.json_values import items, mapping, number, text
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.model import TOTAL_KEYS, Sample, Turn, as_integer, as_number, numbers
from rollscope.storage.store import Store

#: A trial's file is read whole: a larger one is refused.
MAX_BYTES = 256 << 20
#: Of what a verifier printed.
MAX_OUTPUT = 64 << 10
_RESULT = "result.json"
_MAIN = re.compile(r"trajectory(?:\.cont-(\d+))?\.json")
_PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")
_OUTPUTS = ("verifier/test-stdout.txt", "exception.txt")


class Trial(Struct):
    """What was read of a trial's files."""

    result: dict[str, Any]
    #: The trajectory and its continuations, of all steps in order.
    trajectories: list[dict[str, Any]]
    others: list[tuple[str, dict[str, Any]]]
    #: What the verifier left in files, where the result does not say it.
    rewards: dict[str, float]
    logs: dict[str, str]
    files: list[str]


def trial_files(store: Store, place: str) -> list[str]:
    """The files that `read_trial` reads besides the result, in its order."""
    found = []
    for folder in _parts(store, place):
        names = store.files(f"{folder}agent")
        users = [name for name in store.files(f"{folder}user-agent") if name.endswith(".json")]
        main = [(int(match[1] or 0), name) for name in names if (match := _MAIN.fullmatch(name))]
        found += [f"{folder}agent/{name}" for _, name in sorted(main)]
        found += [f"{folder}agent/{name}" for name in names if name.endswith(".json") and not _MAIN.fullmatch(name)]
        found += [f"{folder}user-agent/{name}" for name in users]
        found += [path for name in ("reward.json", "reward.txt") if store.exists(path := f"{folder}verifier/{name}")]
    return found + [path for name in _OUTPUTS if store.exists(path := f"{place}{name}")]


def _parts(store: Store, place: str) -> list[str]:
    """The trial itself, and its steps where it has some: in the order of the results, those under way last."""
    names = store.folders(f"{place}steps")
    if len(names) > 1:
        try:
            results = items(_read(store, f"{place}{_RESULT}").get("step_results"))
        except (OSError, ValueError):
            results = []
        done = [name for result in results if (name := mapping(result).get("step_name")) in names]
        names = [*done, *(name for name in names if name not in done)]
    return [place, *(f"{place}steps/{name}/" for name in names)]


def read_trial(store: Store, place: str | None, path: str) -> Trial:
    """The trial at this place; a bare trajectory where there is none. Raises ValueError where nothing can be read."""
    trial = Trial({}, [], [], {}, {}, [path])
    if place is None:
        trial.trajectories.append(_read(store, path))
        return trial
    if path.endswith(_RESULT):
        trial.result = _read(store, path)
    elif store.exists(config := f"{place}config.json"):
        trial.result = _begun(_read(store, config))
    for name in trial_files(store, place):
        last = name.rpartition("/")[2]
        try:
            if last in ("reward.json", "reward.txt"):
                trial.rewards = trial.rewards or _rewards_in(store, name)
            elif not last.endswith(".json"):
                trial.logs[last] = _output(store, name)
            elif mapping(found := _read(store, name)).get("steps") is None:
                continue
            elif _MAIN.fullmatch(last) and "/user-agent/" not in f"/{name}":
                trial.trajectories.append(found)
            else:
                trial.others.append((last.removesuffix(".json"), found))
        except (OSError, ValueError) as error:
            trial.logs[last] = f"cannot be read: {error}"
        else:
            trial.files.append(name)
    return trial


def line_sample(line: bytes, path: str) -> Sample:
    """A trajectory that is one line of a file. Raises ValueError for one that is none."""
    try:
        record = read_record(line)
    except Unreadable as error:
        raise ValueError(str(error)) from error
    if not isinstance(record.get("steps"), list):
        raise ValueError("it is no trajectory: it has no steps")
    return build_sample(Trial({}, [record], [], {}, {}, [path.rpartition("/")[2]]))


def _begun(config: dict[str, Any]) -> dict[str, Any]:
    """What a trial's configuration says of it before there is a result, in a result's words."""
    task, agent = mapping(config.get("task")), mapping(config.get("agent"))
    name = text(task.get("name")) or str(task.get("path") or "").rstrip("/").rpartition("/")[2]
    info = {"name": agent.get("name"), "model_name": agent.get("model_name")}
    return {"task_name": name, "trial_name": config.get("trial_name"), "source": task.get("source"), "agent_info": info}


def _read(store: Store, path: str) -> dict[str, Any]:
    stat = store.stat(path)
    if stat is not None and stat.size > MAX_BYTES:
        raise ValueError(f"{path} has {stat.size:,} bytes; more than {MAX_BYTES:,} are not read")
    try:
        return read_record(store.read(path))
    except Unreadable as error:
        raise ValueError(f"{path}: {error}") from error


def _rewards_in(store: Store, path: str) -> dict[str, float]:
    if path.endswith(".json"):
        return dict(numbers(_read(store, path)))
    value = as_number(store.read(path, 0, 100).decode("utf-8", "replace").strip())
    return {} if value is None else {"reward": value}


def _output(store: Store, path: str) -> str:
    data = store.read(path, 0, MAX_OUTPUT + 1)
    cut = f"\n… cut after {MAX_OUTPUT >> 10} KB" if len(data) > MAX_OUTPUT else ""
    return data[:MAX_OUTPUT].decode("utf-8", "replace") + cut


def build_sample(trial: Trial) -> Sample:
    result = trial.result
    steps = steps_of(trial.trajectories)
    agent, told = mapping(result.get("agent_info")), _agent_result(result)
    if not agent and trial.trajectories:
        agent = mapping(trial.trajectories[0].get("agent"))
    model = mapping(agent.get("model_info")).get("name") or agent.get("model_name")
    # Each step of a trial counts for itself: the last says nothing of all.
    whole = bool(trial.trajectories) and not items(result.get("step_results"))
    final = mapping(trial.trajectories[-1].get("final_metrics")) if whole else {}
    reward, parts = _reward(trial)
    status, stop, notes = _outcome(trial)
    turns = turns_of(steps)
    if trial.logs:
        turns = turns or [Turn(index=0)]
        turns[-1].logs = dict(trial.logs)
    dataset = text(result.get("source"))
    sample = Sample(
        split=f"eval/{(dataset or 'all').replace('/', '_')}",
        messages=messages_of(steps),
        group=text(result.get("task_name")),
        env=text(result.get("task_name")),
        dataset=dataset,
        tags=[name for name in (text(agent.get("name")), text(model)) if name],
        reward=reward,
        rewards=parts,
        metrics=_metrics(told, final),
        status=status,
        stop_reason=stop,
        completion_tokens=as_integer(_first(told.get("n_output_tokens"), final.get("total_completion_tokens"))),
        turns=turns,
        timings=_timings(result),
        tokens=tokens_of(steps, told.get("rollout_details")),
        unmatched=subagents(trial.trajectories, trial.others),
        notes=notes,
        record=printable({**result, "trajectories": trial.trajectories} if result else trial.trajectories[0]),
    )
    sample.source = {"file": trial.files[0]}
    return sample


def _agent_result(result: dict[str, Any]) -> dict[str, Any]:
    """Of a trial of several steps: what they took together."""
    if mapping(result.get("agent_result")):
        return mapping(result["agent_result"])
    steps = [mapping(mapping(step).get("agent_result")) for step in items(result.get("step_results"))]
    found: dict[str, Any] = {}
    for key in ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"):
        if told := [value for step in steps if (value := number(step.get(key))) is not None]:
            found[key] = sum(told)
    return found


def _reward(trial: Trial) -> tuple[float | None, dict[str, float]]:
    """The total is the one called so, or the only one. Steps of a trial have rewards of their own."""
    rewards = dict(numbers(mapping(mapping(trial.result.get("verifier_result")).get("rewards")))) or trial.rewards
    total = next((rewards[key] for key in TOTAL_KEYS if key in rewards), None)
    if total is None and len(rewards) == 1:
        total = next(iter(rewards.values()))
    parts = rewards if len(rewards) > 1 else {}
    for step in items(trial.result.get("step_results")):
        inner = mapping(mapping(mapping(step).get("verifier_result")).get("rewards"))
        name = text(mapping(step).get("step_name")) or text(mapping(step).get("name")) or "step"
        parts = {**parts, **{f"{name}/{key}": value for key, value in numbers(inner)}}
    return total, parts


def _outcome(trial: Trial) -> tuple[str | None, str | None, list[str]]:
    """(status, stop reason, notes)."""
    steps = [mapping(step) for step in items(trial.result.get("step_results"))]
    failures = [mapping(told.get("exception_info")) for told in (trial.result, *reversed(steps))]
    failure = next((told for told in failures if told), None)
    if failure:
        kind = text(failure.get("exception_type")) or "error"
        message = text(failure.get("exception_message"))
        status = "aborted" if "Timeout" in kind or "Cancel" in kind else "failed"
        # The model's own limits, in the words of Harbor's clients of them.
        status = "truncated" if "LengthExceeded" in kind else status
        return status, kind, [f"{kind}: {message}" if message else kind]
    if trial.result.get("finished_at"):
        return "completed", None, []
    # A trajectory alone does not say whether its agent is done; a trial without a result is not.
    return ("pending", None, []) if trial.result or len(trial.files) > 1 or "/" in trial.files[0] else (None, None, [])


def _metrics(told: dict[str, Any], final: dict[str, Any]) -> dict[str, float]:
    found = {
        "input_tokens": number(_first(told.get("n_input_tokens"), final.get("total_prompt_tokens"))),
        "cached_tokens": number(_first(told.get("n_cache_tokens"), final.get("total_cached_tokens"))),
        "cost_usd": number(_first(told.get("cost_usd"), final.get("total_cost_usd"))),
    }
    return {name: value for name, value in found.items() if value is not None}


def _first(told: Any, else_told: Any) -> Any:
    """Results write null for what an agent does not count itself; its trajectory may."""
    return else_told if told is None else told


def _timings(result: dict[str, Any]) -> dict[str, float]:
    spans = {"total": result, **{phase: mapping(result.get(phase)) for phase in _PHASES}}
    found = {}
    for name, span in spans.items():
        start, end = _time(span.get("started_at")), _time(span.get("finished_at"))
        if start is not None and end is not None and end >= start:
            found[name] = end - start
    return found


def _time(value: Any) -> float | None:
    try:
        return datetime.fromisoformat(str(value).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None
