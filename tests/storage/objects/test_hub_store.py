"""hf:// by the real huggingface_hub, over HTTP, against a stand-in of the Hub: the Hub itself cannot be reached by tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cloud.hub_stand_in import SIGNATURE, TOKEN, Hub, hub_stand_in
from tests.runs import write_relax

import rollscope
from rollscope.errors import NotFoundError, UnreadableError, UsageError
from rollscope.query.run import Run
from rollscope.storage.objects import hub_store, object_store
from rollscope.storage.objects.byte_cache import ByteCache
from rollscope.storage.objects.hub_store import HubStore
from rollscope.storage.objects.object_client import parse_url
from rollscope.storage.store import FileChanged, Kind

pytestmark = pytest.mark.cloud

#: Where the same files are put: a repository of each kind, a bucket.
PLACES = ("datasets/lab/runs", "lab/model", "datasets/lab/runs@refs/pr/1", "buckets/lab/runs")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    with hub_stand_in() as made:
        for name, value in {
            "HF_ENDPOINT": made.address,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(tmp_path / "hf"),
            "ROLLSCOPE_POLL": "0",
            "ROLLSCOPE_INDEX_DIR": str(tmp_path / "index"),
        }.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(object_store, "_listed", {})
        monkeypatch.setattr(object_store, "_bytes", ByteCache(object_store.CACHE_BYTES))
        yield made


def files_of(run: Path) -> dict[str, bytes]:
    return {f"exp/{path.relative_to(run)}": path.read_bytes() for path in run.rglob("*.jsonl")}


def fill(hub: Hub, files: dict[str, bytes]) -> None:
    hub.push(files)
    hub.push(files, "models/lab/model")
    hub.buckets["buckets/lab/runs"] = dict(files)


def texts(run: Run) -> list[str]:
    return [run.raw(row.address) for row in run.samples(discarded=None).rows]


@pytest.mark.parametrize("place", PLACES)
def test_a_run_says_what_it_says_from_a_disk(hub: Hub, tmp_path: Path, place: str) -> None:
    root = write_relax(tmp_path / "run", steps=7, samples=4)
    fill(hub, files_of(root))
    run = rollscope.open(f"hf://{place}/exp")
    assert texts(run) == texts(rollscope.open(root)), "listings come in pages, large files from a signed address"
    assert HubStore.at(f"hf://{place}/exp/train/1.jsonl").kind() is Kind.FILE


def test_every_read_names_the_commit_that_was_listed(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSCOPE_POLL", "3600")
    commit = hub.push(files_of(write_relax(tmp_path / "run", steps=3, samples=4)))
    run = rollscope.open("hf://datasets/lab/runs/exp")
    assert len(texts(run)) == 12
    assert sum("/tree/" in asked for asked in hub.asked) <= 2, "a listing for each place that was asked about"
    reads = [asked for asked in hub.asked if "/resolve/" in asked]
    assert reads
    assert all(f"/resolve/{commit}/" in asked for asked in reads)


def test_what_is_pushed_is_seen_and_what_was_listed_stays_readable(hub: Hub, tmp_path: Path) -> None:
    """Two folders of a repository are listed at different commits: a read is of the commit of its own folder's listing."""
    one, two = write_relax(tmp_path / "one", steps=1, samples=4), write_relax(tmp_path / "two", steps=2, samples=6)
    hub.push(files_of(one))
    run = rollscope.open("hf://datasets/lab/runs/exp")
    assert run.samples().total == 4
    store = run.store.fresh()
    state = store.stat("train/0.jsonl")
    assert state is not None
    hub.push({**files_of(two), "other/train/0.jsonl": b"{}\n"})
    HubStore.at("hf://datasets/lab/runs/other").files()
    object_store._bytes = ByteCache(1)
    store.expect("train/0.jsonl", state)
    assert store.read("train/0.jsonl") == (one / "train/0.jsonl").read_bytes()
    run.refresh()
    assert texts(run) == texts(rollscope.open(two))


def test_a_commit_that_is_gone_is_no_other_commit(hub: Hub, tmp_path: Path) -> None:
    """A squashed history has forgotten what was listed."""
    hub.push(files_of(write_relax(tmp_path / "one", steps=1, samples=4)))
    store = HubStore.at("hf://datasets/lab/runs/exp")
    assert store.stat("train/0.jsonl") is not None
    hub.commits.clear()
    hub.push({})
    hub.push(files_of(write_relax(tmp_path / "two", steps=1, samples=6)))
    with pytest.raises(FileChanged):
        store.read("train/0.jsonl")


def test_a_file_of_a_bucket_that_is_replaced_while_it_is_read_is_refused(hub: Hub, tmp_path: Path) -> None:
    files = files_of(write_relax(tmp_path / "one", steps=1, samples=4))
    hub.buckets["buckets/lab/runs"] = dict(files)
    run = rollscope.open("hf://buckets/lab/runs/exp")
    assert run.samples().total == 4
    store = HubStore.at("hf://buckets/lab/runs/exp")
    state = store.stat("train/0.jsonl")
    assert state is not None
    # As long as before, so that nothing but its content tells.
    hub.buckets["buckets/lab/runs"] = {name: content.replace(b"What is", b"What be") for name, content in files.items()}
    object_store._bytes = ByteCache(1)
    store.expect("train/0.jsonl", state)
    with pytest.raises(FileChanged):
        store.read("train/0.jsonl")
    run.refresh()
    assert "What be " in run.raw("train/0/0")


def test_a_server_that_is_busy_for_a_moment_is_asked_again(hub: Hub, tmp_path: Path) -> None:
    hub.push(files_of(write_relax(tmp_path / "run", steps=1, samples=4)))
    hub.busy = 2
    assert rollscope.open("hf://datasets/lab/runs/exp").samples().total == 4
    assert hub.busy == 0


@pytest.mark.parametrize(
    "url",
    ["hf://datasets/lab/none/exp", "hf://datasets/lab/runs@none/exp", "hf://buckets/lab/none/exp", "hf://lab/none"],
)
def test_what_is_not_there_is_one_sentence(hub: Hub, url: str) -> None:
    hub.push({"exp/train/0.jsonl": b"{}\n"})
    with pytest.raises(UnreadableError, match="there is no repository") as caught:
        rollscope.open(url)
    assert "http" not in str(caught.value)


def test_a_folder_that_is_not_there_is_one_sentence(hub: Hub) -> None:
    hub.push({"exp/train/0.jsonl": b"{}\n"})
    assert HubStore.at("hf://datasets/lab/runs/none").kind() is Kind.MISSING
    with pytest.raises(NotFoundError, match="there is nothing at"):
        rollscope.open("hf://datasets/lab/runs/none")


def test_a_server_that_is_not_there_is_one_sentence(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(hub_store, "RETRY_SECONDS", 0)
    with pytest.raises(UnreadableError, match="does not answer"):
        rollscope.open("hf://datasets/lab/runs/exp")


def test_tokens_and_signatures_are_in_no_answer_and_no_file_of_the_index(hub: Hub, tmp_path: Path) -> None:
    hub.private = True
    hub.push(files_of(write_relax(tmp_path / "run", steps=2, samples=4)))
    program = [sys.executable, "-m", "rollscope"]
    said = b""
    for words in (["index"], ["samples", "--json"], ["doctor"], ["show", "train/1/0", "--json"]):
        done = subprocess.run(
            [*program, words[0], "hf://datasets/lab/runs/exp", *words[1:]], capture_output=True, timeout=120, check=True
        )
        said += done.stdout + done.stderr
    refused = subprocess.run(
        [*program, "ls", "hf://datasets/lab/runs/exp"],
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "HF_TOKEN": "hf_wrong"},
    )
    assert refused.returncode == 1
    assert b"or it is not yours to see" in refused.stderr
    assert b"What is 0 + 1?" in said
    kept = b"".join(path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file())
    for secret in (TOKEN.encode(), SIGNATURE.encode(), b"hf_wrong"):
        assert secret not in said + refused.stdout + refused.stderr + kept


@pytest.mark.parametrize("url", ["hf://", "hf://lab", "hf://datasets/lab", "hf://datasets/lab/runs@refs/pr"])
def test_a_url_that_names_no_repository_is_one_sentence(url: str) -> None:
    with pytest.raises(UsageError, match="names no repository"):
        parse_url(url)
