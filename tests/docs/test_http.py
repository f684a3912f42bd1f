"""What docs/http.md and docs/security.md say of the server's answers."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.conftest import Ask
from tests.docs.ledger import entries, kind_of
from tests.server.client import Server, serving
from tests.test_docs import text_of

from rollscope.server.access import token_check
from rollscope.userdata.dashboards import MAX_DASHBOARDS

PAGE = text_of("docs/http.md")


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("home")
    with serving(folder / "runs", flags=("--query-memory", "64"), env={"XDG_DATA_HOME": str(home)}) as running:
        yield running


def test_a_run_of_the_list_has_the_fields_of_the_page(server: Server) -> None:
    (row,) = re.findall(r"^\| `GET /api/runs` \|[^|]*\|([^|]*)\|$", PAGE, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) <= server.json("/api/runs")[0].keys()


def test_samples_and_steps_are_those_of_the_command_line(server: Server, ask: Ask) -> None:
    listed = server.json("/api/runs/my-run/samples", split="train", step=12, wait=60)
    assert list(listed) == re.findall(r"`\{(total, offset, rows, progress)\}`", PAGE)[0].split(", ")
    printed = ask("samples", "runs/my-run", "--split", "train", "--step", "12", "--json", "--limit", "0").json
    starts = {"prompt_start": None, "response_start": None}
    assert listed["rows"] == [row | starts for row in printed]
    steps = server.json("/api/runs/my-run/steps", split="train", wait=60)
    printed = ask("steps", "runs/my-run", "--json", "--limit", "0").json
    assert [{"run": "my-run", "split": "train", **step} for step in steps] == printed


def test_a_note_on_a_text_is_shown_at_the_same_text_of_another_run(ask: Ask) -> None:
    """`runs/a` and `runs/b` hold the same samples."""
    ask("note", "runs/a", "train/12/0", "look")
    assert [(note["address"], note["text"]) for note in ask("notes", "runs/b", "--json").json] == [
        ("train/12/0", "look")
    ]


def test_more_layouts_than_are_kept_are_refused(server: Server) -> None:
    body, headers = json.dumps({"layout": {}}).encode(), {"Content-Type": "application/json"}
    for number in range(MAX_DASHBOARDS):
        assert server.request("PUT", f"/api/dashboards/{number}", body=body, headers=headers).status < 300
    assert server.request("PUT", "/api/dashboards/more", body=body, headers=headers).status == 413


def test_a_query_beyond_its_memory_is_refused_with_413(server: Server) -> None:
    query = "SELECT list(repeat('x', 1000000)) FROM range(1000)"
    assert server.get("/api/runs/my-run/sql", query=query).status == 413


def test_a_token_is_compared_in_constant_time() -> None:
    """No comparison of the token but by `hmac.compare_digest`."""
    tree = ast.parse(Path(token_check.__file__).read_text(encoding="utf-8"))
    compared = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and re.search(r"\b(token|given|value|wanted)\b", ast.unparse(node))
    ]
    assert compared == ["b'token=' not in query", "name == 'token'", "name != 'token'"]
    assert ast.unparse(tree).count("hmac.compare_digest(") == 2


def test_what_the_page_about_security_says_is_checked_by_tests_of_servers_and_browsers() -> None:
    rooms = {
        check.split("/")[1]
        for entry in entries("docs/security.md")
        for check in entry.checks
        if kind_of(check) == "test"
    }
    assert {"server", "browser"} <= rooms
