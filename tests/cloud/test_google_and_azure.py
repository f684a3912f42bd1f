"""gs:// and az:// against small stand-ins on the loopback: obstore's requests are real, the servers are not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cloud.conftest import Requests
from tests.cloud.stand_ins import Objects, blobs
from tests.runs import write_relax

import rollscope
from rollscope.errors import RollscopeError, UnreadableError
from rollscope.query.library import Library
from rollscope.storage.objects import object_store
from rollscope.storage.objects.object_store import ObjectStore


@pytest.fixture(params=["gs", "az"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, Objects]]:
    """The address of a bucket, and what is in it."""
    with blobs(2 if request.param == "gs" else 3) as (address, objects):
        key = {
            "gcs_base_url": address,
            "disable_oauth": True,
            "client_email": "",
            "private_key": "",
            "private_key_id": "",
        }
        (tmp_path / "key.json").write_text(json.dumps(key))
        for name, value in {
            "GOOGLE_SERVICE_ACCOUNT": str(tmp_path / "key.json"),
            "AZURE_STORAGE_ACCOUNT_NAME": "lab",
            "AZURE_STORAGE_ACCOUNT_KEY": "a2V5",
            "AZURE_STORAGE_ENDPOINT": f"{address}/lab",
            "ROLLSCOPE_POLL": "0",
            "ROLLSCOPE_INDEX_DIR": str(tmp_path / "index"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(object_store, "_listed", {})
        yield f"{request.param}://runs", objects


def test_a_run_opens_and_its_index_is_shared(place: tuple[str, Objects], tmp_path: Path) -> None:
    url, objects = place
    root = write_relax(tmp_path / "run", steps=3, samples=4)
    objects.update({f"exp 1/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*.jsonl")})
    here = rollscope.open(root)
    texts = [here.raw(row.address) for row in here.samples().rows]
    for number in range(2):
        run = rollscope.open(f"{url}/exp 1", index_dir=f"{url}/index")
        assert [run.raw(row.address) for row in run.samples().rows] == texts, number
    assert sum("/roots/" in key for key in objects) == 1, "the second found all that the first had committed"
    objects["exp 1/train/1.jsonl"] = objects["exp 1/train/2.jsonl"]
    run.refresh()
    assert "What is 0 + 2?" in run.raw("train/1/0")


def test_more_objects_than_are_listed_are_said_and_the_others_open(
    place: tuple[str, Objects], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, objects = place
    root = write_relax(tmp_path / "run", steps=12, samples=2)
    objects.update({f"run/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*.jsonl")})
    monkeypatch.setattr(object_store, "MAX_KEYS", 10)
    run = rollscope.open(f"{url}/run")
    assert run.samples().total == 12 * 2, "they come a thousand at a time"
    assert any("the others are not seen" in warning for warning in run.warnings())


def test_a_name_that_is_no_path_takes_no_other_folder_away(place: tuple[str, Objects], tmp_path: Path) -> None:
    url, objects = place
    root = write_relax(tmp_path / "run", steps=2, samples=2)
    objects.update({f"runs/one/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*.jsonl")})
    objects["runs/one/logs/a//b.txt"] = objects["runs/two/train//0.jsonl"] = b"x"
    (run,) = Library([f"{url}/runs"], index_dir=str(tmp_path / "index")).runs()
    assert (run.name, run.samples().total) == ("one", 4)
    with pytest.raises(UnreadableError, match="an object whose name is no path") as caught:
        rollscope.open(f"{url}/runs/two/train")
    assert "\n" not in str(caught.value)


def test_a_listing_that_was_cut_is_kept_as_long_as_any_other(
    place: tuple[str, Objects], monkeypatch: pytest.MonkeyPatch, requests: Requests
) -> None:
    """It is the longest of all, and was repeated for every question."""
    url, objects = place
    objects.update({f"run/train/{number}.jsonl": b"" for number in range(20)} | {"run/zeta/0.jsonl": b""})
    monkeypatch.setattr(object_store, "MAX_KEYS", 10)
    monkeypatch.setenv("ROLLSCOPE_POLL", "3600")
    for _ in range(3):
        assert ObjectStore.at(f"{url}/run").listing("train").cut
    assert requests.since()["list"] == 1
    assert ObjectStore.at(f"{url}/run/zeta").files() == ["0.jsonl"], "a folder that was not reached is listed by itself"


def test_an_object_that_is_gone_when_it_is_read_is_one_sentence(place: tuple[str, Objects], tmp_path: Path) -> None:
    url, objects = place
    root = write_relax(tmp_path / "run", steps=2, samples=2)
    objects.update({f"run/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*.jsonl")})
    run = rollscope.open(f"{url}/run")
    run.refresh()
    object_store._bytes.__init__(object_store.CACHE_BYTES)  # type: ignore[misc]  # as if another process had indexed it
    del objects["run/train/1.jsonl"]
    with pytest.raises(RollscopeError) as caught:
        run.raw("train/1/0")
    assert "\n" not in str(caught.value)
    assert "What is" in run.raw("train/0/0"), "others are unharmed"


def test_listings_that_are_kept_are_few(place: tuple[str, Objects], monkeypatch: pytest.MonkeyPatch) -> None:
    url, objects = place
    monkeypatch.setattr(object_store, "KEPT_LISTINGS", 3)
    for number in range(8):
        objects[f"run{number}/train/0.jsonl"] = b""
        ObjectStore.at(f"{url}/run{number}").files("train")
    assert len(object_store._listed) <= 3
