"""ETags, compression, and a cache whose budget is real."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard
from tests.fixtures import write_jsonl
from tests.server.client import Server, eventually, serving
from tests.server.data import append, record, settled, write_run

TAGGED = [
    "",
    "/steps",
    "/samples?step=1",
    "/groups?step=1",
    "/sample?address=train/1/2",
    "/raw?address=train/1/2",
    "/catalog",
]


@pytest.mark.parametrize("what", TAGGED)
def test_what_has_not_changed_costs_304(server: Server, run: str, what: str) -> None:
    eventually(lambda: server.json(f"{run}/steps", wait=30) and server.json(f"{run}/progress")["done"])
    first = server.get(f"{run}{what}")
    assert first.status == 200
    assert first.headers["cache-control"] == "private, no-cache"
    again = server.get(f"{run}{what}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_another_question_has_another_tag(server: Server, run: str) -> None:
    tags = {server.get(f"{run}/samples", step=1, limit=limit).headers["etag"] for limit in (1, 2, 3)}
    assert len(tags) == 3


def test_new_data_has_a_new_tag(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(path) as server:
        run = f"/api/runs/{server.run_id()}"
        eventually(lambda: server.json(f"{run}/steps", wait=30) and server.json(f"{run}/progress")["done"])
        before = server.get(f"{run}/samples", step=0, split="train")
        append(path / "train" / "0.jsonl", record(0, 4))

        def total() -> int:
            headers = {"If-None-Match": before.headers["etag"]}
            reply = server.get(f"{run}/samples", step=0, split="train", headers=headers)
            return int(reply.json()["total"]) if reply.status == 200 else 4

        eventually(lambda: total() == 5)


def test_bodies_above_a_kilobyte_are_compressed_as_offered(server: Server, run: str) -> None:
    path = f"{run}/samples?split=train&limit=72"
    plain = server.get(path)
    assert "content-encoding" not in plain.headers
    packed = server.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 3
    assert json.loads(gzip.decompress(packed.body)) == plain.json()
    best = server.get(path, headers={"Accept-Encoding": "gzip, deflate, br, zstd"})
    assert best.headers["content-encoding"] == "zstd"
    assert json.loads(zstandard.ZstdDecompressor().decompressobj().decompress(best.body)) == plain.json()
    assert best.headers["etag"] == plain.headers["etag"]
    assert "Accept-Encoding" in best.headers["vary"]
    assert "content-encoding" not in server.get("/api/version", headers={"Accept-Encoding": "gzip"}).headers


def test_the_cache_keeps_to_its_memory(tmp_path: Path) -> None:
    path = tmp_path / "run-a"
    write_jsonl(path / "train" / "0.jsonl", (record(0, index, response="x" * 150_000) for index in range(40)))
    with serving(settled(path), flags=["--cache-memory", "2"]) as server:
        run = f"/api/runs/{server.run_id()}"
        for index in range(40):
            assert server.get(f"{run}/sample", address=f"train/0/{index}").status == 200
            stats = server.json("/api/cache/stats")
            assert stats["memory_mb"] <= stats["max_memory_mb"] == 2
        assert stats["evictions"] > 20


def test_the_cache_keeps_to_its_entries(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=6, samples=4)
    with serving(settled(path), flags=["--cache-entries", "2"]) as server:
        run = f"/api/runs/{server.run_id()}"
        for step in range(6):
            server.json(f"{run}/sample", address=f"train/{step}/0")
        stats = server.json("/api/cache/stats")
        assert stats["entries"] == 2
        assert stats["evictions"] == 4
