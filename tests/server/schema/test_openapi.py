"""The OpenAPI document made from the endpoints."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from tests.fixtures import REPOSITORY

from rollscope.server.api import ENDPOINTS
from rollscope.server.schema.openapi import document, encoded

SPEC_TABLE = {
    ("get", "/api/runs"),
    ("get", "/api/runs/{run}"),
    ("get", "/api/runs/{run}/steps"),
    ("get", "/api/runs/{run}/samples"),
    ("get", "/api/runs/{run}/sample"),
    ("get", "/api/runs/{run}/raw"),
    ("get", "/api/runs/{run}/catalog"),
    ("get", "/api/runs/{run}/series"),
    ("get", "/api/runs/{run}/series_columns"),
    ("get", "/api/runs/{run}/search"),
    ("get", "/api/events"),
    ("get", "/api/cache/stats"),
    ("post", "/api/cache/clear"),
}


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    return document(ENDPOINTS)


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(references(inner) for inner in value))
    return set()


def test_the_committed_document_is_what_the_server_declares() -> None:
    """The page's types are made from it, by `make api`; `npm run api:check` compares them."""
    committed = REPOSITORY / "docs" / "openapi.json"
    assert committed.read_text(encoding="utf-8") == encoded(ENDPOINTS), "they differ: make api writes both anew"


def test_every_request_that_is_promised_is_described(spec: dict[str, Any]) -> None:
    described = {(method, path) for path, operations in spec["paths"].items() for method in operations}
    assert described >= SPEC_TABLE


def test_every_reference_leads_somewhere(spec: dict[str, Any]) -> None:
    wanted = {reference.rpartition("/")[2] for reference in references(spec)}
    assert wanted
    assert wanted <= set(spec["components"]["schemas"])


def test_operations_have_names_of_their_own_and_say_what_they_do(spec: dict[str, Any]) -> None:
    operations = [operation for path in spec["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    assert all(operation["summary"].endswith(".") for operation in operations)


def test_every_parameter_says_what_it_is_for(spec: dict[str, Any]) -> None:
    for path in spec["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                assert parameter["in"] == "path" or parameter["description"], parameter


def test_fields_that_are_always_sent_are_required(spec: dict[str, Any]) -> None:
    schemas = spec["components"]["schemas"]
    assert set(schemas["Sample"]["required"]) == set(schemas["Sample"]["properties"])
    # Parts leave out what is at its default: most have nothing but text.
    assert schemas["Part"].get("required", []) == []


def test_fields_are_described(spec: dict[str, Any]) -> None:
    closed = spec["components"]["schemas"]["Part"]["properties"]["closed"]
    assert closed["description"] == "False when a block was cut before its closing delimiter."


def test_it_is_printed_the_same_every_time() -> None:
    command = [sys.executable, "-W", "error", "-m", "rollscope.server.schema.openapi"]
    # Another order of hashing must not change the order of anything.
    outputs = {
        subprocess.run(command, capture_output=True, check=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_the_documentation_names_every_request_and_parameter(spec: dict[str, Any]) -> None:
    text = (REPOSITORY / "docs" / "http.md").read_text(encoding="utf-8")
    for path, operations in spec["paths"].items():
        assert f"`{path}`" in text or re.search(re.escape(path) + r"[`?\s]", text), path
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                assert f"`{parameter['name']}`" in text or parameter["in"] == "path", (path, parameter["name"])
