"""The tree behind a report: nodes with a tag, attributes, children, and data for machines. HTML and JSON come from it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any, Union

import msgspec
from msgspec import Struct

Child = Union[str, "Node"]


class Node(Struct, omit_defaults=True):
    """One element. ``data`` is its content for machines: ``{"type": "conversation", "messages": […]}``, or any mapping
    with a ``type``. A node with data says all it has to say there, so its text is not repeated in ``children``."""

    tag: str
    attrs: dict[str, str]
    children: list[Child]
    data: dict[str, Any] | None = None

    def add(self, child: Child) -> None:
        self.children.append(child)  # atomic, so threads may share a node


class RawNode(Node):
    """A node whose text children are HTML already (:func:`log_html`); marked so in the JSON too."""


def node(tag: str, *children: Child, css: str = "", data: dict[str, Any] | None = None, **attrs: Any) -> Node:
    return Node(tag, attributes(attrs, css), list(children), data)


def raw_node(html: str, css: str, data: dict[str, Any] | None = None) -> RawNode:
    return RawNode("div", {"class": css, "data-format": "html"}, [html], data)


def attributes(attrs: dict[str, Any], css: str = "") -> dict[str, str]:
    """Python names as HTML has them: ``class_`` → ``class`` (which replaces ``css``), ``data__x`` → ``data-x``."""
    out = {"class": css} if css else {}
    for name, value in attrs.items():
        if value is not None:
            out["class" if name == "class_" else name.replace("__", "-").rstrip("_")] = str(value)
    return out


class Trace:
    """One report being built. ``path`` is its HTML file; the JSON lies beside it."""

    def __init__(self, title: str, path: Path | None = None, *, write_on_error: bool = True) -> None:
        self.title = title
        self.path = path
        self.write_on_error = write_on_error
        self.started_at = dt.datetime.now().astimezone()
        self.root = Node("body", {"class": "lt-root"}, [])

    @property
    def json_path(self) -> Path | None:
        return None if self.path is None else json_path(self.path)

    def to_dict(self) -> dict[str, Any]:
        """``title, started_at, path, root``, in plain dicts and lists."""
        content = msgspec.to_builtins(self.document(), enc_hook=str)
        assert isinstance(content, dict)
        return content

    def document(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "started_at": self.started_at.isoformat(),
            "path": None if self.path is None else str(self.path.absolute()),
            "root": self.root,
        }


def json_path(html_path: Path) -> Path:
    """``train_iteration_000010.html`` → ``train_iteration_000010_logtree.json``."""
    return html_path.with_name(f"{html_path.stem}_logtree.json")
