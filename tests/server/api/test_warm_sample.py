"""A sample that was asked for before is answered another way, and nobody can tell."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.server.client import Server, serving
from tests.server.data import record, settled, write_run


@pytest.mark.parametrize("encoding", ["", "gzip", "gzip, zstd"])
def test_the_second_answer_is_the_first_to_the_byte(server: Server, run: str, encoding: str) -> None:
    asked = f"{run}/sample?address=train/1/{len(encoding)}"
    first, second, third = (server.get(asked, headers={"Accept-Encoding": encoding}) for _ in range(3))
    assert first.status == second.status == third.status == 200
    assert first.body == second.body == third.body
    without_date = [{**reply.headers, "date": "", "connection": ""} for reply in (first, second, third)]
    assert without_date[0] == without_date[1] == without_date[2]
    assert all("date" in reply.headers for reply in (first, second, third))


def test_it_costs_304_when_it_is_known(server: Server, run: str) -> None:
    asked = f"{run}/sample?address=train/1/2"
    tag = [server.get(asked) for _ in range(3)][-1].headers["etag"]
    again = server.get(asked, headers={"If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")


def test_requests_sent_at_once_are_answered_in_their_order(server: Server, run: str) -> None:
    addresses = [f"train/2/{index}" for index in range(6)]
    for address in addresses:
        server.get(f"{run}/sample?address={address}")
    requests = [f"GET {run}/sample?address={address} HTTP/1.1\r\nHost: localhost\r\n" for address in addresses]
    requests[-1] += "Connection: close\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall("".join(f"{request}\r\n" for request in requests).encode())
        answers = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert answers.count(b"HTTP/1.1 200 OK\r\n") == len(addresses)
    places = [answers.index(f'"address":"{address}"'.encode()) for address in addresses]
    assert places == sorted(places)


def test_an_edit_shows_in_the_next_answer(tmp_path: Path) -> None:
    folder = settled(write_run(tmp_path / "run", steps=1))
    with serving(folder, env={"ROLLSCOPE_INDEX_DIR": str(tmp_path / "index")}) as server:
        asked = f"/api/runs/{server.run_id()}/sample?address=train/0/0"
        for _ in range(3):
            assert "edited" not in server.get(asked).text
        write_jsonl(folder / "train" / "0.jsonl", (record(0, index, response="edited") for index in range(24)))
        assert "edited" in server.get(asked).text
