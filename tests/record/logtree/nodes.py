"""Looking into the tree of a report's JSON."""

from __future__ import annotations

from typing import Any


def texts(node: Any) -> list[str]:
    if isinstance(node, str):
        return [node]
    return [text for child in node["children"] for text in texts(child)]


def find(node: Any, tag: str, css: str = "") -> list[Any]:
    if isinstance(node, str):
        return []
    own = [node] if node["tag"] == tag and css in node["attrs"].get("class", "") else []
    return own + [found for child in node["children"] for found in find(child, tag, css)]
