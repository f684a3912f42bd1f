"""Whatever the data holds, what is sent is JSON, and nothing of it is more than text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path
from tests.server.client import Server, serving
from tests.server.data import record

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>\u2028\u2029\0\x1b]0;x\x07"


def ask_everything(server: Server) -> int:
    """Every kind of question about every run; all answers must be JSON. Gives the number of samples seen."""
    seen = 0
    for item in server.json("/api/runs", wait=60):
        run = f"/api/runs/{item['id']}"
        server.json(run, wait=60)
        server.json(f"{run}/doctor")
        names = [series["name"] for series in server.json(f"{run}/catalog")]
        for start in range(0, len(names), 100):
            server.json(f"{run}/series", name=names[start : start + 100])
        for split in server.json(run)["info"]["splits"]:
            for step in server.json(f"{run}/steps", split=split["split"]):
                where = {"split": split["split"], "step": step["step"], "discarded": "all", "limit": 40}
                server.json(f"{run}/groups", **where)
                for row in server.json(f"{run}/samples", preview=1, **where)["rows"]:
                    seen += 1
                    server.json(f"{run}/sample", address=row["address"])
                    server.json(f"{run}/sample", address=row["address"], record=0, max_chars=50)
                    assert server.get(f"{run}/raw", address=row["address"]).status == 200
        lines = server.get(f"{run}/search", q="a", ignore_case=1).text.splitlines()
        assert json.loads(lines[-1])["reason"] in ("complete", "limit")
    return seen


def lines_of_hazards() -> list[bytes]:
    plain = json.dumps(record(0, 0, reward=1.0)).encode()
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    return [
        plain,
        plain.replace(b'"reward": 1.0', b'"reward": NaN'),
        plain.replace(b'"reward": 1.0', b'"reward": -Infinity'),
        plain.replace(b'"reward": 1.0', b'"reward": {"total": NaN, "a": 1e999}'),
        plain.replace(b"count", b"lone \\ud800 surrogate \\udfff"),
        plain.replace(b'"correct": 0', b'"correct": 123456789012345678901234567890'),
        plain.replace(b'"correct": 0', b'"extra": ' + deep),
        plain.replace(b"count", b"bytes \xff\xfe here"),
        plain.replace(b"count", b"nul \\u0000 here"),
        b"not json",
        b"[1, 2]",
        b"\xef\xbb\xbf" + plain,
        json.dumps(
            record(0, 1, **{ATTACK: 1.5, "status": ATTACK, "response": ATTACK, "discard_reason": ATTACK})
        ).encode(),
    ]


def test_a_run_full_of_hazards_is_answered_in_json(tmp_path: Path) -> None:
    path = tmp_path / "run <script>"
    (path / "train").mkdir(parents=True)
    (path / "train" / "0.jsonl").write_bytes(b"\n".join(lines_of_hazards()) + b"\r\n")
    with serving(path) as server:
        assert ask_everything(server) >= 10
        run = f"/api/runs/{server.run_id()}"
        assert server.json(run)["skipped_total"] >= 2


def test_a_name_that_is_no_text_is_sent_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run-a"
    (path / "train").mkdir(parents=True)
    (path / "train" / "0.jsonl").write_bytes(lines_of_hazards()[0] + b"\n")
    odd = bytes(path) + b"/odd \xff name.txt"
    with open(odd, "wb") as file:
        file.write(b"x")
    with serving(path) as server:
        assert ask_everything(server) == 1


@pytest.mark.parametrize("name", ["relax", "relax_hazards", "verl", "tinker_flat", "telescope"])
def test_runs_of_other_trainers_are_answered_in_json(name: str) -> None:
    with serving(fixture_path(name)) as server:
        assert ask_everything(server) > 0


def test_attacks_in_names_and_values_arrive_as_text(tmp_path: Path) -> None:
    path = tmp_path / "run-a"
    (path / "train").mkdir(parents=True)
    (path / "train" / "0.jsonl").write_bytes(lines_of_hazards()[-1] + b"\n")
    with serving(path) as server:
        run = f"/api/runs/{server.run_id()}"
        sample: dict[str, Any] = server.json(f"{run}/sample", address="train/0/0")
        assert ATTACK in "".join(part.get("text", "") for message in sample["messages"] for part in message["parts"])
        raw = server.get(f"{run}/raw", address="train/0/0")
        assert raw.headers["content-type"].startswith("text/plain")
        assert raw.headers["x-content-type-options"] == "nosniff"
