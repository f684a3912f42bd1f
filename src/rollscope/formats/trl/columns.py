"""TRL's columns as rows and samples: texts, rewards, what `log_extra` wrote, advantages."""

from __future__ import annotations

from typing import Any

import msgspec
import xxhash
from msgspec import Struct

from rollscope import render
from rollscope.errors import NotFoundError
from rollscope.formats.containers.parquet import Table
from rollscope.formats.lines.flat import content_text
from rollscope.formats.lines.lenient import printable
from rollscope.formats.mapping import CANDIDATES
from rollscope.formats.tables.reward_totals import RewardReading
from rollscope.formats.trl.groups import named_groups
from rollscope.model import Message, Sample, Turn, as_number

TEXTS = ("prompt", "completion")
ADVANTAGE = "advantage"
_FRAME = ("step", *TEXTS, ADVANTAGE)
#: Texts are read this many rows at a time.
_ROWS = 256


class Names(Struct, frozen=True):
    """What the columns between completion and advantage are taken for."""

    rewards: tuple[str, ...]
    #: Numbers that no reward function returns (integers, booleans).
    metrics: tuple[str, ...]
    golden: tuple[str, ...]
    #: Everything else that `log_extra` wrote.
    extras: tuple[str, ...]


def names_of(table: Table, reading: RewardReading) -> Names:
    if missing := [name for name in TEXTS if name not in table.names]:
        raise ValueError(f"it has no column {' and no column '.join(missing)}")
    kinds: dict[str, list[str]] = {"rewards": [], "metrics": [], "golden": [], "extras": []}
    rewards = float_columns(table) if reading.rewards is None else reading.rewards
    for column in table.schema:
        if column.name in _FRAME:
            continue
        if column.name in rewards:
            kind = "rewards"
        elif _is_number(column.type):
            kind = "metrics"
        else:
            kind = "golden" if column.name in CANDIDATES["golden"] else "extras"
        kinds[kind].append(column.name)
    return Names(**{kind: tuple(names) for kind, names in kinds.items()})


def float_columns(table: Table) -> list[str]:
    """Reward functions return floating-point numbers."""
    return [column.name for column in table.schema if column.name not in _FRAME and _may_be_reward(column.type)]


def leading_floats(table: Table) -> list[str]:
    """Those before the first column that no reward function made: rewards are written before extras."""
    found = []
    for column in table.schema:
        if column.name in _FRAME:
            continue
        if not _may_be_reward(column.type):
            break
        found.append(column.name)
    return found


def _may_be_reward(kind: Any) -> bool:
    """Also a column without any value: no row was given that reward."""
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_null(kind))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind))


def scan_table(table: Table, reading: RewardReading) -> dict[str, list[Any]]:
    names = names_of(table, reading)
    columns: dict[str, list[Any]] = {"offset": list(range(table.num_rows)), "length": [1] * table.num_rows}
    values = table.columns(*names.rewards, *names.metrics, ADVANTAGE)
    columns["advantage"] = values[ADVANTAGE]
    if names.rewards:
        columns["reward"] = [reading.total_of(row) for row in zip(*(values[name] for name in names.rewards))]
    columns.update({f"rewards.{name}": values[name] for name in names.rewards})
    columns.update({f"metrics.{name}": [as_number(value) for value in values[name]] for name in names.metrics})
    hashes: list[int] = []
    sizes: list[int] = []
    for batch in table.batches(*TEXTS, size=_ROWS):
        hashes += map(_hash, batch["prompt"])
        texts = (content_text(without_nulls(completion)) for completion in batch["completion"])
        sizes += [len(text.encode("utf-8", "replace")) for text in texts]
    if len(hashes) != table.num_rows:
        raise ValueError(f"it says that it has {table.num_rows} rows and has {len(hashes)}")
    if (groups := named_groups(reading.group_size, hashes)) is not None:
        columns["group"] = groups
    return {**columns, "prompt_hash": hashes, "response_bytes": sizes}


def _hash(prompt: Any) -> int:
    return int(xxhash.xxh3_64_intdigest(msgspec.json.encode(prompt)))


def one_row(table: Table, number: int) -> dict[str, Any]:
    if number >= table.num_rows:
        raise NotFoundError(f"the file has {table.num_rows} rows now, and no row {number}", hint="Refresh the run.")
    row = table.rows([number])[0]
    return {**row, **{name: without_nulls(row[name]) for name in TEXTS if name in row}}


def sample_of(names: Names, row: dict[str, Any], reading: RewardReading) -> Sample:
    messages = _messages(row["prompt"], row["completion"])
    notes = []
    if any(message.guessed for message in messages):
        notes.append("Roles are guessed from bare role lines: TRL before 1.15 strips the chat template's markers.")
    if reading.why:
        notes.append(reading.why)
    extras = {name: row[name] for name in names.extras if row[name] is not None}
    return Sample(
        messages=messages,
        reward=reading.total_of([row[name] for name in names.rewards]) if names.rewards else None,
        rewards={name: row[name] for name in names.rewards if row[name] is not None},
        metrics={name: float(row[name]) for name in names.metrics if row[name] is not None},
        advantage=row.get(ADVANTAGE),
        golden_answers={name: str(row[name]) for name in names.golden if row[name] is not None},
        turns=[Turn(index=0, logs=printable(extras))] if extras else [],
        notes=notes,
        record=printable(row),
    )


def _messages(prompt: Any, completion: Any) -> list[Message]:
    if isinstance(prompt, str) and isinstance(completion, str):
        return render.split_bare_roles(prompt, completion)
    asked = prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]
    said = completion if isinstance(completion, list) else [{"role": "assistant", "content": completion}]
    return [*render.messages_from_chat(asked, turn=None), *render.messages_from_chat(said, turn=0)]


def without_nulls(value: Any) -> Any:
    """A parquet column gives every object the keys of all: calls of two tools show each other's arguments as null. What
    nobody wrote is left out (and so is a null that somebody did write: the file does not tell them apart)."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [without_nulls(inner) for inner in value] if isinstance(value, list) else value
