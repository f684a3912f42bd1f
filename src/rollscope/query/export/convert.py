"""A run of any format, written anew as Rollscope's own: what `rollscope.record` would have written of the same samples.

Samples, logged metrics and the configuration go over, in the order and under the steps and splits in which they are
shown. Reports, checkpoints and transcripts that could not be told to be anyone's stay behind.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from rollscope.errors import UsageError
from rollscope.fields import FLOATS
from rollscope.model import TOKEN_NUMBERS, Sample, nonfinite_name
from rollscope.query.export.export_files import check_outside

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: Not written: what the place of a line says already, and what is only about the file it was read from.
_LEFT_OUT = ("address", "index", "source", "record", "unmatched", "nonfinite", "failing_turns")


def convert(run: Run, folder: str) -> int:
    """Write the run into this folder, which must be new or empty. Gives the number of samples."""
    if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise UsageError(f"{folder} already exists", hint="name a new or an empty folder")
    check_outside(run.store, folder)
    os.makedirs(folder, exist_ok=True)
    written = 0
    files = _StepFiles(folder)
    for row in run.samples(discarded=None).rows:
        files.add(run.sample(row.address), row.turns)
        written += 1
    files.close()
    _write_metrics(run, os.path.join(folder, "metrics.jsonl"))
    config = run.details().config
    if config is not None:
        with open(os.path.join(folder, "config.json"), "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n")
    return written


def left_out(run: Run) -> list[str]:
    """What a converted run lacks of the original, in words."""
    details = run.details()
    counts = {
        "report": len(details.reports),
        "checkpoint": len(details.checkpoints),
        "skipped or repaired line": details.skipped_total,
    }
    found = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in counts.items() if count]
    if details.code_diff is not None:
        found.append("the code diff")
    return [*found, "the records as the trainer wrote them"]


class _StepFiles:
    """The file of the step that is being written: rows come step by step."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._name = ""
        self._file: BinaryIO | None = None
        self._places: Counter[Any] = Counter()

    def add(self, sample: Sample, turns: int | None) -> None:
        name = f"{_stem(sample.split)}_iteration_{sample.step:06d}_rollouts.jsonl"
        if name != self._name:
            self.close()
            self._name, self._places = name, Counter()
            self._file = open(os.path.join(self._folder, name), "ab")  # noqa: SIM115  # closed when the next one begins
        assert self._file is not None
        self._file.write(msgspec.json.encode(line(sample, self._places[sample.group], turns)) + b"\n")
        self._places[sample.group] += 1

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def line(sample: Sample, place: int, turns: int | None) -> dict[str, Any]:
    """The sample as a record of Rollscope's. `place` is its number within its group, `turns` how many its list shows."""
    record: dict[str, Any] = msgspec.to_builtins(sample)
    for name in _LEFT_OUT:
        record.pop(name, None)
    nonfinite = {name: word for name in FLOATS if (word := _word(getattr(sample, name)))}
    for kind in ("metrics", "rewards"):
        values: dict[str, float] = getattr(sample, kind)
        nonfinite |= {f"{kind}/{name}": word for name, value in values.items() if (word := _word(value))}
    for number, (turn, turn_record) in enumerate(zip(sample.turns, record["turns"])):
        odd = {name: word for name, value in turn.metrics.items() if (word := _word(value))}
        nonfinite |= {f"turns/{number}/metrics/{name}": word for name, word in odd.items()}
        if odd:
            turn_record["metrics"] = {name: value for name, value in turn.metrics.items() if name not in odd}
        if word := _word(turn.reward):
            nonfinite[f"turns/{number}/reward"] = word
    for name in TOKEN_NUMBERS if sample.tokens is not None else ():
        stream: list[float | None] = getattr(sample.tokens, name)
        nonfinite |= {f"tokens/{name}/{at}": word for at, value in enumerate(stream) if (word := _word(value))}
    known = {name: value for name, value in record.items() if value not in (None, [], {})}
    return {
        **known,
        "group": sample.group,
        "index": place,
        **({"num_turns": turns} if turns is not None else {}),
        "schema_version": 1,
        "writer": "main",
        **({"nonfinite": nonfinite} if nonfinite else {}),
    }


def _word(value: float | None) -> str | None:
    return None if value is None else nonfinite_name(value)


def _stem(split: str) -> str:
    """`eval/a b` → `eval_a b`: a name that can be a file's. The line says the split itself."""
    return re.sub(r"[/\x00-\x1f]", "_", split)


def _write_metrics(run: Run, path: str) -> None:
    rows: dict[int, dict[str, Any]] = {}
    for info in run.catalog():
        if info.origin != "logged":
            continue
        (series,) = run.series([info.name])
        times = series.times or [None] * len(series.points)
        for position, ((step, value), time) in enumerate(zip(series.points, times)):
            row = rows.setdefault(int(step), {"step": int(step)})
            if time is not None:
                row["time"] = time
            if value is not None and math.isfinite(value):
                row[info.name] = value
            elif word := series.nonfinite.get(str(position)):
                row.setdefault("nonfinite", {})[info.name] = word
    if rows:
        with open(path, "wb") as file:
            file.writelines(msgspec.json.encode(rows[step]) + b"\n" for step in sorted(rows))
