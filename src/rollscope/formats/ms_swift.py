"""ms-swift's `completions.jsonl`, written with `log_completions`: one line a log call, each key a column of samples.

Megatron's back end says `gen_step` for step and has no rewards in its table; with Ray it writes one sample a line. The
last step is logged twice: a line that repeats another counts once. Evaluations write into the same file (see
`ms_swift_calls`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import msgspec
import xxhash

from rollscope.formats.base import Claim, MetricRow, Scan, Source
from rollscope.formats.completion_table import find_rules, row_sample
from rollscope.formats.lines.columnar import explode
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.step_files import first_keys
from rollscope.formats.logged_before import LoggedBefore
from rollscope.formats.ms_swift_calls import LOG, PROGRESS, attempts, calls_of, evaluated, step_of_progress
from rollscope.formats.run_files import read_config, read_lines
from rollscope.formats.table_rewards import Weights, configured_weights, with_evidence
from rollscope.model import Checkpoint, Sample, as_integer, as_number
from rollscope.storage.store import Store

_COMPLETIONS, _ARGS = "completions.jsonl", "args.json"
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
        if not store.exists(_COMPLETIONS):
            return None
        keys, _ = first_keys(store, [_COMPLETIONS])
        if not keys >= {"prompt", "completion"} or not keys & {"step", "gen_step"}:
            return None
        beside = [name for name in (_ARGS, LOG) if store.exists(name)]
        reasons = (f"{_COMPLETIONS} has step, prompt and completion", *(f"beside {name}" for name in beside))
        return Claim(confidence=0.95 if beside else 0.7, reasons=reasons)

    def sources(self, store: Store) -> Iterable[Source]:
        weights = configured_weights(read_config(store, _ARGS))
        yield Source(path=_COMPLETIONS, note=msgspec.json.encode(weights).decode())

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
        found.columns["split"] = ["eval" if offset in told else "train" for offset in offsets]
        if (resumed := attempts(store, source.path, calls, offsets)) is not None:
            found.columns["attempt"] = resumed
        return found

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

    def _add_batch(self, out: Any, reader: Any, lines: list[memoryview], starts: list[int], whole: memoryview) -> None:
        before = out.rows
        super()._add_batch(out, reader, lines, starts, whole)
        if out.rows == before:
            return
        # Only a table that is logged again repeats itself; two equal samples of a line each count.
        names = {at: xxhash.xxh3_128_hexdigest(line) for at, line in zip(starts, lines) if _COLUMNAR.search(line)}
        keys = out.columns.setdefault("key", [None] * out.rows)
        for row in range(before, out.rows):
            if name := names.get(out.columns["offset"][row]):
                keys[row] = f"{name}-{out.columns['member'][row] or 0}"

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
