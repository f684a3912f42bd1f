"""Repositories of the Hub: what is read is what was listed. Against a stand-in of its file system, not the Hub itself."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.runs import write_relax

import rollscope
from rollscope.errors import UnreadableError, UsageError
from rollscope.query.run import Run
from rollscope.storage.objects import object_client, object_store
from rollscope.storage.objects.byte_cache import ByteCache
from rollscope.storage.objects.object_client import parse_url
from rollscope.storage.store import FileChanged


class HubStandIn:
    """As `huggingface_hub.HfFileSystem`: commits of one repository, each with all its files."""

    def __init__(self) -> None:
        self.commits: dict[str, dict[str, bytes]] = {}
        self.newest = ""
        self.error: Exception | None = None
        self.opened: list[str] = []
        self._api = SimpleNamespace(repo_info=lambda *_, **__: SimpleNamespace(sha=self.newest))

    def push(self, files: dict[str, bytes]) -> None:
        self.newest = f"{len(self.commits):040x}"
        self.commits[self.newest] = files

    def resolve_path(self, path: str) -> Any:
        if self.error is not None:
            raise self.error
        return SimpleNamespace(repo_id="lab/runs", repo_type="dataset", revision="main")

    def find(self, path: str, **_: Any) -> dict[str, dict[str, Any]]:
        repository, rest = path.split("@")
        commit, folder = (*rest.split("/", 1), "")[:2]
        files = self.commits[commit]
        return {
            f"{repository}@{commit}/{name}": {
                "type": "file",
                "size": len(content),
                "blob_id": f"blob-{hash(content)}",
                "last_commit": None,
            }
            for name, content in files.items()
            if not folder or name.startswith(f"{folder}/")
        }

    def open(self, path: str, *_: Any, **__: Any) -> io.BytesIO:
        self.opened.append(path)
        commit, name = path.split("@")[1].split("/", 1)
        return io.BytesIO(self.commits[commit][name])


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> HubStandIn:
    made = HubStandIn()
    monkeypatch.setattr(object_client, "hub_of", lambda url: made)
    monkeypatch.setattr(object_store, "_listed", {})
    monkeypatch.setenv("ROLLSCOPE_POLL", "0")
    return made


def files_of(run: Path) -> dict[str, bytes]:
    return {f"exp/{path.relative_to(run)}": path.read_bytes() for path in run.rglob("*.jsonl")}


def texts(run: Run) -> list[str]:
    return [run.raw(row.address) for row in run.samples(discarded=None).rows]


def test_a_run_in_a_repository_says_what_it_says_from_a_disk(hub: HubStandIn, tmp_path: Path) -> None:
    root = write_relax(tmp_path / "run", steps=3, samples=4)
    hub.push(files_of(root))
    assert texts(rollscope.open("hf://datasets/lab/runs/exp")) == texts(rollscope.open(root))
    assert all(path.startswith(f"datasets/lab/runs@{hub.newest}/") for path in hub.opened), "reads name the commit"


def test_what_is_pushed_is_seen_and_never_mixed(
    hub: HubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.push(files_of(write_relax(tmp_path / "one", steps=1, samples=4)))
    run = rollscope.open("hf://datasets/lab/runs/exp")
    store = run.store.fresh()
    store.stat("train/0.jsonl")
    state = store.stat("train/0.jsonl")
    assert run.samples().total == 4
    assert state is not None
    hub.push(files_of(write_relax(tmp_path / "two", steps=2, samples=6)))
    monkeypatch.setattr(object_store, "_bytes", ByteCache(1))  # what was read before is right to give again
    store.expect("train/0.jsonl", state)
    with pytest.raises(FileChanged):
        store.read("train/0.jsonl", 1, 10)
    run.refresh()
    assert run.samples().total == 12


@pytest.mark.parametrize("url", ["hf://", "hf://lab", "hf://datasets/lab"])
def test_a_url_that_names_no_repository_is_one_sentence(url: str) -> None:
    with pytest.raises(UsageError, match="names no repository"):
        parse_url(url)


def test_a_repository_that_is_not_there_is_one_sentence(hub: HubStandIn) -> None:
    hub.error = RuntimeError("404 Client Error. Repository Not Found for url: https://hub/api?token=secret")
    with pytest.raises(UnreadableError, match="there is no") as caught:
        rollscope.open("hf://datasets/lab/runs/exp")
    assert "secret" not in str(caught.value)
