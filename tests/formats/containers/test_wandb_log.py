"""W&B's binary log, written here as its writer does: blocks of LevelDB with messages of protobuf in them."""

from __future__ import annotations

import io
import json
import math
import zlib
from pathlib import Path
from typing import Any

import pytest
from tests.formats.opened import opened

from rollscope.formats.containers.wandb_log import configuration, has_ended, history
from rollscope.formats.wandb_table import WandbTableFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store

BLOCK = 32 << 10


def varint(value: int) -> bytes:
    head, rest = value & 0x7F, value >> 7
    return bytes([head | 0x80]) + varint(rest) if rest else bytes([head])


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def items(values: dict[str, Any]) -> bytes:
    """Names are written whole, or in parts where a value was nested."""
    found = b""
    for name, value in values.items():
        names = b"".join(field(2, part.encode()) for part in name.split("."))
        found += field(1, (names if "." in name else field(1, name.encode())) + field(16, json.dumps(value).encode()))
    return found


def log_bytes(messages: list[bytes]) -> bytes:
    out = b":W&B" + b"\xe1\xbe\x00"
    for whole in messages:
        begun, message = False, whole
        while True:
            left = BLOCK - len(out) % BLOCK
            if left < 7:
                out += b"\0" * left
                continue
            piece, message = message[: left - 7], message[left - 7 :]
            kind = (4 if begun else 1) if not message else (3 if begun else 2)
            out += zlib.crc32(bytes([kind]) + piece).to_bytes(4, "little") + len(piece).to_bytes(2, "little")
            out += bytes([kind]) + piece
            begun = True
            if not message:
                break
    return out


def logged(step: int, **values: Any) -> bytes:
    return field(1, step) + field(
        2, items({**values, "_step": step, "_timestamp": 100.0 + step}) + field(2, field(1, step))
    )


def configured(**values: Any) -> bytes:
    return field(17, field(4, items(values)))


def test_what_was_logged_over_many_blocks_and_in_flight() -> None:
    rows = [{"loss": 1 / (1 + step), "text": "x" * (step * 997 % 70_000)} for step in range(40)]
    messages = [
        field(17, field(1, b"id") + field(4, items({"lr": 0.1, "_wandb": {}}))),
        field(5, items({"model.name": "m"})),
    ]
    data = log_bytes([*messages, *(logged(step, **row) for step, row in enumerate(rows))])
    found = list(history(io.BytesIO(data)))
    assert [(row["_step"], row["loss"], row["text"]) for row in found] == [
        (s, r["loss"], r["text"]) for s, r in enumerate(rows)
    ]
    assert configuration(io.BytesIO(data)) == {"lr": 0.1, "model.name": "m"}
    # A log that is being written ends anywhere, and what is no log has no rows.
    for cut in (5, 7, 20, len(data) // 2, len(data) - 1):
        begun = [row["loss"] for row in history(io.BytesIO(data[:cut]))]
        assert begun == [row["loss"] for row in rows][: len(begun)]
        assert len(begun) < len(rows)
    assert list(history(io.BytesIO(b"PK" + data))) == []


@pytest.mark.parametrize("before", [0, 1_000, 300_000])
def test_a_run_has_ended_when_its_log_says_so(before: int) -> None:
    """At its end, where little follows: the log is not read whole."""
    live = [configured(lr=0.1), logged(0, text="x" * before), logged(1, loss=0.5)]
    over = log_bytes([*live, field(18, field(1, 1)), field(3, items({"loss": 0.5}))])
    assert has_ended(io.BytesIO(over), len(over))
    assert not has_ended(io.BytesIO(log_bytes(live)), len(log_bytes(live)))
    assert not has_ended(io.BytesIO(b"PK"), 2)


def test_metrics_config_and_the_step_of_a_table_come_from_the_log(tmp_path: Path) -> None:
    run = tmp_path / "wandb" / "offline-run-20261116_024621-abc"
    table = run / "files" / "media" / "table" / "samples_0_0123456789abcdef0123.table.json"
    table.parent.mkdir(parents=True)
    table.write_text(json.dumps({"columns": ["prompt", "completion", "reward"], "data": [["p", "a", 1.0]]}))
    told = {"samples._type": "table-file", "samples.path": str(table.relative_to(run / "files")), "samples.size": 9}
    messages = [field(17, field(4, items({"lr": 0.1}))), logged(10, **told, loss=0.5), logged(20, loss=math.nan)]
    (run / "run-abc.wandb").write_bytes(log_bytes(messages))
    # Its name has the step before the one it was logged at.
    assert [sample.address for sample in opened(tmp_path)] == ["train/10/0"]
    (found,) = Library([tmp_path]).runs()
    (series,) = [series for series in found.metrics() if series.name == "loss"]
    assert [step for step, _ in series.points] == [10, 20]
    assert WandbTableFormat().config(open_store(run)) == {"lr": 0.1}
    assert WandbTableFormat().finished(open_store(run)) is None
    (run / "run-abc.wandb").write_bytes(log_bytes([*messages, field(18, b"")]))
    assert WandbTableFormat().finished(open_store(run)) is True
    for inside in ("files", "files/media", "files/media/table"):
        assert [sample.address for sample in opened(run / inside)] == ["train/10/0"], "its log lies above"
    (run / "run-abc.wandb").unlink()
    assert [sample.address for sample in opened(run / "files")] == ["train/0/0"]
