"""Tinker's EvalStore: `runs/{run id}/{benchmark}/trajectories.jsonl`, one evaluation of a checkpoint a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rollscope.formats.base import Claim, MetricRow, Source
from rollscope.formats.containers.documents import read_json
from rollscope.formats.conversations import conversation
from rollscope.formats.folders import folder_named
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import NestedLines, count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.step_files import first_keys
from rollscope.model import Sample
from rollscope.storage.store import Store

_TRAJECTORIES = "trajectories.jsonl"
_MARKS = frozenset({"idx", "benchmark", "example_id", "turns"})
_NUMBER = re.compile(r"\d+")
_GOLDEN = ("expected", "answer", "target", "ground_truth")


class TinkerEvalStoreFormat(NestedLines):
    name = "tinker_evalstore"
    grouping = "recorded"
    limits = ("The step is the number in the checkpoint's name; evaluations without one are counted in order.",)

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys >= _MARKS:
            return None
        return Claim(confidence=0.95, reasons=(f"records with benchmark, example_id and turns in {path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        prefix = folder_named(store, "runs")
        runs = store.folders(prefix.rstrip("/")) if prefix is not None else []
        unnumbered = [run for run in runs if _checkpoint(run) is None]
        for run in runs:
            step = _checkpoint(run)
            if step is None:
                step = unnumbered.index(run)
            for benchmark in store.folders(f"{prefix}{run}"):
                path = f"{prefix}{run}/{benchmark}/{_TRAJECTORIES}"
                if store.exists(path):
                    yield Source(path=path, split=f"eval/{benchmark}", step=step, note=run)

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        turns, logs = items(record.get("turns")), mapping(record.get("logs"))
        error = text(record.get("error"))
        tokens = [count(mapping(turn).get("token_count")) for turn in turns]
        messages = conversation([_message(turn) for turn in turns])
        for message, size in zip(messages, tokens):
            message.tokens = size
        answered = [message.tokens for message in messages if message.role == "assistant"]
        example = record.get("example_id")
        return [
            Sample(
                # The same question in another evaluation is another group.
                group=f"{source.note}/{example}" if example is not None else None,
                messages=messages,
                reward=number(record.get("reward")),
                metrics=numbers_of(record.get("metrics")),
                golden_answers={key: str(logs[key]) for key in _GOLDEN if logs.get(key) not in (None, "")},
                status="failed" if error else None,
                dataset=text(record.get("benchmark")),
                completion_tokens=sum(size for size in answered if size is not None) if any(answered) else None,
                timings=numbers_of({"total": record.get("time_seconds")}),
                notes=[f"Error: {error}"] if error else [],
            )
        ]

    def metric_files(self, store: Store) -> list[str]:
        found = (source.path.removesuffix(_TRAJECTORIES) + "result.json" for source in self.sources(store))
        return [path for path in found if store.exists(path)]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for source in self.sources(store):
            path = source.path.removesuffix(_TRAJECTORIES) + "result.json"
            try:
                result = mapping(read_json(store, path)) if store.exists(path) else {}
            except (OSError, Unreadable):
                continue
            values = {f"{source.split}/{key}": value for key, value in numbers_of(result).items()}
            if values and source.step is not None:
                yield MetricRow(step=source.step, time=None, values=values)

    def config(self, store: Store) -> Any:
        found = {}
        for run in store.folders("runs"):
            path = f"runs/{run}/metadata.json"
            if store.exists(path):
                try:
                    found[run] = read_json(store, path)
                except (OSError, Unreadable):
                    continue
        return found or None

    def claims(self, store: Store, path: str) -> bool:
        return path == "runs.jsonl" or path.endswith(("/result.json", "/summary.json", "/metadata.json"))


def _checkpoint(run: str) -> int | None:
    """`000100_20261101_090000_a1b2c3`: the checkpoint first. A run that begins with a word has none."""
    head = run.split("_", 1)[0]
    return int(head) if _NUMBER.fullmatch(head) and len(head) < 12 else None


def _message(turn: Any) -> dict[str, Any]:
    told = mapping(turn)
    return {"role": told.get("role"), "content": told.get("content")}
