"""What is sent is what the OpenAPI document says: every answer is checked against its schema, field by field."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.fixtures import fixture_path
from tests.server.client import Server, serving

from rollscope.server.api import ENDPOINTS
from rollscope.server.schema.openapi import document

QUERIES: dict[str, dict[str, Any]] = {
    "/api/runs": {},
    "/api/runs/{run}": {},
    "/api/runs/{run}/progress": {},
    "/api/runs/{run}/notes": {},
    "/api/runs/{run}/steps": {},
    "/api/runs/{run}/doctor": {},
    "/api/runs/{run}/samples": {"preview": 1, "discarded": "all"},
    "/api/runs/{run}/groups": {"step": 0},
    "/api/runs/{run}/sample": {"address": "train/0/0"},
    "/api/runs/{run}/part": {"address": "train/0/0", "message": 0, "part": 0},
    "/api/runs/{run}/neighbours": {"address": "train/0/0", "steps": ":", "listed": "groups"},
    "/api/runs/{run}/list_commands": {"steps": "0:2"},
    "/api/runs/{run}/step_counts": {"where": "reward > 0"},
    "/api/runs/{run}/scatter": {"x": "completion_tokens", "steps": "0:2"},
    "/api/runs/{run}/prompt_history": {"address": "train/0/0"},
    "/api/runs/{run}/diff": {"a": "train/0/0", "b": "train/0/1"},
    "/api/runs/{run}/group_tree": {"address": "train/0/0"},
    "/api/runs/{run}/compare": {"other": "run-a"},
    "/api/runs/{run}/contrast": {"a": "reward > 0.5"},
    "/api/runs/{run}/changes": {},
    "/api/runs/{run}/prompt": {"address": "train/0/0", "all": "1"},
    "/api/runs/{run}/tokens": {"address": "train/0/0"},
    "/api/runs/{run}/token_steps": {},
    "/api/runs/{run}/findings": {},
    "/api/runs/{run}/features": {},
    "/api/runs/{run}/findings/report": {"split": "train"},
    "/api/runs/{run}/insight_command": {"name": "contrast", "word": "--a"},
    "/api/runs/{run}/findings/marks": {"split": "train", "step": "0"},
    "/api/runs/{run}/findings/sample": {"address": "train/0/0"},
    "/api/runs/{run}/fields": {"step": 0},
    "/api/runs/{run}/catalog": {},
    "/api/runs/{run}/distribution": {"field": "reward"},
    "/api/runs/{run}/sql": {"query": "SELECT * FROM samples LIMIT 3"},
    "/api/dashboards": {},
    "/api/version": {},
    "/api/vocabulary": {},
    "/api/cache/stats": {},
}


@pytest.fixture(scope="module")
def closed() -> dict[str, Any]:
    """The document, with nothing allowed that it does not name."""
    spec = copy.deepcopy(document(ENDPOINTS))
    for schema in spec["components"]["schemas"].values():
        schema["additionalProperties"] = False
    return spec


def check(spec: dict[str, Any], path: str, answer: Any) -> None:
    schema = spec["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    whole = {**schema, "components": spec["components"]}
    jsonschema.Draft202012Validator(whole).validate(answer)


@pytest.mark.parametrize("path", QUERIES)
def test_an_answer_is_what_is_declared(server: Server, closed: dict[str, Any], path: str) -> None:
    check(closed, path, server.json(path.format(run=server.run_id()), **QUERIES[path]))


def test_series_are_what_is_declared(server: Server, run: str, closed: dict[str, Any]) -> None:
    names = [item["name"] for item in server.json(f"{run}/catalog")]
    check(closed, "/api/runs/{run}/series", server.json(f"{run}/series", name=names))
    check(closed, "/api/runs/{run}/series_columns", server.json(f"{run}/series_columns", name=names))


def test_problems_are_what_is_declared(server: Server, closed: dict[str, Any]) -> None:
    schema = {"$ref": "#/components/schemas/Problem", "components": closed["components"]}
    for path in ("/api/nothing", "/api/runs/none", "/api/runs?x=1"):
        jsonschema.Draft202012Validator(schema).validate(server.get(path).json())


def test_no_request_is_forgotten_here() -> None:
    """A new request is added to the list above, or is one of those that other tests look at line by line."""
    elsewhere = {
        "series",
        "series_columns",
        "search",
        "export",
        "raw",
        "report",
        "events",
        "openapi.json",
        "{name}",
        "clear",
        "detail",
    }
    asked = {e.path for e in ENDPOINTS if e.path.rpartition("/")[2] not in elsewhere or e.path in QUERIES}
    assert asked == set(QUERIES)


@pytest.mark.parametrize("name", ["relax", "tinker_flat", "telescope", "verl"])
def test_samples_of_trainers_are_what_is_declared(closed: dict[str, Any], name: str) -> None:
    path: Path = fixture_path(name)
    with serving(path) as server:
        for item in server.json("/api/runs", wait=60)[:2]:
            run = f"/api/runs/{item['id']}"
            check(closed, "/api/runs/{run}", server.json(run, wait=60))
            page = server.json(f"{run}/samples", discarded="all", limit=12, preview=1)
            check(closed, "/api/runs/{run}/samples", page)
            for row in page["rows"]:
                check(closed, "/api/runs/{run}/sample", server.json(f"{run}/sample", address=row["address"]))
