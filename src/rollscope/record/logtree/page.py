"""The HTML page of a trace: one file that opens from disk, with contents, folding, search, light and dark, print.

Nothing in it can run or load anything: its content security policy admits one script, by hash, and data: images.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterator
from html import escape
from pathlib import Path

from rollscope.record.logtree.transcript import render_conversation
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
    return "".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(trace.title)}</title><style>{style}</style></head><body class='lt-root'>",
            f'<header class="lt-top"><h1 class="lt-title">{escape(trace.title)}</h1>',
            f'<div class="lt-subtitle">{escape(when)}</div>',
            _TOOLS,
            '<div class="lt-layout">',
            *_contents(trace.root),
            '<main class="lt-main">',
            *(part for place, child in enumerate(list(trace.root.children)) for part in _child(child, place)),
            f"</main></div><script>{script}</script></body></html>\n",
        ]
    )


def _contents(root: Node) -> Iterator[str]:
    """The list of contents: one entry per top-level section, with the badges of its heading."""
    sections = [(place, child) for place, child in enumerate(root.children) if _is_section(child)]
    if not sections:
        return
    yield '<nav class="lt-nav" aria-label="Contents"><ol>'
    for place, section in sections:
        assert isinstance(section, Node)
        heading = section.children[0]
        assert isinstance(heading, Node)
        yield f'<li><a href="#s{place}">'
        for part in heading.children:
            yield from _child(part, None)
        yield "</a></li>"
    yield "</ol></nav>"


def _is_section(child: str | Node) -> bool:
    return (
        isinstance(child, Node)
        and child.tag == "section"
        and bool(child.children)
        and isinstance(child.children[0], Node)
    )


def _child(child: str | Node, place: int | None) -> Iterator[str]:
    if isinstance(child, str):
        yield escape(child, quote=False)
        return
    if place is not None and _is_section(child):
        yield from _folding_section(child, place)
        return
    yield f"<{child.tag}{_attributes(child)}>"
    if child.tag in _VOID:
        return
    if isinstance(child, RawNode):
        yield from (part for part in child.children if isinstance(part, str))
    elif child.data is not None and child.data.get("type") == "conversation":
        yield from render_conversation(child.data)
    else:
        for part in list(child.children):
            yield from _child(part, None)
    yield f"</{child.tag}>"


def _folding_section(section: Node, place: int) -> Iterator[str]:
    """A top-level section, which the contents list names, folds under its heading."""
    yield f'<section id="s{place}"{_attributes(section)}><details class="lt-fold" open><summary>'
    yield from _child(section.children[0], None)
    yield "</summary>"
    for part in section.children[1:]:
        yield from _child(part, None)
    yield "</details></section>"


def _attributes(node: Node) -> str:
    return "".join(
        f' {name}="{escape(value)}"'
        for name, value in node.attrs.items()
        if name in _ATTRIBUTES or (name.startswith(("data-", "aria-")) and name.replace("-", "").isalnum())
    )


@functools.cache
def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
