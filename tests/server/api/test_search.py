"""Search over HTTP: lines as they are found, an end that says why, and no work for nobody."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

from tests.server.client import Server, eventually, serving
from tests.server.data import write_large_step, write_run


def lines(server: Server, run: str, **query: Any) -> list[dict[str, Any]]:
    reply = server.get(f"{run}/search", **query)
    assert reply.status == 200, reply.text
    assert reply.headers["content-type"] == "application/x-ndjson"
    assert reply.headers["x-accel-buffering"] == "no"
    return [json.loads(line) for line in reply.text.splitlines()]


def test_hits_come_as_lines_and_the_last_says_all_was_searched(server: Server, run: str) -> None:
    *hits, end = lines(server, run, q="数5", split="train")
    assert {hit["address"] for hit in hits} == {f"train/{step}/5" for step in range(3)}
    assert hits[0]["snippet"][hits[0]["snippet_start"] : hits[0]["snippet_end"]] == "数5"
    assert end["done"] is True
    assert (end["hits"], end["reason"], end["limit"]) == (3, "complete", None)


def test_patterns_filters_and_fields(server: Server, run: str) -> None:
    *hits, _ = lines(
        server, run, q=r"größe: 数1\d$", regex=1, ignore_case=1, where="step = 1", fields="response", split="train"
    )
    assert all(hit["field"] == "response" for hit in hits)
    *none, end = lines(server, run, q="What is", fields="response")
    assert none == []
    assert end["reason"] == "complete"


def test_a_limit_is_announced(server: Server, run: str) -> None:
    *hits, end = lines(server, run, q="answer", limit=5)
    assert len(hits) == 5
    assert (end["reason"], end["limit"]) == ("limit", 5)
    assert "5 hits" in end["detail"]


def test_counts_go_on_after_the_limit(server: Server, run: str) -> None:
    *all_hits, whole = lines(server, run, q="answer", counts=1)
    assert whole["reason"] == "complete"
    *hits, end = lines(server, run, q="answer", limit=5, counts=1)
    assert len(hits) == end["hits"] == 5
    assert (end["reason"], end["limit"]) == ("limit", 5)
    assert end["counts"] == whole["counts"]
    per_step: dict[int, set[str]] = {}
    for hit in all_hits:
        per_step.setdefault(int(hit["address"].split("/")[-2]), set()).add(hit["address"])
    assert end["counts"] == {
        "hits": len(all_hits),
        "samples": len({hit["address"] for hit in all_hits}),
        "steps": sorted(per_step),
        "step_samples": [len(per_step[step]) for step in sorted(per_step)],
        "complete": True,
    }


def test_a_time_limit_is_announced(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    write_large_step(path / "train" / "1.jsonl", 40)
    with serving(path, flags=["--search-seconds", "0.01"]) as server:
        run = f"/api/runs/{server.run_id()}"
        eventually(lambda: server.json(f"{run}/steps", wait=30) and server.json(f"{run}/progress")["done"])
        *_, end = lines(server, run, q=r"w.rd\d+ w.rd1\d+ \d*z", regex=1, limit=10_000)
        assert end["reason"] == "time"
        assert end["limit"] == 0.01


def test_a_search_ends_when_its_client_goes_away(tmp_path: Path) -> None:
    """More searches than there are threads are left unread; if they went on, the last one would never be answered."""
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    write_large_step(path / "train" / "1.jsonl", 40)
    with serving(path) as server:
        run = f"/api/runs/{server.run_id()}"
        eventually(lambda: server.json(f"{run}/steps", wait=30) and server.json(f"{run}/progress")["done"])
        for _ in range(12):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", f"{run}/search?q=word&limit=10000")
            assert connection.getresponse().read(10)
            connection.close()
        *hits, end = lines(server, run, q="What is 0 + 0?", limit=1, split="train")
        assert end["hits"] == len(hits) == 1
