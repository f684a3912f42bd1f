"""Live: what another process writes reaches every client."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.server.client import Events, Server, eventually, serving
from tests.server.data import append, record, write_run


def samples_of(event: dict[str, Any], split: str = "train") -> int:
    return next((item["samples"] for item in event["splits"] if item["split"] == split), 0)


def settled(server: Server) -> str:
    """The run's path in the API, once all of it is read."""
    run = f"/api/runs/{server.run_id()}"
    eventually(lambda: server.json(f"{run}/steps", wait=30) and server.json(f"{run}/progress")["done"])
    return run


@pytest.mark.parametrize("watch", ["auto", "events", "polling"])
def test_an_appended_line_is_told_and_can_be_read(tmp_path: Path, watch: str) -> None:
    path = write_run(tmp_path / "run-a", steps=2, samples=8)
    with serving(path, flags=["--watch", watch]) as server, Events(server) as events:
        run = settled(server)
        (hello,) = eventually(lambda: events.named("hello"))
        assert hello["versions"].keys() == {server.run_id()}
        before = server.json(f"{run}/samples", split="train", limit=1)["total"]
        append(path / "train" / "1.jsonl", record(1, 8, response="just written"))
        event = eventually(lambda: [e for e in events.named("run") if samples_of(e) == before + 1])[-1]
        assert event["run"] == server.run_id()
        assert event["version"] > hello["versions"][event["run"]]
        assert server.json(f"{run}/samples", split="train", limit=1)["total"] == before + 1
        assert "just written" in server.get(f"{run}/raw", address="train/1/8").text


def test_a_new_step_is_told(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(path) as server, Events(server) as events:
        settled(server)
        write_jsonl(path / "train" / "1.jsonl", (record(1, index) for index in range(4)))

        def newest() -> list[int]:
            return [
                split["last_step"] for e in events.named("run") for split in e["splits"] if split["split"] == "train"
            ]

        eventually(lambda: 1 in newest())


def test_an_unfinished_line_waits(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(path) as server:
        run = settled(server)
        with (path / "train" / "0.jsonl").open("a") as file:
            file.write('{"rollout_id": 0, "prompt": "p", "resp')
            file.flush()
            assert server.json(f"{run}/samples", step=0, split="train")["total"] == 4
            file.write('onse": "r", "reward": 1}\n')
        eventually(lambda: server.json(f"{run}/samples", step=0, split="train")["total"] == 5)


def test_a_new_run_below_the_root_is_told(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    write_run(root / "run-a", steps=1, samples=4)
    with serving(root) as server, Events(server) as events:
        eventually(lambda: events.named("hello"))
        write_run(root / "run-b", steps=1, samples=4)
        eventually(lambda: [e for e in events.named("runs") if e["runs"] == 2])
        assert {run["name"] for run in server.json("/api/runs")} == {"run-a", "run-b"}


def test_a_rewritten_file_is_never_served_as_it_was(tmp_path: Path) -> None:
    """Same name, same size, another content; asked at once and with the tag of the old answer."""
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(path) as server:
        run = settled(server)
        old = server.get(f"{run}/sample", address="train/0/1")
        rows = server.get(f"{run}/samples", step=0, split="train")
        write_jsonl(
            path / "train" / "0.jsonl", (record(0, index, response="B" * 40, reward=-1.5) for index in range(4))
        )
        new = server.get(f"{run}/sample", address="train/0/1", headers={"If-None-Match": old.headers["etag"]})
        assert new.status == 200
        assert new.json()["reward"] == -1.5

        def rewards() -> set[float]:
            reply = server.get(f"{run}/samples", step=0, split="train", headers={"If-None-Match": rows.headers["etag"]})
            return {row["reward"] for row in reply.json()["rows"]} if reply.status == 200 else set()

        eventually(lambda: rewards() == {-1.5})


def test_a_deleted_step_is_gone(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=2, samples=4)
    with serving(path) as server, Events(server) as events:
        run = settled(server)
        (path / "train" / "1.jsonl").unlink()
        eventually(lambda: [step["step"] for step in server.json(f"{run}/steps")] == [0])
        assert server.get(f"{run}/sample", address="train/1/0").status == 404
        eventually(lambda: [e for e in events.named("run") if samples_of(e) == 4])


def test_a_run_that_is_deleted_whole_does_not_stop_the_server(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    write_run(root / "run-a", steps=1, samples=4)
    gone = write_run(root / "run-b", steps=1, samples=4)
    with serving(root) as server, Events(server) as events:
        eventually(lambda: events.named("hello"))
        shutil.rmtree(gone)
        eventually(lambda: len(server.json("/api/runs")) == 1)
        assert server.get("/healthz").status == 200


def test_many_clients_hear_the_same(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(path) as server:
        settled(server)
        clients = [Events(server) for _ in range(50)]
        try:
            for client in clients:
                eventually(partial(client.named, "hello"))
            append(path / "train" / "0.jsonl", record(0, 4))
            eventually(lambda: all(any(samples_of(e) == 5 for e in client.named("run")) for client in clients))
        finally:
            for client in clients:
                client.close()
        assert server.get("/healthz").status == 200
