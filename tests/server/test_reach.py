"""What can be read: files of the opened runs, whatever a request, a link or a record says."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.fixtures import write_jsonl
from tests.server.client import Server, eventually, serving
from tests.server.data import record, write_run

SECRET = "the-secret-of-another-directory"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Files that lie beside the run and are nobody's business."""
    folder = tmp_path / "outside"
    write_jsonl(folder / "9.jsonl", [record(9, 0, response=SECRET)])
    (folder / "train_iteration_000000_logtree.json").write_text(json.dumps({"title": SECRET, "root": {"tag": "div"}}))
    (folder / "secret.txt").write_text(SECRET)
    return folder


def everything(server: Server) -> str:
    """All that the interface tells about all runs."""
    told = []
    for item in server.json("/api/runs", wait=30):
        run = f"/api/runs/{item['id']}"
        told += [server.get(f"{run}{what}").text for what in ("", "/doctor", "/catalog")]
        for split in item["splits"]:
            page = server.json(f"{run}/samples", split=split["split"], preview=1, wait=30)
            told.append(json.dumps(page, ensure_ascii=False))
            told += [server.get(f"{run}/raw", address=row["address"]).text for row in page["rows"]]
    return "".join(told)


def test_a_link_out_of_the_run_is_not_followed(tmp_path: Path, outside: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=2)
    (path / "train" / "9.jsonl").symlink_to(outside / "9.jsonl")
    (path / "more").symlink_to(outside)
    with serving(path) as server:
        assert SECRET not in everything(server)
        run = f"/api/runs/{server.run_id()}"
        assert server.get(f"{run}/sample", address="train/9/0").status == 404


def test_a_file_replaced_by_a_link_is_not_followed(tmp_path: Path, outside: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=2, samples=2)
    with serving(path) as server:
        run = f"/api/runs/{server.run_id()}"
        assert server.get(f"{run}/sample", address="train/1/0").status == 200
        (path / "train" / "1.jsonl").unlink()
        (path / "train" / "1.jsonl").symlink_to(outside / "9.jsonl")
        assert SECRET not in server.get(f"{run}/sample", address="train/1/0").text
        eventually(lambda: server.get(f"{run}/sample", address="train/1/0").status == 404)
        assert SECRET not in everything(server)


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "../outside/train_iteration_000000_logtree.json",
        "/etc/passwd",
        "train/0.jsonl",
        "./train/../train/0.jsonl",
        "..",
        "",
        "\0",
        "file:///etc/passwd",
    ],
)
def test_only_the_run_s_own_reports_are_reports(tmp_path: Path, outside: Path, path: str) -> None:
    run_path = write_run(tmp_path / "run-a", steps=1, samples=2)
    with serving(run_path) as server:
        reply = server.get(f"/api/runs/{server.run_id()}/report?{urlencode({'path': path})}")
        assert reply.status in (400, 404)
        assert SECRET not in reply.text
        assert "root:" not in reply.text


def test_nothing_in_a_record_is_taken_for_a_path(tmp_path: Path, outside: Path) -> None:
    target = str(outside / "secret.txt")
    fields = dict.fromkeys(("file", "path", "image", "source", "multi_modal_inputs", "record", "messages"), target)
    path = tmp_path / "run-a"
    write_jsonl(
        path / "train" / "0.jsonl", [record(0, 0, **fields), record(0, 1, metadata={"$ref": f"file://{target}"})]
    )
    with serving(path) as server:
        assert SECRET not in everything(server)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM read_csv_auto('{secret}')",
        "SELECT * FROM glob('/*')",
        "COPY samples TO '{secret}'",
        "ATTACH '{secret}' AS x",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "PRAGMA database_list",
        "SELECT getenv('HOME')",
        "DROP TABLE samples",
        "SELECT 1; SELECT 2",
    ],
)
def test_sql_reads_nothing_but_the_index(server: Server, run: str, tmp_path: Path, query: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(SECRET)
    reply = server.get(f"{run}/sql", query=query.format(secret=secret))
    assert SECRET not in reply.text
    assert reply.status in (400, 413, 422), reply.text
    assert secret.read_text() == SECRET


def test_a_query_without_end_is_ended(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(path, flags=["--query-seconds", "1"]) as server:
        run = f"/api/runs/{server.run_id()}"
        endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
        reply = server.get(f"{run}/sql", query=endless)
        assert reply.status == 413, reply.text
        assert reply.headers["content-type"] == "application/problem+json"
        assert server.json(f"{run}/sql", query="SELECT 1")["rows"] == [[1]]


def test_files_of_a_run_are_never_sent_as_pages(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run-a", steps=1, samples=2)
    (path / "train_iteration_000000.html").write_text("<script>alert(1)</script>")
    with serving(path) as server:
        for address in ("train_iteration_000000.html", "run-a/train_iteration_000000.html"):
            assert "alert(1)" not in server.get(f"/{address}").text
