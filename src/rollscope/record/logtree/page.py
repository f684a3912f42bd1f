"""The HTML page of a trace: one file that opens from disk, with contents, folding, search, light and dark, print.

Nothing in it can run or load anything: its content security policy admits one script, by hash, and data: images.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from rollscope.record.logtree.transcript import render_conversation, render_table
from rollscope.record.logtree.tree import Node, RawNode, Trace

#: Attributes that a scope may set, beside data-* and aria-*. Event handlers and links are not among them.
_ATTRIBUTES = frozenset({"class", "id", "style", "open", "title", "lang", "dir", "colspan", "rowspan"})
_TOOLS = (
    '<div class="lt-tools" role="search">'
    '<input id="lt-find" type="search" placeholder="Search this page" aria-label="Search this page">'
    '<output id="lt-found" for="lt-find"></output>'
    '<button id="lt-unfold" type="button">Unfold all</button>'
    '<button id="lt-fold" type="button">Fold all</button>'
    '<button id="lt-theme" type="button" title="Light or dark">Theme</button></div></header>'
)
_VOID = frozenset({"br", "hr", "img", "wbr"})


def render_page(trace: Trace) -> str:
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; script-src 'sha256-{_sha256(script)}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    when = trace.started_at.strftime("%Y-%m-%d %H:%M:%S %Z")
    out = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(trace.title)}</title><style>{style}</style></head><body class='lt-root'>",
        f'<header class="lt-top"><h1 class="lt-title">{escape(trace.title)}</h1>',
        f'<div class="lt-subtitle">{escape(when)}</div>',
        _TOOLS,
        '<div class="lt-layout">',
    ]
    children = list(trace.root.children)
    _contents(children, out)
    out.append('<main class="lt-main">')
    for place, child in enumerate(children):
        if isinstance(child, Node) and _is_section(child):
            _folding_section(child, place, out)
        else:
            _render(child, out)
    out.append(f"</main></div><script>{script}</script></body></html>\n")
    return "".join(out)


def _contents(children: list[str | Node], out: list[str]) -> None:
    """The list of contents: one entry per top-level section, as its heading says, without every badge."""
    sections = [
        (place, child) for place, child in enumerate(children) if isinstance(child, Node) and _is_section(child)
    ]
    if not sections:
        return
    out.append('<nav class="lt-nav" aria-label="Contents"><ol>')
    for place, section in sections:
        out.append(f'<li><a href="#s{place}">')
        heading = section.children[0]
        assert isinstance(heading, Node)
        for part in heading.children:
            if isinstance(part, str) or part.attrs.get("class") != "lt-badges":
                _render(part, out)
        out.append("</a></li>")
    out.append("</ol></nav>")


def _is_section(node: Node) -> bool:
    return node.tag == "section" and bool(node.children) and isinstance(node.children[0], Node)


def _folding_section(section: Node, place: int, out: list[str]) -> None:
    """A top-level section, which the contents list names, folds under its heading."""
    out.append(f'<section id="s{place}"{_attributes(section)}><details class="lt-fold" open><summary>')
    _render(section.children[0], out)
    out.append("</summary>")
    for part in section.children[1:]:
        _render(part, out)
    out.append("</details></section>")


def _render(child: str | Node, out: list[str]) -> None:
    if isinstance(child, str):
        out.append(escape(child, quote=False))
        return
    out.append(f"<{child.tag}{_attributes(child)}>")
    if child.tag in _VOID:
        return
    if isinstance(child, RawNode):
        out += [part for part in child.children if isinstance(part, str)]
    elif child.data is not None and not child.children:
        out += _from_data(child.data)
    else:
        for part in list(child.children):
            _render(part, out)
    out.append(f"</{child.tag}>")


def _from_data(data: dict[str, Any]) -> Iterable[str]:
    """What a node shows that has its content in its data."""
    if data.get("type") == "conversation":
        return render_conversation(data)
    if data.get("type") == "table":
        return render_table(data)
    return [f"<pre>{escape(json.dumps(data, ensure_ascii=False, indent=1, default=str))}</pre>"]


def _attributes(node: Node) -> str:
    if not node.attrs:
        return ""
    return "".join([f' {name}="{escape(value)}"' for name, value in node.attrs.items() if _is_harmless(name)])


@functools.cache
def _is_harmless(name: str) -> bool:
    return name in _ATTRIBUTES or (name.startswith(("data-", "aria-")) and name.replace("-", "").isalnum())


@functools.cache
def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
