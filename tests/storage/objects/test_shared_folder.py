"""A folder that several processes write to, on a stand-in for an object store; tests/cloud has real ones."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rollscope.errors import UnreadableError, UsageError
from rollscope.storage.objects import shared_folder
from rollscope.storage.objects.shared_folder import SharedFolder


class AlreadyExistsError(Exception):
    pass


class PreconditionError(Exception):
    pass


class RefusedError(Exception):
    pass


class Bucket:
    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.careless = False

    def put(self, client: Any, key: str, content: bytes, mode: str = "overwrite") -> None:
        if mode == "create" and key in self.files and not self.careless:
            raise AlreadyExistsError
        self.files[key] = content

    def get(self, client: Any, key: str) -> Any:
        if key not in self.files:
            raise FileNotFoundError(key)
        return SimpleNamespace(bytes=lambda: self.files[key])

    def delete(self, client: Any, key: str) -> None:
        if key.endswith("locked"):
            raise RefusedError
        if key not in self.files:
            raise FileNotFoundError(key)  # as Google's store says it
        del self.files[key]


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Bucket:
    made = Bucket()
    library, exceptions = ModuleType("obstore"), ModuleType("obstore.exceptions")
    for name in ("put", "get", "delete"):
        setattr(library, name, getattr(made, name))
    exceptions.AlreadyExistsError, exceptions.PreconditionError = AlreadyExistsError, PreconditionError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "obstore", library)
    monkeypatch.setitem(sys.modules, "obstore.exceptions", exceptions)
    monkeypatch.setattr(shared_folder, "client_of", lambda url: None)
    monkeypatch.setattr(shared_folder, "store_errors", lambda: (RefusedError,))
    monkeypatch.setattr(shared_folder, "listing_error", lambda error, url: UnreadableError(f"{url} refused"))
    return made


def test_what_is_created_is_created_once(bucket: Bucket) -> None:
    folder = SharedFolder("gs://bucket/index")
    assert [folder.create("a", b"1"), folder.create("a", b"2"), folder.get("a"), folder.get("b")] == [
        True,
        False,
        b"1",
        None,
    ]
    folder.put("a", b"3")
    assert (folder.get("a"), list(bucket.files)) == (b"3", ["index/a"])


def test_a_file_that_is_gone_already_keeps_no_other_from_being_deleted(bucket: Bucket) -> None:
    folder = SharedFolder("gs://bucket")
    for name in ("a", "c", "locked"):
        folder.put(name, b"")
    folder.delete(["a", "b", "c"])
    assert list(bucket.files) == ["locked"]
    with pytest.raises(UnreadableError, match="refused"):
        folder.delete(["locked"])


def test_a_store_that_overwrites_cannot_be_shared(bucket: Bucket) -> None:
    folder = SharedFolder("s3://bucket")
    folder.check_writers()
    bucket.careless = True
    with pytest.raises(UnreadableError, match="overwrites what it should create only once"):
        folder.check_writers()
    assert not bucket.files, "the probe is taken away"


def test_nothing_can_be_kept_where_one_only_reads() -> None:
    with pytest.raises(UsageError, match="nothing can be kept at https"):
        SharedFolder("https://host/x")
