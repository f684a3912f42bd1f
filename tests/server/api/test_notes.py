"""Notes and labels over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.client import Events, Reply, Server, eventually, serving
from tests.server.data import write_run

import rollscope
from rollscope.userdata.notes import NewNote

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("noted")
    with serving(write_run(folder / "run-a"), flags=["--notes-dir", str(folder / "notes")]) as server:
        server.json(f"/api/runs/{server.run_id()}/steps", wait=30)
        yield server


def put(server: Server, **note: Any) -> Reply:
    body = json.dumps(note).encode()
    return server.request("PUT", f"/api/runs/{server.run_id()}/notes", headers=JSON, body=body)


def test_notes_are_written_read_filtered_and_removed(noted: Server) -> None:
    path = f"/api/runs/{noted.run_id()}"
    span = {"message": 1, "part": 0, "start": 2, "end": 9}
    written = put(noted, address="train/1/2", text="looks", labels=["hack"], rating=4, span=span, author="Ada").json()
    assert (written["author"], written["span"]) == ("Ada", span)
    page = noted.json(f"{path}/notes")
    assert page["notes"] == [written]
    assert page["labels"] == {"hack": 1}
    assert noted.json(f"{path}/notes", address="train/1/2")["notes"] == [written]
    assert noted.json(f"{path}/notes", address="train/1/3")["notes"] == []
    rows = noted.json(f"{path}/samples", where='label = "hack" and rating >= 4')["rows"]
    assert [row["address"] for row in rows] == ["train/1/2"]
    reply = noted.request("DELETE", f"{path}/notes?id={written['id']}")
    assert reply.status == 400
    assert "Ada" in reply.json()["detail"]
    assert noted.request("DELETE", f"{path}/notes?id={written['id']}&author=Ada").status == 200
    assert noted.json(f"{path}/notes")["notes"] == []
    assert noted.json(f"{path}/samples", where="noted = true")["rows"] == []


def test_a_list_by_notes_is_asked_anew_when_a_note_is_written(noted: Server) -> None:
    """The run did not change, but the answer did: its ETag must not hold."""
    path = f"/api/runs/{noted.run_id()}/samples?where=noted+%3D+true"
    before = noted.get(path)
    note = put(noted, address="train/0/1", text="new").json()
    after = noted.get(path, headers={"If-None-Match": before.headers["etag"]})
    assert after.status == 200
    assert [row["address"] for row in after.json()["rows"]] == ["train/0/1"]
    noted.request("DELETE", f"/api/runs/{noted.run_id()}/notes?id={note['id']}")


def test_noted_alone_is_a_filter(noted: Server) -> None:
    path = f"/api/runs/{noted.run_id()}"
    note = put(noted, address="train/0/1", text="seen").json()

    def found(where: str) -> list[str]:
        return [row["address"] for row in noted.json(f"{path}/samples", step=0, where=where)["rows"]]

    assert found("noted") == found("noted and step = 0") == ["train/0/1"]
    assert found("not noted") == [address for address in found("step = 0") if address != "train/0/1"]
    noted.request("DELETE", f"{path}/notes?id={note['id']}")


def test_a_second_page_hears_of_a_note_written_removed_and_written_elsewhere(noted: Server) -> None:
    run = noted.run_id()
    events = Events(noted)

    def newest() -> int:
        return max(
            int(event["versions"][run] if name == "hello" else event["version"])
            for name, event in list(events.received)
            if name == "hello" or (name == "run" and event["run"] == run)
        )

    eventually(lambda: events.received)
    version = newest()
    note = put(noted, address="train/0/1", text="new").json()
    version = eventually(lambda: newest() > version and newest())
    noted.request("DELETE", f"/api/runs/{run}/notes?id={note['id']}")
    version = eventually(lambda: newest() > version and newest())
    # Another process writes into the same folder.
    (run_path,) = {item["path"] for item in noted.json("/api/runs")}
    folder = Path(run_path).parent / "notes"
    rollscope.open(run_path, notes_dir=str(folder)).write_note(NewNote(address="train/0/2", text="by hand"))
    eventually(lambda: newest() > version)
    events.close()


@pytest.mark.parametrize(
    "note",
    [
        {"text": "x"},
        {"address": "train/1/2"},
        {"address": "train/1/2", "rating": 6},
        {"address": "train/1/2", "labels": ["x" * 61]},
        {"address": "train/1/2", "text": "x", "unknown": 1},
        {"address": "nowhere", "text": "x"},
    ],
)
def test_notes_that_are_none_are_refused(noted: Server, note: dict[str, Any]) -> None:
    assert put(noted, **note).status == 400


def test_a_sample_that_is_not_there_takes_no_note(noted: Server) -> None:
    assert put(noted, address="train/1/999", text="x").status == 404
