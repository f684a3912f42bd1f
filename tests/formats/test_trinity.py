from __future__ import annotations

import io
import pickle
import shutil
import sqlite3
import struct
import sys
from collections import OrderedDict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.rows_and_samples import only_run, opened, records, said


def test_the_database_s_experiences_are_there_once_with_their_tensors() -> None:
    path = fixture_path("trinity_rft")
    pairs = opened(only_run(path))
    theirs = list(records(path, "buffer/*.jsonl"))
    assert sorted((row.step, str(row.group), row.reward or 0.0, said(sample)) for row, sample in pairs) == sorted(
        (
            int(item["eid"]["batch"]),
            f"{item['eid']['batch']}/{item['eid']['task']}",
            item["reward"],
            item["response_text"],
        )
        for item in theirs
    )
    _, sample = pairs[0]
    assert sample.tokens is not None
    assert (
        len(sample.tokens.ids) == len(sample.tokens.logprobs) == len(sample.tokens.mask) == theirs[0]["response_length"]
    )
    assert (sample.prompt_tokens, sample.completion_tokens) == (
        theirs[0]["prompt_length"],
        theirs[0]["response_length"],
    )


def test_lines_alone_open_too(tmp_path: Path) -> None:
    path = fixture_path("trinity_rft")
    shutil.copyfile(path / "buffer" / "explorer_output.jsonl", tmp_path / "explorer_output.jsonl")
    pairs = opened(only_run(tmp_path))
    assert [row.reward for row, _ in pairs] == [item["reward"] for item in records(path, "buffer/*.jsonl")]
    assert {row.sampling_step for row, _ in pairs} == {0, 1, 2}


def test_a_hostile_pickle_in_a_row_is_refused_and_the_others_open(tmp_path: Path) -> None:
    marker = str(tmp_path / "ran")

    class Hostile:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (__import__("os").mkdir, (marker,))

    shutil.copyfile(fixture_path("trinity_rft") / "buffer" / "explorer_output.db", tmp_path / "explorer_output.db")
    body = pickle.dumps(Hostile())
    with sqlite3.connect(tmp_path / "explorer_output.db") as database:
        data = b"TRXP\x01" + struct.pack("<QQ", len(body), 0) + body
        database.execute("UPDATE pipeline_input_blob SET experience_bytes = ? WHERE id = 1", [data])
    database.close()
    run = only_run(tmp_path)
    assert len(opened(run)) == 23
    assert not (tmp_path / "ran").exists()
    assert "cannot be read" in run.doctor().skipped[0].reason


def test_an_evaluation_s_batch_names_its_step_and_task_set(tmp_path: Path) -> None:
    base = {
        "type": "single_turn",
        "prompt_length": 2,
        "response_length": 3,
        "info": {"model_version": 8},
        "metrics": {},
    }
    texts = {"prompt_text": "q", "response_text": "a"}
    lines = [
        {"eid": {"batch": 12, "task": 0, "run": 0, "step": 0}, **base, "messages": [{"role": "user", "content": "q"}]},
        {"eid": {"batch": "12/gsm8k", "task": 0, "run": 0, "step": 0}, **base, **texts, "reward": 1.0},
    ]
    write_jsonl(tmp_path / "buffer/explorer_output.json", lines)
    one, two = sorted((row for row, _ in opened(only_run(tmp_path))), key=lambda row: row.split)
    assert (one.split, one.step, one.reward, one.sampling_step) == ("eval/gsm8k", 12, 1.0, 8)
    assert (two.split, two.step, two.reward) == ("train", 12, None)


def test_a_reward_written_into_the_row_later_is_the_reward(tmp_path: Path) -> None:
    shutil.copyfile(fixture_path("trinity_rft") / "buffer" / "explorer_output.db", tmp_path / "explorer_output.db")
    with sqlite3.connect(tmp_path / "explorer_output.db") as database:
        database.execute("UPDATE pipeline_input SET reward = 0.125 WHERE id = 1")
    database.close()
    row, _ = opened(only_run(tmp_path))[0]
    assert row.reward == 0.125


def test_a_database_of_before_0_4_has_all_in_one_table_and_no_versions(tmp_path: Path) -> None:
    source = fixture_path("trinity_rft") / "buffer" / "explorer_output.db"
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as theirs:
        rows = list(
            theirs.execute("SELECT reward, experience_bytes FROM pipeline_input JOIN pipeline_input_blob USING (id)")
        )
    theirs.close()
    with sqlite3.connect(tmp_path / "explorer_output.db") as database:
        database.execute(
            "CREATE TABLE explorer_output (id INTEGER PRIMARY KEY, prompt TEXT, response TEXT, message_list JSON,"
            " reward FLOAT, experience_bytes BLOB, consumed INTEGER)"
        )
        database.executemany("INSERT INTO explorer_output (reward, experience_bytes) VALUES (?, ?)", rows)
    database.close()
    now = {
        (row.step, str(row.group), row.reward, said(sample)) for row, sample in opened(only_run(source.parent.parent))
    }
    assert {(row.step, str(row.group), row.reward, said(sample)) for row, sample in opened(only_run(tmp_path))} == now


def test_before_0_3_an_experience_lies_in_another_column_and_names_its_group(tmp_path: Path) -> None:
    told = {"prompt_text": "6 × 7?", "response_text": "42", "prompt_length": 1, "metrics": {"acc": 1.0}, "info": {}}
    rows = [(0.5 * k, pickle.dumps({**told, "group_id": f"g{k // 2}", "reward": 9.0})) for k in range(4)]
    with sqlite3.connect(tmp_path / "explorer_output.db") as database:
        database.execute(
            "CREATE TABLE explorer_output (id INTEGER PRIMARY KEY, serialized_exp BLOB, prompt TEXT, response TEXT,"
            " reward FLOAT, consumed INTEGER, priority FLOAT)"
        )
        database.executemany("INSERT INTO explorer_output (reward, serialized_exp) VALUES (?, ?)", rows)
    database.close()
    pairs = opened(only_run(tmp_path))
    assert [(row.step, row.group, row.reward) for row, _ in pairs] == [
        (0, "g0", 0.0),
        (0, "g0", 0.5),
        (0, "g1", 1.0),
        (0, "g1", 1.5),
    ]
    assert {said(sample) for _, sample in pairs} == {"42"}


def test_a_whole_object_of_older_versions_is_its_fields_and_its_tensors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: dict[str, Any] = {}
    for module in ("trinity", "trinity.common"):
        monkeypatch.setitem(sys.modules, module, ModuleType(module))
    for path in ("trinity.common.experience:Experience", "trinity.common.experience:EID", "torch:IntStorage",
                 "torch:FloatStorage", "torch._utils:_rebuild_tensor_v2", "torch.storage:_load_from_bytes"):  # fmt: skip
        module, _, name = path.partition(":")
        named[name] = type(name, (), {"__module__": module, "__init__": lambda *_: None})
        holder = sys.modules.get(module) if module in sys.modules else ModuleType(module)
        monkeypatch.setitem(sys.modules, module, holder)
        monkeypatch.setattr(holder, name, named[name], raising=False)

    class Numbers:
        """Pickles as a tensor of torch does: its storage is a file of torch's older kind."""

        def __init__(self, kind: str, values: list[float]) -> None:
            self.kind, self.values = kind, values

        def __reduce__(self) -> tuple[Any, ...]:
            file = io.BytesIO()
            for value in (0x1950A86A20F9469CFC6C, 1001, {"protocol_version": 1001, "little_endian": True}):
                pickle.dump(value, file, protocol=2)
            # What is stored is one storage, and so the persistent id alone.
            file.write(b"\x80\x02(X\x07\0\0\0storagectorch\n" + self.kind.encode() + b"\nX\x02\0\0\x0094X\x03\0\0\0cpu")
            file.write(b"K" + bytes([len(self.values)]) + b"NtQ.")
            pickle.dump(["94"], file, protocol=2)
            form = "i" if self.kind == "IntStorage" else "f"
            file.write(struct.pack(f"<q{len(self.values)}{form}", len(self.values), *self.values))
            storage = _Storage(file.getvalue())
            return named["_rebuild_tensor_v2"], (storage, 0, (len(self.values),), (1,), False, OrderedDict())

    class _Storage:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def __reduce__(self) -> tuple[Any, ...]:
            return named["_load_from_bytes"], (self.data,)

    eid, whole = named["EID"](), named["Experience"]()
    eid.__dict__.update(batch=3, task=1, run=0, step=0, suffix="x")
    whole.__dict__.update(
        eid=eid, tokens=Numbers("IntStorage", [5, 6, 7, 8]), prompt_length=2, reward=0.5, response_text="sí", prompt_text="q",
        logprobs=Numbers("FloatStorage", [-0.5, -0.25]), info={"model_version": 2}, metrics={"m": 1.5}, custom_fields=[],
    )  # fmt: skip
    shutil.copyfile(fixture_path("trinity_rft") / "buffer" / "explorer_output.db", tmp_path / "explorer_output.db")
    with sqlite3.connect(tmp_path / "explorer_output.db") as database:
        database.execute("DELETE FROM pipeline_input_blob WHERE id > 1")
        database.execute("UPDATE pipeline_input_blob SET experience_bytes = ? WHERE id = 1", [pickle.dumps(whole)])
        database.execute("UPDATE pipeline_input SET reward = 0.5, model_version = 2 WHERE id = 1")
    database.close()
    ((row, sample),) = opened(only_run(tmp_path))
    assert (row.step, row.group, row.reward, row.sampling_step, said(sample)) == (3, "3/1", 0.5, 2, "sí")
    assert sample.tokens is not None
    assert (sample.tokens.ids, sample.tokens.logprobs) == ([7, 8], [-0.5, -0.25])
