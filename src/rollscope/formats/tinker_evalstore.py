"""Tinker's EvalStore: `runs/{run id}/{benchmark}/trajectories.jsonl`, one evaluation of a checkpoint a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rollscope import render
from rollscope.formats.base import Claim, MetricRow, Source
from rollscope.formats.containers.documents import read_json
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.folders import folder_named
from rollscope.formats.json_values import count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.path_names import step_in_path
from rollscope.formats.lines.sealed import plain_or_sealed
from rollscope.formats.lines.step_files import first_keys, step_source
from rollscope.model import Message, Sample
from rollscope.storage.store import Store

_TRAJECTORIES = "trajectories.jsonl"
_MARKS = frozenset({"idx", "benchmark", "example_id", "turns"})
_GOLDEN = ("expected", "answer", "target", "ground_truth")


class TinkerEvalStoreFormat(NestedLines):
    name = "tinker_evalstore"
    grouping = "recorded"
    limits = (
        "The step is the number in the checkpoint's name or path; the base model comes before all, other names behind them.",
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys >= _MARKS:
            return None
        return Claim(confidence=0.95, reasons=(f"records with benchmark, example_id and turns in {path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        prefix = folder_named(store, "runs")
        if prefix is None and (path := plain_or_sealed(store, _TRAJECTORIES)) is not None:  # one benchmark's folder
            yield step_source(path, split=f"eval/{store.name}", step=_named_step(store.parent_name), note=store.name)
        elif prefix is None:
            # A benchmark's own `save_dir`, without a store around it: one evaluation, whose folder may say the step.
            yield from _benchmarks(store, "", store.name, _named_step(store.name))
        if prefix is None:
            return
        runs = store.folders(prefix.rstrip("/"))
        numbered = {run: step for run in runs if (step := _checkpoint(store, f"{prefix}{run}", run)) is not None}
        # The base model comes before all checkpoints, what is called `final` and the like behind them.
        bases = [run for run in runs if run not in numbered and (run.startswith("base_") or not numbered)]
        last = max(numbered.values(), default=-1)
        behind = [run for run in runs if run not in numbered and run not in bases]
        steps = {**{run: place for place, run in enumerate(bases)}, **numbered}
        steps |= {run: last + 1 + place for place, run in enumerate(behind)}
        for run in runs:
            yield from _benchmarks(store, f"{prefix}{run}/", run, steps[run])

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        turns, logs = items(record.get("turns")), mapping(record.get("logs"))
        error, metrics = text(record.get("error")), numbers_of(record.get("metrics"))
        stop = next((name for name in ("max_tokens_reached", "context_overflow") if metrics.get(name)), None)
        if error and error.startswith("timeout ("):
            stop = "timeout"
        ended = {"timeout": "aborted"}.get(stop, "truncated") if stop else "failed" if error else None
        example = text(record.get("example_id"))
        sizes = [(mapping(turn).get("role"), count(mapping(turn).get("token_count"))) for turn in turns]
        sampled = [size for role, size in sizes if role == "assistant" and size is not None]
        return [
            Sample(
                # The same question in another evaluation is another group.
                group=f"{source.note}/{record.get('idx') if example is None else example}",
                messages=_messages([mapping(turn) for turn in turns]),
                reward=number(record.get("reward")),
                metrics=metrics,
                golden_answers={key: str(logs[key]) for key in _GOLDEN if logs.get(key) not in (None, "")},
                status=ended,
                stop_reason=stop,
                dataset=text(record.get("benchmark")),
                prompt_tokens=sizes[0][1] if sizes and sizes[0][0] == "user" else None,
                completion_tokens=sum(sampled) if any(sampled) else None,
                timings=numbers_of({"total": record.get("time_seconds")}),
                notes=[f"Error: {error}"] if error else [],
            )
        ]

    def metric_files(self, store: Store) -> list[str]:
        found = (f"{source.path.rpartition(_TRAJECTORIES)[0]}result.json" for source in self.sources(store))
        return [path for path in found if store.exists(path)]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for source in self.sources(store):
            path = f"{source.path.rpartition(_TRAJECTORIES)[0]}result.json"
            try:
                result = mapping(read_json(store, path)) if store.exists(path) else {}
            except (OSError, Unreadable):
                continue
            values = {f"{source.split}/{key}": value for key, value in numbers_of(result).items()}
            if values and source.step is not None:
                yield MetricRow(step=source.step, time=None, values=values)

    def config(self, store: Store) -> Any:
        found = {}
        prefix = folder_named(store, "runs")
        for run in store.folders(prefix.rstrip("/")) if prefix is not None else ():
            path = f"{prefix}{run}/metadata.json"
            if store.exists(path):
                try:
                    found[run] = read_json(store, path)
                except (OSError, Unreadable):
                    continue
        return found or None

    def claims(self, store: Store, path: str) -> bool:
        return path == "runs.jsonl" or path.endswith(("/result.json", "/summary.json", "/metadata.json"))


def _benchmarks(store: Store, folder: str, run: str, step: int) -> Iterator[Source]:
    for benchmark in store.folders(folder.rstrip("/")):
        if (path := plain_or_sealed(store, f"{folder}{benchmark}/{_TRAJECTORIES}")) is not None:
            yield step_source(path, split=f"eval/{benchmark}", step=step, note=run)


def _named_step(run: str) -> int:
    """`step500` and `000100_20261101_090000_a1b2c3` say one."""
    found = re.match(r"(\d{1,11})_\d{8}_\d{6}_", run)
    return int(found[1]) if found else step_in_path(f"{run}/x") or 0


def _checkpoint(store: Store, folder: str, run: str) -> int | None:
    """`000100_20261101_090000_a1b2c3`: the checkpoint first, and in the metadata whatever the run is called. A word has no
    number, `step_100` has."""
    named = re.fullmatch(r"(.+)_\d{8}_\d{6}_[0-9a-f]+", run)
    name = named[1] if named else run.split("_", 1)[0]
    # A checkpoint that was not given a name is called `base` as the model itself is: its path tells them apart.
    told = _metadata(store, f"{folder}/metadata.json") if not named or name == "base" else {}
    names = [name if named or not told else text(told.get("checkpoint_name")), text(told.get("checkpoint_path"))]
    found = (re.search(r"(?:^|\D)(\d{1,11})$", name) for name in names if name)
    return next((int(match[1]) for match in found if match), None)


def _metadata(store: Store, path: str) -> dict[str, Any]:
    try:
        return mapping(read_json(store, path)) if store.exists(path) else {}
    except (OSError, Unreadable):
        return {}


def _messages(turns: list[dict[str, Any]]) -> list[Message]:
    """Turns as messages. What the model saw is written as it was rendered, and from the second turn on it is everything so
    far: what was not there before is the environment's."""
    contents: list[str] = []
    whole = True
    for turn in turns:
        content, so_far = str(turn.get("content") or ""), "".join(contents)
        goes_on = turn.get("role") != "environment" or content.startswith(so_far)
        whole = whole and goes_on and turn.get("role") in ("user", "assistant", "environment")
        contents.append(content[len(so_far) :] if goes_on and turn.get("role") == "environment" else content)
    if whole and turns and turns[0].get("role") == "user":
        told = render.split_conversation(contents[0], "".join(contents[1:]))
        if len(turns) <= 2 or any(part.type == "marker" for message in told for part in message.parts):
            if len(turns) > 1 and all(message.turn is None for message in told):
                told.append(Message(role="assistant", turn=0))  # it said nothing, which is not the same as no answer
            return told
    return conversation([{"role": turn.get("role"), "content": text} for turn, text in zip(turns, contents)])
