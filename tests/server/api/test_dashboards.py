"""Named layouts of charts, over HTTP."""

from __future__ import annotations

import json

from tests.server.client import Server


def test_layouts_are_saved_listed_and_removed(server: Server) -> None:
    path = "/api/dashboards/My%20charts%2F%C3%BC"
    headers = {"Content-Type": "application/json"}
    saved = server.request("PUT", path, headers=headers, body=b'{"layout": {"sections": []}}')
    assert saved.status == 200, saved.text
    assert saved.json()["name"] == "My charts/ü"
    assert server.json(path)["layout"] == {"sections": []}
    assert [item["name"] for item in server.json("/api/dashboards")] == ["My charts/ü"]
    assert server.request("DELETE", path).status == 200
    assert server.get(path).status == 404


def test_json_of_a_layout_is_checked(server: Server) -> None:
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"[]", b'{"layout": 3}', b'{"layout": {}, "more": 1}', b'{"layout": {"a": NaN}}', b'"\xff"'):
        reply = server.request("PUT", "/api/dashboards/x", headers=headers, body=body)
        assert reply.status == 400, body
        assert "layout" in json.dumps(reply.json())
    assert server.json("/api/dashboards") == []
