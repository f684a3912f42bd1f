"""One trial: its files, and the sample that they are."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from msgspec import Struct

from rollscope.formats.completion_table import integer
from rollscope.formats.harbor.atif import messages_of, steps_of, subagents, tokens_of, turns_of
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.formats.lines.nested import items, mapping, number, text
from rollscope.model import TOTAL_KEYS, Sample, Turn, as_number, numbers
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
        main = [(int(match[1] or 0), name) for name in names if (match := _MAIN.fullmatch(name))]
        found += [f"{folder}agent/{name}" for _, name in sorted(main)]
        found += [f"{folder}agent/{name}" for name in names if name.endswith(".json") and not _MAIN.fullmatch(name)]
        found += [path for name in ("reward.json", "reward.txt") if store.exists(path := f"{folder}verifier/{name}")]
    return found + [path for name in _OUTPUTS if store.exists(path := f"{place}{name}")]


def _parts(store: Store, place: str) -> list[str]:
    """The trial itself, and its steps where it has some."""
    return [place, *(f"{place}steps/{name}/" for name in store.folders(f"{place}steps"))]


def read_trial(store: Store, place: str | None, path: str) -> Trial:
    """The trial at this place; a bare trajectory where there is none. Raises ValueError where nothing can be read."""
    trial = Trial({}, [], [], {}, {}, [path])
    if place is None:
        trial.trajectories.append(_read(store, path))
        return trial
    if path.endswith(_RESULT):
        trial.result = _read(store, path)
    for name in trial_files(store, place):
        last = name.rpartition("/")[2]
        try:
            if last in ("reward.json", "reward.txt"):
                trial.rewards = trial.rewards or _rewards_in(store, name)
            elif not last.endswith(".json"):
                trial.logs[last] = _output(store, name)
            elif mapping(found := _read(store, name)).get("steps") is None:
                continue
            elif _MAIN.fullmatch(last):
                trial.trajectories.append(found)
            else:
                trial.others.append((last.removesuffix(".json"), found))
        except (OSError, ValueError) as error:
            trial.logs[last] = f"cannot be read: {error}"
        else:
            trial.files.append(name)
    return trial


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
    agent, told = mapping(result.get("agent_info")), mapping(result.get("agent_result"))
    if not agent and trial.trajectories:
        agent = mapping(trial.trajectories[0].get("agent"))
    model = mapping(agent.get("model_info")).get("name") or agent.get("model_name")
    final = mapping(trial.trajectories[-1].get("final_metrics")) if trial.trajectories else {}
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
        completion_tokens=integer(told.get("n_output_tokens", final.get("total_completion_tokens"))),
        turns=turns,
        timings=_timings(result),
        tokens=tokens_of(steps, told.get("rollout_details")),
        unmatched=subagents(trial.trajectories, trial.others),
        notes=notes,
        record=printable({**result, "trajectories": trial.trajectories} if result else trial.trajectories[0]),
    )
    sample.source = {"file": trial.files[0]}
    return sample


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
    failure = mapping(trial.result.get("exception_info"))
    if failure:
        kind = text(failure.get("exception_type")) or "error"
        message = text(failure.get("exception_message"))
        return (
            "aborted" if "Timeout" in kind or "Cancel" in kind else "failed",
            kind,
            [f"{kind}: {message}" if message else kind],
        )
    if trial.result.get("finished_at"):
        return "completed", None, []
    # A trajectory alone does not say whether its agent is done; a trial without a result is not.
    return ("pending", None, []) if trial.result or len(trial.files) > 1 or "/" in trial.files[0] else (None, None, [])


def _metrics(told: dict[str, Any], final: dict[str, Any]) -> dict[str, float]:
    found = {
        "input_tokens": number(told.get("n_input_tokens", final.get("total_prompt_tokens"))),
        "cached_tokens": number(told.get("n_cache_tokens", final.get("total_cached_tokens"))),
        "cost_usd": number(told.get("cost_usd", final.get("total_cost_usd"))),
    }
    return {name: value for name, value in found.items() if value is not None}


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
