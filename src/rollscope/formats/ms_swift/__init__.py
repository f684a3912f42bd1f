"""ms-swift's `completions.jsonl`, written with `log_completions`: one line a log call, each key a column of samples.

Megatron's back end says `gen_step` for step and has no rewards in its table; with Ray it writes one sample a line. The
last step is logged twice: a line that repeats another counts once. Evaluations write into the same file (see
`log_calls`).
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import msgspec
import xxhash

from rollscope.formats.base import Claim, MetricRow, Scan, Source
from rollscope.formats.lines.columnar import explode
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.sealed import is_sealed, plain_or_sealed
from rollscope.formats.lines.step_files import first_keys
from rollscope.formats.ms_swift.log_calls import (
    LOG,
    PROGRESS,
    attempts,
    calls_of,
    evaluated,
    lines_before,
    step_of_progress,
)
from rollscope.formats.run_files import read_config, read_lines
from rollscope.formats.tables.completion_table import find_rules, row_sample
from rollscope.formats.tables.logged_before import LoggedBefore
from rollscope.formats.tables.rewards import Weights, configured_weights, with_evidence
from rollscope.model import Checkpoint, Sample, as_integer, as_number
from rollscope.storage.store import Store

_COMPLETIONS, _ARGS = "completions.jsonl", "args.json"
_TRAIN = "train"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
#: Numbers of a sample that no reward function gave.
_NOT_REWARDS = frozenset({"entropy", "entropies", "num_turns", "completion_length", "length", "kl"})
_COLUMNAR = re.compile(rb'"completion"\s*:\s*\[')


class MsSwiftFormat(NestedLines):
    name = "ms_swift"
    limits: ClassVar[tuple[str, ...]] = (
        "ms-swift writes no total reward: it is the sum of the rewards that were given, weighted as args.json says.",
        "Where args.json is not there, it is the plain sum, a guess, or none where the advantages contradict that.",
        "Groups are not written: samples of a step with an equal prompt are shown as one.",
        "Completions of an evaluation lie in the same file: logging.jsonl tells them; without it all are shown as training.",
        "Token counts, status and stop reason are not written.",
    )

    def detect(self, store: Store) -> Claim | None:
        path = plain_or_sealed(store, _COMPLETIONS)
        if path is None:
            return None
        keys, _ = first_keys(store, [path])
        if not keys >= {"prompt", "completion"} or not keys & {"step", "gen_step"}:
            return None
        beside = [name for name in (_ARGS, LOG) if store.exists(name)]
        reasons = (f"{path} has step, prompt and completion", *(f"beside {name}" for name in beside))
        return Claim(confidence=0.95 if beside else 0.7, reasons=reasons)

    def sources(self, store: Store) -> Iterable[Source]:
        weights = configured_weights(read_config(store, _ARGS))
        path = plain_or_sealed(store, _COMPLETIONS) or _COMPLETIONS
        yield Source(path=path, note=msgspec.json.encode(weights).decode(), packed=is_sealed(path))

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        found = super().scan(store, source, start, end)
        if not found.rows:
            return found
        offsets, steps = found.columns["offset"], found.columns["step"]
        # Distillation logs no advantages, and its evaluations no completions.
        lines = (
            list(dict.fromkeys(zip(offsets, steps))) if any(map(_is_given, found.columns.get("advantage", ()))) else []
        )
        calls = calls_of(store)
        told = evaluated(store, source.path, calls, lines)
        columns: dict[str, list[Any]] = {name: list(values) for name, values in found.columns.items()}
        columns["split"] = ["eval" if offset in told else _TRAIN for offset in offsets]
        if (resumed := attempts(store, source.path, calls, offsets)) is not None:
            columns["attempt"] = resumed
            columns["key"] = [key and f"{attempt}/{key}" for attempt, key in zip(resumed, columns["key"])]
        left = self._left_over(store, source, columns) if told else []
        if any(left):
            columns = {name: [value for value, out in zip(values, left) if not out] for name, values in columns.items()}
        return msgspec.structs.replace(found, columns=dict(columns), rows=len(columns["offset"]))

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        rows = explode(record)
        if rows is None:
            rows = [record]
        if not rows:
            return []
        columns = list(rows[0])
        rules = find_rules(columns, [[row.get(name) for name in columns] for row in rows])
        if rules is None:
            raise Unreadable("no completions in it")
        if rules.total is None and rules.advantage is None:
            # The reward functions' columns, whatever they are called, follow the completion.
            rewards = tuple(name for name in (*rules.rewards, *rules.metrics) if name not in _NOT_REWARDS)
            metrics = tuple(name for name in rules.metrics if name in _NOT_REWARDS)
            rules = msgspec.structs.replace(rules, rewards=rewards, metrics=metrics)
        weights = msgspec.json.decode(source.note, type=Weights) if source.note else None
        known = LoggedBefore(means=dict.fromkeys(rules.rewards)) if rules.total is None else LoggedBefore()
        rules = with_evidence(rules, rows, known, weights)
        found = []
        for row in rows:
            sample = row_sample(rules, row)
            sample.step = as_integer(row.get(rules.step or "")) or 0
            found.append(sample)
        return found

    def row_keys(self, line: bytes | memoryview, samples: Sequence[Sample]) -> Sequence[str | None]:
        """Only tables repeat rows of earlier ones; two equal samples of a table each count. A row is the same with
        another entropy: that is known only when it was trained on."""
        if not _COLUMNAR.search(line):
            return [None] * len(samples)
        seen: Counter[str] = Counter()
        keys = []
        for sample in samples:
            row = sample.record if isinstance(sample.record, dict) else {}
            told = repr([(name, value) for name, value in row.items() if name not in _NOT_REWARDS])
            name = xxhash.xxh3_128_hexdigest(told.encode("utf-8", "replace"))
            keys.append(f"{name}-{seen[name]}")
            seen[name] += 1
        return keys

    def _left_over(self, store: Store, source: Source, columns: dict[str, list[Any]]) -> list[bool]:
        """Which rows of evaluations are training's: an evaluation smaller than a batch leaves the rest of the trainer's
        own rows in its table."""
        trained: set[tuple[int, str]] = set()
        rows = list(zip(columns["split"], columns["step"], columns.get("key", ())))
        if rows and rows[0][0] != _TRAIN:
            for line in lines_before(store, source.path, columns["offset"][0], rows[0][1]):
                with contextlib.suppress(Unreadable):
                    found = self.samples(decode_line(line)[0], source)
                    trained |= {(sample.step, key) for sample, key in zip(found, self.row_keys(line, found)) if key}
        repeated = []
        for split, step, key in rows:
            repeated.append(split != _TRAIN and (step, key) in trained)
            if split == _TRAIN and key:
                trained.add((step, key))
        return repeated

    def metric_files(self, store: Store) -> list[str]:
        return [LOG] if store.exists(LOG) else []

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for row in read_lines(store, LOG) if store.exists(LOG) else ():
            step = step_of_progress(row.get(PROGRESS, row.get("iteration", "")))
            if step is None:
                continue
            told = {name: value for name, value in row.items() if not isinstance(value, (str, bool))}
            values = {name: number for name, value in told.items() if (number := as_number(value)) is not None}
            yield MetricRow(step=step, time=None, values=values)

    def config(self, store: Store) -> Any:
        return read_config(store, _ARGS)

    def checkpoints(self, store: Store) -> list[Checkpoint]:
        steps = sorted(int(match[1]) for name in store.folders() if (match := _CHECKPOINT.fullmatch(name)))
        names = [(step, f"checkpoint-{step}") for step in steps]
        return [Checkpoint(name=name, step=step, paths={"path": store.full_path(name)}) for step, name in names]

    def claims(self, store: Store, path: str) -> bool:
        return path in (_ARGS, LOG, "README.md") or path.startswith(("checkpoint-", "runs/", "images/"))


def _is_given(value: Any) -> bool:
    return value is not None
