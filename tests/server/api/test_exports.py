"""Lists as files over HTTP."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from tests.server.client import Server


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_a_list_comes_as_a_file_with_the_rows_in_its_order(server: Server, run: str, format_: str) -> None:
    asked: dict[str, Any] = {"split": "train", "steps": ":", "where": "reward >= 0", "sort": "-reward"}
    wanted = [row["address"] for row in server.json(f"{run}/samples", limit=1000, **asked)["rows"]]
    answer = server.get(f"{run}/export", format=format_, **asked)
    assert answer.status == 200
    assert f".{format_}" in answer.headers["content-disposition"]
    if format_ == "parquet":
        found = pq.read_table(io.BytesIO(answer.body))["address"].to_pylist()
    elif format_ == "csv":
        found = csv.read_csv(io.BytesIO(answer.body))["address"].to_pylist()
    else:
        found = [json.loads(line)["address"] for line in answer.body.splitlines()]
    assert found == wanted
    assert len(wanted) > 1


def test_a_wrong_filter_is_a_problem_and_no_file(server: Server, run: str) -> None:
    answer = server.get(f"{run}/export", where="rewrd > 1")
    assert answer.status == 400
    assert "reward" in answer.json()["hint"]
