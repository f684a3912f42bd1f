"""Pickles become plain data; whatever would run, reserve or refer is refused in one line."""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fixtures import fixture_path

from rollscope.formats.containers import pickle as ours
from rollscope.formats.containers.pickle import load_torch, loads, plain
from rollscope.formats.containers.zip import Zip, open_zip
from rollscope.storage.open_store import open_store

DATA = {
    "samples": [{"text": "ü" * 300, "ids": list(range(70_000)), "x": -1.5, "none": None, "flag": True}],
    "big": 2**70,
    "tuple": (1, (2, 3)),
    "bytes": b"abc",
    "memo": [str(i) for i in range(600)],
}


@pytest.mark.parametrize("protocol", range(5))
def test_plain_data_is_what_was_pickled(protocol: int) -> None:
    wanted = {**DATA, "tuple": [1, [2, 3]], "bytes": "(3 bytes)"}
    assert plain(loads(pickle.dumps(DATA, protocol=protocol))) == wanted


def test_numpy_arrays_are_lists_of_numbers() -> None:
    values = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.float64(0.5), "c": np.int64(7)}
    wanted = {"a": [[0, 1, 2], [3, 4, 5]], "b": 0.5, "c": 7}
    assert plain(loads(pickle.dumps(values, protocol=2))) == wanted


def test_tensors_of_torch_are_read_without_it() -> None:
    archive = open_zip(open_store(fixture_path("slime")), "train_data/0.pt")
    sample = plain(load_torch(archive))["samples"][0]
    assert sample["loss_masks"] == [1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1]
    assert sample["advantages"] == [-0.5] * 14
    assert len(sample["tokens"]) == sample["total_lengths"] == 24


class Evil:
    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call


class Instance:
    pass


def hostile() -> dict[str, bytes]:
    proto = b"\x80\x02"
    storage = b"ctorch._utils\n_rebuild_tensor_v2\n"
    return {
        "a system call": pickle.dumps(Evil(os.system, ("touch /tmp/rollscope-was-here",))),
        "eval": pickle.dumps(Evil(eval, ("1",))),
        "an instance": pickle.dumps(Instance(), protocol=2),
        "a class": pickle.dumps(io.BytesIO),
        "nested modules": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R.",
        "a memo place of two billion": proto + b"Nr" + struct.pack("<I", 2**31 - 1) + b".",
        "a memo place in digits": b"Np2147483000\n.",
        "a byte array of a terabyte": b"\x80\x05\x96" + struct.pack("<Q", 2**40) + b".",
        "a text past the end": proto + b"X" + struct.pack("<I", 2**31) + b"abc.",
        "an endless integer": proto + b"\x8b" + struct.pack("<I", 5_000) + b"\xff" * 5_000 + b".",
        "an extension": proto + b"\x82\x01.",
        "a persistent id": proto + b"(X\x07\x00\x00\x00storageNX\x01\x00\x00\x000tQ.",
        "attributes of a function": proto + storage + b"}X\x08\x00\x00\x00__call__K\x01sb.",
        "slots of a function": proto + storage + b"N}X\x0c\x00\x00\x00__defaults__)s\x86b.",
        "no stop": proto + b"]",
        "nothing": b"",
        "text": b"hello there",
        "pops too much": proto + b"000.",
    }


@pytest.mark.parametrize("name", hostile())
def test_hostile_pickles_are_refused_in_one_line(name: str) -> None:
    with pytest.raises(ValueError) as error:
        loads(hostile()[name])
    assert "\n" not in str(error.value)
    assert not Path("/tmp/rollscope-was-here").exists()


def test_a_record_that_holds_itself_many_times_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    laughs: Any = ["ha"] * 10
    for _ in range(12):
        laughs = [laughs] * 10
    monkeypatch.setattr(ours, "MAX_VALUES", 100_000)
    with pytest.raises(ValueError, match="more than 100,000 values"):
        plain(loads(pickle.dumps(laughs)))


def torch_zip(body: bytes, storage: bytes = b"\0" * 16) -> Zip:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a/data.pkl", body)
        archive.writestr("a/data/0", storage)
    return Zip(buffer)


def tensor(size: bytes, stride: bytes, offset: bytes = b"K\x00") -> bytes:
    name = b"X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04"
    return b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((" + name + b"tQ" + offset + size + stride + b"\x89NtR."


def test_tensors_that_reach_beyond_their_storage_are_refused() -> None:
    assert plain(load_torch(torch_zip(tensor(b"K\x04\x85", b"K\x01\x85")))) == [0.0] * 4
    big = b"J" + struct.pack("<i", 2**30)
    for body in (
        tensor(b"K\x05\x85", b"K\x01\x85"),
        tensor(b"K\x02\x85", b"K\x09\x85"),
        tensor(big + b"\x85", b"K\x00\x85"),
        tensor(b"J\xff\xff\xff\xff\x85", b"K\x01\x85"),
        tensor(b"K\x02\x85", b"J\xff\xff\xff\xff\x85"),
        tensor(b"K\x04\x85", b"K\x01\x85", offset=b"K\x01"),
    ):
        with pytest.raises(ValueError):
            plain(load_torch(torch_zip(body)))
    with pytest.raises(ValueError, match=r"no data\.pkl"):
        load_torch(Zip(io.BytesIO(b"PK\x05\x06" + b"\0" * 18)))
